// Mechanisms for tests, from a text or an example.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::test {

std::unique_ptr<mechanism::Mechanism> compile(const std::string& text, const std::vector<std::string>& settings = {});
std::unique_ptr<mechanism::Mechanism> compile_example(const std::string& name,
                                                      const std::vector<std::string>& settings = {});

}  // namespace mortise::test
