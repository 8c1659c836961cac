// What `mortise explain` knows: every part, every method, every analysis and function from their registries, error
// codes from docs/errors.md, words from docs/words.md. Nothing is written twice, so nothing can be missing.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mortise::cli {

struct Topic {
  std::string kind;  // "joint", "formulation", "error code", "word" …
  std::string name;
  std::vector<std::string> aliases;
  std::function<std::string()> text;  // Markdown, ends with a line break
};

std::vector<Topic> topics();

// The table at the end of docs/errors.md.
struct ExitMeaning {
  std::string code, meaning;
};
std::vector<ExitMeaning> exit_codes();

}  // namespace mortise::cli
