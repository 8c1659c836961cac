#include "mortise/linalg/dense.h"

MORTISE_DENSE_DECOMPOSITIONS(template)
MORTISE_DENSE_PRODUCTS(template)
