// What Mortise says when it cannot go on.
//
// A user's mistake in a model is a `ModelError`: a list of diagnostics, each with the place in the file, what was
// expected and the nearest valid name. A failure of the mathematics is a `SolveError`: the time, the items (joint and
// body names) that take part, and what to try. Files that cannot be written are an `OutputError`, result files that
// cannot be read a `ResultError`. Exit codes of the program follow from the type.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mortise {

enum class ExitCode : int { done = 0, usage = 2, model = 3, solve = 4, conflict = 5, output = 6 };

// A text that places refer to: a file, or a `--set` argument; in models made in code, the item and field ("Pendulum:
// bodies.arm.mass") without text and lines.
struct Source {
  std::string name;
  std::string text;
};

// A place in a source; line and column count from 1, line 0 means the source as a whole.
struct Place {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int length = 1;  // characters to underline

  bool known() const { return source != nullptr; }
  std::string str() const;  // "model.yaml:14:14"; the source's name alone without a line; "" when unknown
};

struct Diagnostic {
  std::string code;     // "M203": stable, explained in docs/errors.md
  std::string message;  // "unknown joint type 'revolut'"
  Place place;
  std::string hint;  // "did you mean 'revolute'?", shown behind the caret
  bool warning = false;
};

// "file:line:column: error CODE: message", the source line, and a caret line with the hint.
std::string render(const Diagnostic&);

class ModelError : public std::runtime_error {
 public:
  explicit ModelError(std::vector<Diagnostic> diagnostics);
  explicit ModelError(Diagnostic diagnostic);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// Throws one of a single diagnostic.
[[noreturn]] void fail_model(std::string code, std::string message, const Place& place, std::string hint = {});

struct SolveReport {
  std::string code;  // "S402"
  double time = 0;
  std::string message;
  std::vector<std::string> details;  // one line each: items that take part, figures
  std::string advice;                // what to try
  Place place;                       // the formula's place, when one is to blame
  ExitCode exit = ExitCode::solve;
};

class SolveError : public std::runtime_error {
 public:
  explicit SolveError(SolveReport report);
  const SolveReport& report() const { return report_; }

 private:
  SolveReport report_;
};

std::string render(const SolveReport&);

// A file that cannot be written: disk full, missing folder, no permission, input/output error. Exit code 6.
class OutputError : public std::runtime_error {
 public:
  OutputError(std::string file, const std::string& message)
      : std::runtime_error(file + ": " + message), file_(std::move(file)) {}
  const std::string& file() const { return file_; }
  static constexpr ExitCode exit = ExitCode::output;

 private:
  std::string file_;
};

// A result or checkpoint file that cannot be used: not ours, truncated, damaged, of another model. Exit code 3.
class ResultError : public std::runtime_error {
 public:
  ResultError(std::string file, const std::string& message)
      : std::runtime_error(file + ": " + message), file_(std::move(file)) {}
  const std::string& file() const { return file_; }
  static constexpr ExitCode exit = ExitCode::model;

 private:
  std::string file_;
};

// The name in `names` nearest to `word` by edits (insert, delete, replace, swap), or "" if none is near enough to help.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

}  // namespace mortise
