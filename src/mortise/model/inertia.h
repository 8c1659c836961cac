// Is an inertia tensor that of a body? The principal moments J₁ ≤ J₂ ≤ J₃ of any mass distribution fulfil
//
//     J₁ ≥ 0      and      J₁ + J₂ ≥ J₃        (equality: a flat body).
//
// Most tensors that fail were written with the other sign of the products (positive integrals ∫xy dm, as some CAD
// systems print them) or with two slots exchanged; `cure` finds out which.
#pragma once

#include <Eigen/Core>
#include <string>

namespace mortise::model {

enum class InertiaVerdict { physical, negative, triangle };

// Rounding of printed tensors is forgiven: `tolerance` is relative to the trace.
InertiaVerdict judge_inertia(const Eigen::Matrix3d& tensor, double tolerance = 1e-6);

// What change would make an unphysical tensor physical, in words; "" when no simple one does.
std::string inertia_cure(const Eigen::Matrix3d& tensor);

}  // namespace mortise::model
