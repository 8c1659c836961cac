// The functions of the language: one line each, read by the parser, the hints and the documentation.
#pragma once

#include <string>
#include <string_view>

#include "mortise/formula/program.h"

namespace mortise::formula {

struct Function {
  const char* name;
  Op op;
  int min_arguments, max_arguments;  // max −1: any number, by repeating the operation of two operands
  const char* help;
};

const Function* find_function(std::string_view name);  // null: no such function

// The value of pi or e; false: no such constant.
bool find_constant(std::string_view name, double& value);

// What users of other languages write: "ln" -> "log"; "" if nothing is known.
std::string our_name_for(std::string_view foreign);

}  // namespace mortise::formula
