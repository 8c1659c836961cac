// Vectors and matrices as every room sees them. Interfaces pass spans (no hidden copies); Eigen does the arithmetic.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <span>

namespace mortise {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Span = std::span<double>;
using ConstSpan = std::span<const double>;

// Bodies, joints and rows are counted by int; as the index of a container.
constexpr std::size_t index(std::integral auto i) { return static_cast<std::size_t>(i); }

inline Eigen::Map<const Vector> as_vector(ConstSpan s) { return {s.data(), static_cast<Eigen::Index>(s.size())}; }
inline Eigen::Map<Vector> as_vector(Span s) { return {s.data(), static_cast<Eigen::Index>(s.size())}; }
inline ConstSpan as_span(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
inline Span as_span(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

}  // namespace mortise
