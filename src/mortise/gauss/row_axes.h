// Orthonormal axes of which the first span the rows of A and the others are free of them.
//
// With a large weight on the constraints the Gauss function is a cleft. A search that varies one coordinate at a time
// gets along it only where it runs along an axis: on the double pendulum the source's own instant (strings hanging,
// rows along axes) is found to 1e-4, a pose at any other angle only to 1; in these axes all poses are alike.
//
// Gram-Schmidt, two passes, on the rows in their order and then on the unit vectors, the least covered one first.
// Sums run in the order of the indices: the same bits on every machine.
// Source: ours; specs/gigsp-and-genetic.md §2 (GIGSP) has the same orthonormal rows.
// Cost: 4nr(m + n) + …, O(n³) in all.
#pragma once

#include <span>

#include "mortise/linalg/householder_cod.h"
#include "mortise/linalg/rank_policy.h"
#include "mortise/linalg/types.h"

namespace mortise::gauss {

// T is n×n, sized by the caller; its first columns, as many as the rank, become an orthonormal basis of the rows. Says
// which rows it took (m fates, sized by the caller); in their order, without pivoting, so the rank of nearly dependent
// rows is less sharp than that of linalg/householder_cod.h.
linalg::Rank row_basis(const Matrix& A, const linalg::RankPolicy& policy, double violation, Matrix& T,
                       std::span<linalg::RowFate> fates);
// The other columns of T, from column `rank` on.
void complete_axes(int rank, Matrix& T);

}  // namespace mortise::gauss
