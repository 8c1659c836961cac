// Rows over any number of bodies, made of measures: scalars x_i of two frames each (measures.h), which may belong to
// different joints.
//
//   Coupling:   φ = Σ c_i x_i − constant                 holonomic, or as a velocity row Σ c_i ẋ_i − f(t) = 0
//   UserRow:    Σ a_i(x, t) u_i + a_t(x, t) = 0          a velocity row with formulas for coefficients
//
// A body that occurs in several measures has one block of columns in the row, to which all of them add. What is added
// is done in the order of the terms: the same bits at any number of threads.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "mortise/mechanism/measures.h"

namespace mortise::mechanism {

template <int Dimension>
struct AnyMeasure;
template <>
struct AnyMeasure<2> {
  using type = std::variant<Turn2, Along2, Length2, Coordinate2>;
};
template <>
struct AnyMeasure<3> {
  using type = std::variant<Turn3, Along3, Length3, Coordinate3, Spin3>;
};

// A coordinate or velocity with a name (`A.angle`, `body.P.x`, `body.vx`): a measure and its two frames. Only the
// variant of the model's dimension counts.
struct Measured {
  AnyMeasure<2>::type planar;
  AnyMeasure<3>::type spatial;
  Anchor a, b;
  bool angular = false;  // an angle or an angular velocity
  bool turns = false;    // an angle that is known up to full turns
};

// The part of a row that one measure contributes, as its kernel writes it.
template <int Dimension>
using MeasureRow = typename Space<Dimension>::template Rows<1>;

// A measure with the columns of its two bodies in the row's values.
struct PlacedMeasure {
  Measured of;
  Columns to_a, to_b;
};

inline MeasureRow<2> evaluate(const Measured& of, const Frame2<double>& a, const Frame2<double>& b) {
  MeasureRow<2> out;
  std::visit([&](const auto& measure) { measure(a, b, out); }, of.planar);
  return out;
}
inline MeasureRow<3> evaluate(const Measured& of, const Frame3<double>& a, const Frame3<double>& b) {
  MeasureRow<3> out;
  std::visit([&](const auto& measure) { measure(a, b, out); }, of.spatial);
  return out;
}
template <int Dimension>
MeasureRow<Dimension> evaluate(const Measured& of, const Motions& motions) {
  return evaluate(of, Space<Dimension>::frame(of.a, motions), Space<Dimension>::frame(of.b, motions));
}

inline double rate(const MeasureRow<2>& row, const Measured& of, const Motions& m) {
  const auto &a = m.at2(of.a.body), &b = m.at2(of.b.body);
  return row.a.r[0].dot(a.v) + row.a.w[0] * a.w + row.b.r[0].dot(b.v) + row.b.w[0] * b.w;
}
inline double rate(const MeasureRow<3>& row, const Measured& of, const Motions& m) {
  const auto &a = m.at3(of.a.body), &b = m.at3(of.b.body);
  return row.a.r[0].dot(a.v) + row.a.w[0].dot(a.w) + row.b.r[0].dot(b.v) + row.b.w[0].dot(b.w);
}

// The nearest value to zero among difference + k·period; period 0: the difference.
inline double nearest_period(double difference, double period) {
  return period > 0 ? difference - period * std::floor(difference / period + 0.5) : difference;
}

// What both kinds of items have.
struct SharedRow {
  std::vector<PlacedMeasure> terms;
  std::vector<Columns> blocks;  // of all bodies, each once
  int row = 0, item = 0;
  Place place;

  void clear(Vector& A) const {
    for (const Columns& block : blocks) A.segment(block.offset, block.size).setZero();
  }
  template <int Dimension>
  static void add(const PlacedMeasure& term, const MeasureRow<Dimension>& row, double scale, const Motions& m,
                  Vector& A) {
    if (term.to_a.size) Space<Dimension>::add(row.a, scale, term.to_a, term.of.a, m, A);
    if (term.to_b.size) Space<Dimension>::add(row.b, scale, term.to_b, term.of.b, m, A);
  }
  // What a term does to a body.
  template <int Dimension>
  static void add(const Measured& of, int body, double scale, const Motions& m, Wrench& out) {
    if (of.a.body != body && of.b.body != body) return;
    const auto row = evaluate<Dimension>(of, m);
    if (of.a.body == body) Space<Dimension>::add(row.a, 0, scale, out);
    if (of.b.body == body) Space<Dimension>::add(row.b, 0, scale, out);
  }
};

template <int Dimension>
class CouplingGroup final : public ConstraintGroup {
 public:
  struct Item : SharedRow {
    std::vector<double> coefficients;
    bool holonomic = true;
    double constant = 0;
    double period = 0;             // of φ: what full turns of the angles add to it; 0: none
    formula::Expression function;  // f(t) of a velocity row
  };

  std::vector<Item> items;

  void evaluate(const Motions& motions, double t, Evaluation& out) const override {
    linalg::for_each_index(items.size(), [&](std::size_t i) {
      const Item& item = items[i];
      item.clear(out.problem.A);
      double phi = 0, phidot = 0, bias = 0;
      for (std::size_t k = 0; k < item.terms.size(); ++k) {
        const auto row = mechanism::evaluate<Dimension>(item.terms[k].of, motions);
        const double c = item.coefficients[k];
        phi += c * row.phi[0];
        phidot += c * rate(row, item.terms[k].of, motions);
        bias += c * row.bias[0];
        SharedRow::add<Dimension>(item.terms[k], row, c, motions, out.problem.A);
      }
      const formula::Jet<double> f = demand(item, t);
      out.phi[item.row] = item.holonomic ? nearest_period(phi - item.constant, item.period) : 0;
      out.phidot[item.row] = phidot - f.value;
      out.c_t[item.row] = -f.value;
      out.problem.b[item.row] = f.first - bias;
    });
  }

  Wrench wrench(int slot, int body, const Motions& motions, double, ConstSpan lambda) const override {
    const Item& item = items[static_cast<std::size_t>(slot)];
    const double l = lambda[static_cast<std::size_t>(item.row)];
    Wrench out = Wrench::Zero();
    for (std::size_t k = 0; k < item.terms.size(); ++k)
      SharedRow::add<Dimension>(item.terms[k].of, body, -l * item.coefficients[k], motions, out);
    return out;
  }

  int first_non_finite(const Motions& motions, double t, Place& place) const override {
    for (const Item& item : items) {
      const formula::Jet<double> f = demand(item, t);
      double sum = f.value + f.first;
      for (const PlacedMeasure& term : item.terms) {
        const auto row = mechanism::evaluate<Dimension>(term.of, motions);
        sum += row.phi[0] + row.bias[0] + rate(row, term.of, motions);
      }
      if (std::isfinite(sum)) continue;
      place = item.place;
      return item.item;
    }
    return -1;
  }

 private:
  static formula::Jet<double> demand(const Item& item, double t) {
    const double one = 1;
    return item.function.along({&t, 1}, {&one, 1}, {});
  }
};

// The coefficients are formulas of (t, x_1, x_2, …); their rates along the motion enter the right-hand side:
//
//   Σ a_i u̇_i + Σ ȧ_i u_i + ȧ_t = 0,     ȧ = ∂a/∂t + Σ_j ∂a/∂x_j ẋ_j
template <int Dimension>
class UserRowGroup final : public ConstraintGroup {
 public:
  static constexpr std::size_t most_coordinates = 31;

  struct Item : SharedRow {
    std::vector<formula::Expression> coefficients;
    formula::Expression constant;
    std::vector<Measured> coordinates, constant_coordinates;  // x of the coefficients, x of the constant
  };

  std::vector<Item> items;

  void evaluate(const Motions& motions, double t, Evaluation& out) const override {
    linalg::for_each_index(items.size(), [&](std::size_t i) {
      const Item& item = items[i];
      item.clear(out.problem.A);
      const Arguments at(item.coordinates, motions, t);
      const formula::Jet<double> constant = Arguments(item.constant_coordinates, motions, t).along(item.constant);
      double bias = constant.first, phidot = constant.value;
      for (std::size_t k = 0; k < item.terms.size(); ++k) {
        const auto row = mechanism::evaluate<Dimension>(item.terms[k].of, motions);
        const formula::Jet<double> a = at.along(item.coefficients[k]);
        const double u = rate(row, item.terms[k].of, motions);
        phidot += a.value * u;
        bias += a.value * row.bias[0] + a.first * u;
        SharedRow::add<Dimension>(item.terms[k], row, a.value, motions, out.problem.A);
      }
      out.phi[item.row] = 0;
      out.phidot[item.row] = phidot;
      out.c_t[item.row] = constant.value;
      out.problem.b[item.row] = -bias;
    });
  }

  Wrench wrench(int slot, int body, const Motions& motions, double t, ConstSpan lambda) const override {
    const Item& item = items[static_cast<std::size_t>(slot)];
    const double l = lambda[static_cast<std::size_t>(item.row)];
    const Arguments at(item.coordinates, motions, t);
    Wrench out = Wrench::Zero();
    for (std::size_t k = 0; k < item.terms.size(); ++k)
      SharedRow::add<Dimension>(item.terms[k].of, body, -l * at.along(item.coefficients[k]).value, motions, out);
    return out;
  }

  int first_non_finite(const Motions& motions, double t, Place& place) const override {
    for (const Item& item : items) {
      const Arguments at(item.coordinates, motions, t);
      const formula::Jet<double> constant = Arguments(item.constant_coordinates, motions, t).along(item.constant);
      double sum = constant.value + constant.first;
      for (std::size_t k = 0; k < item.terms.size(); ++k) {
        const formula::Jet<double> a = at.along(item.coefficients[k]);
        sum += a.value + a.first;
        const auto row = mechanism::evaluate<Dimension>(item.terms[k].of, motions);
        sum += row.bias[0] + rate(row, item.terms[k].of, motions);
      }
      if (std::isfinite(sum)) continue;
      place = item.place;
      return item.item;
    }
    return -1;
  }

 private:
  // t and the coordinates with their rates.
  struct Arguments {
    std::array<double, most_coordinates + 1> x{}, dx{};
    std::size_t count;

    Arguments(const std::vector<Measured>& coordinates, const Motions& motions, double t)
        : count(coordinates.size() + 1) {
      x[0] = t, dx[0] = 1;
      for (std::size_t j = 1; j < count; ++j) {
        const Measured& coordinate = coordinates[j - 1];
        const auto row = mechanism::evaluate<Dimension>(coordinate, motions);
        x[j] = row.phi[0];
        dx[j] = rate(row, coordinate, motions);
      }
    }
    formula::Jet<double> along(const formula::Expression& f) const {
      return f.along({x.data(), count}, {dx.data(), count}, {});
    }
  };
};

}  // namespace mortise::mechanism
