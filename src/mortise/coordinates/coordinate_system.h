// A mechanism described by other unknowns: the same motion, other numbers for it.
//
// The mechanism's own unknowns are absolute (position, quaternion; velocity, angular velocity of each body). Others, u̇
// with derivatives ü, give the absolute velocities and accelerations by a map,
//
//     v = N(u) u̇,    a = N ü + γ,        so that    M* = NᵀMN,   Q* = Nᵀ(Q − Mγ),   A* = A N,   b* = b − Aγ,
//
// less the rows that the map fulfils by itself, plus rows that the unknowns need among themselves. Results, reactions
// and quantities are always those of the lifted, absolute state.
// Source: design of the Gauss problem ("another unknown"); specs/formulations.md §2, conversion of joint rows to q.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/formulation.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::coordinates {

using mechanism::Mechanism;

class CoordinateSystem : public System {
 public:
  explicit CoordinateSystem(const Mechanism& mechanism) : mechanism_(mechanism) {}

  const Mechanism& mechanism() const { return mechanism_; }

  // To the absolute state and back: t, q, v, work, inputs, which rows are on, λ of the rows that both have (0
  // elsewhere). The memory of the target stays. `lift` throws SolveError where the unknowns are singular.
  virtual void lift(const State& mapped, State& absolute) const = 0;
  virtual void lower(const State& absolute, State& mapped) const = 0;

  // For each row here the mechanism's row that it is, or −1: one that the unknowns need among themselves.
  virtual const std::vector<int>& absolute_rows() const = 0;

  // The absolute accelerations a = N ü + γ; the scratch is that of the last `evaluate`.
  virtual void lift_acceleration(ConstSpan own, Scratch& scratch, Span absolute) const = 0;

  // What was chosen at the start and must be the same after a checkpoint; `make_coordinates` finds it in the memory of
  // the state it is given.
  virtual void remember(Memory&) const {}

  // The one way of solving that its problems take, where they are not for any: owned by the coordinates.
  virtual const gauss::Formulation* formulation() const { return nullptr; }
  // What was chosen and how it went, a line each, for the end of a run.
  virtual std::vector<std::string> remarks() const { return {}; }

  // Whether coordinates that are chosen anew at this (mapped) state would serve better from here on. A run asks after
  // every step; then it begins anew with those of the lifted state.
  virtual bool strained(const State&) const { return false; }

  Vector initial_inputs() const override { return mechanism_.initial_inputs(); }
  int feedback_size() const override { return mechanism_.feedback_size(); }
  void feedback_sizes(Span z) const override { mechanism_.feedback_sizes(z); }
  std::string feedback_name(int k) const override { return mechanism_.feedback_name(k); }
  double typical_energy() const override { return mechanism_.typical_energy(); }

 protected:
  const Mechanism& mechanism_;
};

// Of natural coordinates: how their problems are to be solved.
struct CoordinateSettings {
  std::string accelerations;  // recursion | conjugate-gradients | factor; empty: by formulations of any kind
  std::string preconditioner = "branches";
  double tolerance = 1e-10;  // of conjugate gradients
};

// The registry: names are the same in YAML, on the command line and in tables.
struct CoordinateEntry {
  std::string name;
  std::string help;  // one line
  // `start`: an admissible absolute state, from which what is free to choose is chosen.
  std::unique_ptr<CoordinateSystem> (*make)(const Mechanism&, const State& start, const CoordinateSettings& settings);
};
const std::vector<CoordinateEntry>& coordinate_systems();
// Throws std::invalid_argument for names that are not known. The mechanism must outlive what is made.
std::unique_ptr<CoordinateSystem> make_coordinates(const std::string& name, const Mechanism& mechanism,
                                                   const State& start, const CoordinateSettings& settings = {});

}  // namespace mortise::coordinates
