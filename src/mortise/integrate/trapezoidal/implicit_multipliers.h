// Multipliers of an implicit step, as a module of its own: given what a trial of the new time knows, it answers with
// λ⁺; how coordinates move is not its business. Shared with them are vectors and the rows alone.
//
// Soft multipliers obey ε λ̇ = (what the rows miss) instead of the rows themselves, so that with S = A M⁻¹Aᵀ and
// w = h_v + δ M⁻¹Q, in rows of holonomic (H) and nonholonomic (N) kind at once,
//
//     (diag(κ) + S) λ⁺ = r,       κ = ε/δ² (H), ε/δ (N),
//
//                         δ² r, H                                       δ r, N
//     anchored-iterated   φ(q_p) + A(h_q − q_p) + δ A w                 A w + c_t
//     anchored            φ + [δ φ̇] + δ (A w + c_t)                     ψ + [δ (A a − b)] + δ (A M⁻¹Q − b⁺)
//     history             ε h_λ + δ (A w + c_t),  h_λ = λ + [δ λ̇]       ε h_λ + δ (A M⁻¹Q − b⁺)
//
// the terms in brackets with the trapezoidal rule only; φ, ψ = A v + c_t, φ̇, A a − b and λ without a sign are those of
// the old time, all else is at the trial. The matrix is positive definite whatever the rank of A: redundant rows,
// singular poses and rows that are switched on and off need no decision.
//
// anchored-iterated is a step of Newton for φ⁺ = ελ⁺, ψ⁺ = ελ⁺: repeated with what came out, nothing else is left of
// the constraints' errors. (The sheet has a further δ c_t in it, with which rows that depend on time would end at φ⁺ +
// δ c_t = ελ⁺; φ(q_p) is taken at the new time and holds that part already.) anchored integrates φ̇ from the φ of each
// old time; history from the first φ of all, so that errors of this integration stay for good: φ − ελ is an invariant
// of the scheme.
//
// Rows that are integrated in time do not oscillate with φ̇ alone: of holonomic ones ringing with √(s/ε) is left to the
// formula, which damps it (backward Euler) or does not (trapezoidal rule).
//
// Source: specs/nasa-4-stabilization.md §2.4, §3.2: 004 paper 4 eqs. (24)-(31). Cost: a sparse factorisation and a
// solution a trial.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/sparse.h"
#include "mortise/integrate/trapezoidal/implicit_formula.h"
#include "mortise/system/system.h"

namespace mortise::integrate {

// What a trial of the new time knows.
struct Trial {
  const Evaluation& at;  // rows and masses
  const Vector& free_a;  // M⁻¹Q
  const Vector& free_v;  // h_v + δ M⁻¹Q
  const Vector& back;    // h_q − q_p
  double delta = 0;
};

// What the old time leaves.
struct Settled {
  const Evaluation& at;
  const Vector& a;
  double delta = 0;  // of the step that ended there; 0: none did
};

class ImplicitMultipliers {
 public:
  virtual ~ImplicitMultipliers() = default;

  // λ at the first of all old times.
  virtual void begin(const Settled& at, ConstSpan lambda) = 0;
  // λ⁺ at a trial. False: `refusal` tells why there is none.
  virtual bool solve(const Trial& trial) = 0;
  const gauss::Refusal& refusal() const { return refusal_; }
  // The trial was accepted.
  virtual void accept(const Settled& at) = 0;
  // Rows were switched at the old time: those that stay keep what they have, new ones begin where the others would be.
  virtual void switch_rows(const Settled& at) = 0;

  const Vector& lambda() const { return lambda_; }
  // 1 / condition of what was last solved with; 0: nobody looked.
  virtual double reciprocal_condition() const { return 0; }
  virtual double epsilon(int /*row*/) const { return 0; }

  virtual void save(Memory& memory, const std::string& slot) const = 0;
  virtual void load(const Memory& memory, const std::string& slot) = 0;

 protected:
  Vector lambda_;
  gauss::Refusal refusal_;
};

enum class SoftScheme { anchored_iterated, anchored, history };

struct SoftSettings {
  SoftScheme scheme = SoftScheme::anchored_iterated;
  ImplicitFormula formula = ImplicitFormula::trapezoidal;
  // Of all rows; 0: share · δ²/s² (H), share · δ²/(T s²) (N), with the nominal row scale s, T = (typical φ)/(typical φ̇)
  // of the row, and δ of a whole step.
  double epsilon = 0;
  double share = 1e-2, step = 0;
};

class SoftMultipliers final : public ImplicitMultipliers {
 public:
  SoftMultipliers(const gauss::Pattern& pattern, const SoftSettings& settings, const linalg::RankPolicy& policy);

  void begin(const Settled& at, ConstSpan lambda) override;
  bool solve(const Trial& trial) override;
  void accept(const Settled& at) override;
  void switch_rows(const Settled& at) override;
  double epsilon(int row) const override { return epsilon_[index(row)]; }
  const Vector& rates() const { return rate_; }  // λ̇, of the history scheme

  void save(Memory& memory, const std::string& slot) const override;
  void load(const Memory& memory, const std::string& slot) override;

 private:
  bool holonomic(int row) const { return pattern_.rows[index(row)].kind != gauss::RowKind::nonholonomic; }
  void take_anchors(const Settled& at);

  const gauss::Pattern& pattern_;
  SoftSettings settings_;
  linalg::RankPolicy policy_;
  std::unique_ptr<gauss::SparseFactor> factor_;
  std::vector<double> epsilon_, kappa_;
  std::vector<unsigned char> active_;
  Vector old_, rate_;            // λ and λ̇ of the old time; λ̇ = (what the rows miss)/ε there
  Vector anchor_, anchor_rate_;  // φ and φ̇, ψ and A a − b there
  Vector Aw_, right_, work_;
};

}  // namespace mortise::integrate
