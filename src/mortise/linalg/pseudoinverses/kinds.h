// One maker per file of this folder; listed in registry.cpp.
#pragma once

#include "mortise/linalg/pseudoinverse.h"

namespace mortise::linalg {

std::unique_ptr<Pseudoinverse> make_svd_pseudoinverse();
std::unique_ptr<Pseudoinverse> make_cod_pseudoinverse();
std::unique_ptr<Pseudoinverse> make_varga_pseudoinverse();
std::unique_ptr<Pseudoinverse> make_gram_schmidt_pseudoinverse();
std::unique_ptr<Pseudoinverse> make_greville_pseudoinverse();
std::unique_ptr<Pseudoinverse> make_ls_householder_pseudoinverse();
std::unique_ptr<Pseudoinverse> make_ls_mgs_pseudoinverse();

}  // namespace mortise::linalg
