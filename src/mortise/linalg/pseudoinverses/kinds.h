// One maker per file of this folder; listed in registry.cpp.
#pragma once

#include "mortise/linalg/pseudoinverse.h"

namespace mortise::linalg {

std::unique_ptr<Pseudoinverse> make_svd_pseudoinverse();

}  // namespace mortise::linalg
