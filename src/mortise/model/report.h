// Collects what is wrong with a model so that all mistakes are reported together, in the order of the file.
#pragma once

#include <string>
#include <vector>

#include "mortise/error.h"

namespace mortise::model {

class Report {
 public:
  void error(std::string code, std::string message, const Place& place, std::string hint = {});
  void note(std::string code, std::string message, const Place& place, std::string hint = {});
  void add(const ModelError& error);

  bool any() const { return !errors_.empty(); }
  bool full() const { return errors_.size() >= 1000; }  // no use in going on
  std::size_t count() const { return errors_.size(); }
  const std::vector<Diagnostic>& notes() const { return notes_; }

  // Throws a ModelError with the first 20 mistakes (and how many more there are) if there are any.
  void throw_if_any();

 private:
  std::vector<Diagnostic> errors_, notes_;
};

// "did you mean 'x'?", or "" when no name is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

// "a, b, c": at most `most` of them, then "…".
std::string list_names(const std::vector<std::string>& names, std::size_t most = 8);

// "'text'", cut when long and without control characters.
std::string quote(const std::string& text);

}  // namespace mortise::model
