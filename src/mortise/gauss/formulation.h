// A formulation: one way of solving a GaussProblem. Settings only, immutable, shared by threads; the workspace is a
// Factor, one per run and thread, sized once in `prepare` and free of allocation from then on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/problem.h"

namespace mortise::gauss {

struct Capabilities {
  bool redundant_rows = false;  // rank-deficient A
  bool singular_mass = false;
  bool gives_multipliers = true;
  bool gives_rank = false;
};

// Why a factorisation was refused: data, turned into a SolveError with joint names by whoever knows them.
struct Refusal {
  enum class Kind { none, singular_mass, dependent_rows } kind = Kind::none;
  int block = -1;         // the velocity block whose mass is not positive definite
  std::vector<int> rows;  // the rows that depend on one another
  double pivot = 0;       // relative size of the pivot that vanished
};

class Factor {
 public:
  virtual ~Factor() = default;
  // Uses M, A, active and violation of the problem; keeps no pointer to it. Returns false and fills `refusal` when the
  // formulation cannot do this case.
  virtual bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) = 0;
  // Many per factor. b of inactive rows is ignored.
  virtual void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) = 0;

  const Refusal& refusal() const { return refusal_; }

  // For diagnosis, allocates: how a redundant or conflicting row follows from the independent ones,
  // row i of A = Σ c_k row k, as m coefficients. Empty when the formulation cannot tell.
  virtual Vector dependency(int /*row*/) const { return {}; }

 protected:
  Refusal refusal_;
};

class Formulation {
 public:
  virtual ~Formulation() = default;
  virtual std::string name() const = 0;
  virtual Capabilities can() const = 0;
  virtual std::unique_ptr<Factor> prepare(const Pattern& pattern) const = 0;
};

// The registry: names are the same in YAML, on the command line and in tables.
struct FormulationEntry {
  std::string name;
  std::string help;  // one line
  std::unique_ptr<Formulation> (*make)();
};
const std::vector<FormulationEntry>& formulations();
std::unique_ptr<Formulation> make_formulation(const std::string& name);  // throws std::invalid_argument

}  // namespace mortise::gauss
