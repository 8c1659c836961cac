// A small catalogue for tests of the reader: every kind of field occurs, no mechanics behind it.
#pragma once

#include "mortise/model/catalogue.h"

namespace mortise::test {

const model::Catalogue& test_catalogue();

}  // namespace mortise::test
