// Turns the lines of a CSV table, as they are written, into {"columns": [...], "rows": [[...], ...]}: the same numbers,
// what is not finite as null. Line by line, so that a table of any length passes through.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace mortise::cli {

class JsonTable final : public std::streambuf {
 public:
  explicit JsonTable(std::ostream& out) : out_(out) {}
  void finish();  // after the last line

 protected:
  int overflow(int c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;

 private:
  void line();
  std::ostream& out_;
  std::string line_;
  long lines_ = 0;
};

}  // namespace mortise::cli
