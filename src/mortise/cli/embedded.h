// Texts that the build puts into the program (cmake/EmbedTexts.cmake), from the files that the documentation shows:
// what the program says is what the documentation says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mortise::cli {

struct EmbeddedText {
  std::string_view name;  // of the file, without folder and ending
  std::string_view text;
};

const std::vector<EmbeddedText>& starters();   // examples/new/*.yaml
const std::vector<EmbeddedText>& reference();  // docs/errors.md, docs/words.md

}  // namespace mortise::cli
