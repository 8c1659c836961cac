// What the programs of the studies share: numbers go to standard output as a table of four columns, claims are checked
// on the way, and a claim that does not hold is named on standard error and in the exit code.
#pragma once

#include <cstdio>
#include <string>

namespace mortise::papers {

class Report {
 public:
  Report() { std::puts("table,row,column,value"); }

  void put(const std::string& table, const std::string& row, const std::string& column, const std::string& value) {
    std::printf("%s,%s,%s,%s\n", table.c_str(), row.c_str(), column.c_str(), value.c_str());
  }
  void put(const std::string& table, const std::string& row, const std::string& column, double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", value);
    put(table, row, column, std::string(text));
  }
  void claim(bool holds, const std::string& what) {
    if (holds) return;
    ++failed_;
    std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  }
  int exit_code() const { return failed_ == 0 ? 0 : 1; }

 private:
  int failed_ = 0;
};

}  // namespace mortise::papers
