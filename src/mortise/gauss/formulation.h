// A formulation: one way of solving a GaussProblem. Settings only, immutable, shared by threads; the workspace is a
// Factor, one per run and thread, sized once in `prepare` and free of allocation from then on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/problem.h"
#include "mortise/linalg/flops.h"

namespace mortise::gauss {

struct Capabilities {
  bool redundant_rows = false;  // rank-deficient A
  bool singular_mass = false;
  bool gives_multipliers = true;
  bool gives_rank = false;
  bool pseudoinverse = false;  // built on one that the user may choose
  bool unsquared = false;      // needs one that works on singular values and not on their squares
  bool search = false;         // approaches the answer instead of computing it
  bool stale = false;          // keeps a generalized inverse for some steps: meets A a = b only nearly
  bool remembers = false;      // what a factor learned at earlier instants shows in the last bits
};

// Why a factorisation was refused: data, turned into a SolveError with joint names by whoever knows them.
struct Refusal {
  enum class Kind { none, singular_mass, dependent_rows, not_unique } kind = Kind::none;
  int block = -1;         // the velocity block whose mass is not positive definite
  std::vector<int> rows;  // the rows that depend on one another
  int missing = 0;        // not_unique: so many motions have neither mass nor constraint
  double pivot = 0;       // relative size of the pivot that vanished
};

// The reason in a few words, for tables: "mass matrix singular". Empty when nothing was refused.
std::string why_not(const Capabilities& can, const Refusal& refusal);

class Factor {
 public:
  virtual ~Factor() = default;
  // Uses M, A, active and violation of the problem; keeps no pointer to it. Returns false and fills `refusal` when the
  // formulation cannot do this case.
  virtual bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) = 0;
  // Many per factor. b of inactive rows is ignored.
  virtual void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) = 0;
  // `factor`, and `solve` with Q and b of the problem: the same bits, in fewer passes where that can be.
  virtual bool factor_and_solve(const GaussProblem& problem, const linalg::RankPolicy& policy,
                                GaussSolution& solution) {
    if (!factor(problem, policy)) return false;
    solve(as_span(problem.Q), as_span(problem.b), solution);
    return true;
  }

  const Refusal& refusal() const { return refusal_; }

  // A step of the integrator was accepted: what is reused for some steps counts them.
  virtual void step_accepted() {}
  // Forgets what earlier instants taught (a chosen partition, a warm start). Called at every checkpoint of a straight
  // run too, so that a resumed one has the same bits.
  virtual void forget() {}
  // Floating-point operations of the last `factor` together with the last `solve`; 0 where nobody counted.
  double flops() const { return factor_flops_.count() + solve_flops_.count(); }

  // For diagnosis, allocates: how a redundant or conflicting row follows from the independent ones,
  // row i of A = Σ c_k row k, as m coefficients. Empty when the formulation cannot tell.
  virtual Vector dependency(int /*row*/) const { return {}; }

 protected:
  Refusal refusal_;
  linalg::Flops factor_flops_, solve_flops_;
};

class Formulation {
 public:
  virtual ~Formulation() = default;
  virtual std::string name() const = 0;
  virtual Capabilities can() const = 0;
  virtual std::unique_ptr<Factor> prepare(const Pattern& pattern) const = 0;
  // What will work on problems of this shape, in a few words, where that is another one.
  virtual std::string choice(const Pattern& /*pattern*/) const { return {}; }
};

// What a user may choose beside the name; each formulation takes what concerns it.
struct FormulationSettings {
  std::string pseudoinverse;              // "" = the formulation's own choice
  int reuse = 1;                          // steps for which a generalized inverse is kept; 1: always fresh
  bool compensate_by_projection = false;  // makes up for an old inverse: else by the feedback in b (Baumgarte)
  unsigned seed = 1;                      // of a search
  int islands = 1, runs = 8;
};

// The registry: names are the same in YAML, on the command line and in tables.
struct FormulationEntry {
  std::string name;
  std::string help;  // one line
  std::unique_ptr<Formulation> (*make)(const FormulationSettings&);
};
const std::vector<FormulationEntry>& formulations();
// Throws std::invalid_argument for names that are not known.
std::unique_ptr<Formulation> make_formulation(const std::string& name, const FormulationSettings& settings = {});

}  // namespace mortise::gauss
