// Colours for people: only where the stream is a terminal, TERM is not dumb and NO_COLOR is not set (no-color.org).
#pragma once

#include <cstdio>
#include <string>

namespace mortise::cli {

bool has_colors(std::FILE* stream);
// A message with its first "error …:", "note …:" or "warning …:" and its hint ("did you mean …?") set off.
std::string colored_message(std::string text, std::FILE* stream);
// Markdown with its headlines set off.
std::string colored_page(const std::string& text, std::FILE* stream);

}  // namespace mortise::cli
