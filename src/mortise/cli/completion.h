// Completion for bash and zsh. The scripts know nothing: at each TAB they ask the program itself (`mortise __complete
// WORDS…`), which looks at its own parser, registries and, for quantities, into the result that is named on the line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mortise::cli {

// What may stand in the place of the last word, one a line; ":files PATTERN" stands for files. Never throws for what is
// on the line: who cannot be completed gets nothing.
std::vector<std::string> complete(const CLI::App& app, const std::vector<std::string>& words);

// Names up to the next dot behind `typed`: "left." before "left.angle", so that a thousand bodies stay readable.
std::vector<std::string> by_levels(const std::vector<std::string>& names, const std::string& typed);

}  // namespace mortise::cli
