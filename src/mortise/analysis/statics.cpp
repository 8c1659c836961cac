#include "mortise/analysis/statics.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "mortise/analysis/contacts.h"
#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/modes.h"
#include "mortise/system/measure.h"

namespace mortise::analysis {

using mechanism::Mechanism;

namespace {

// Differenced matrices are known to about 1e-11 of their largest entry.
linalg::RankPolicy of_differences() {
  linalg::RankPolicy policy;
  policy.relative = 1e-9;
  return policy;
}

class Search {
 public:
  explicit Search(const Mechanism& m)
      : mechanism_(m),
        settings_(m.model().analysis),
        linearizer_(m, settings_),
        length_(m.characteristic_length()),
        closer_(gauss::make_formulation("udwadia-kalaba")) {}

  StaticsResult run() {
    AssemblyOptions how;
    how.positions = settings_.assemble;
    how.allow_flip = settings_.allow_flip;
    how.rank = rank_policy(settings_);
    how.formulation = assembly_formulation(settings_);
    result_.state = mechanism_.initial_state();
    result_.assembly = assemble(mechanism_, result_.state, how);
    result_.state.v.setZero();
    find();
    judge();
    observe();
    return result_;
  }

 private:
  void find() {
    State& state = result_.state;
    double travelled = 0, last = 0;
    for (result_.iterations = 0;; ++result_.iterations) {
      const Linearization at = linearizer_.at(state, false);
      result_.unbalanced = at.load > 0 && at.force.size() ? at.force.cwiseAbs().maxCoeff() / at.load : 0;
      if (at.N.cols() == 0 || result_.unbalanced <= 1e-15) return;
      if (result_.iterations == 500 || travelled > 50 * length_) fail(at, travelled);
      bool newton = false;
      Vector p = step(at, newton);
      Vector u = at.N * p;
      double reach = linearizer_.tangent().reach(u);
      if (reach > 0.2 * length_) {
        p *= 0.2 * length_ / reach;
        u *= 0.2 * length_ / reach;
        reach = 0.2 * length_;
      }
      if (newton && reach <= 1e-12 * length_) {  // what is left is rounding of the forces
        move(state, u);
        result_.last_step = reach;
        return;
      }
      if (newton && reach < 1e-9 * length_ && last > 0 && reach > 0.5 * last) {
        result_.last_step = reach;
        return;
      }
      last = newton ? reach : 0;
      travelled += advance(state, at, p, u, reach, newton);
    }
  }

  // p of (K + σ) p = force; `newton`: σ = 0.
  Vector step(const Linearization& at, bool& newton) const {
    const Matrix symmetric = 0.5 * (at.K + at.K.transpose());
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
    const Vector& kappa = eigen.eigenvalues();
    const double stiffest = kappa.cwiseAbs().maxCoeff();
    const double cut = of_differences().cut(stiffest, 0);
    // Of follower loads K is not symmetric: its own eigenvalues say whether it would fall away.
    double softest = kappa[0];
    if (cautious_ == 0 && (at.K - at.K.transpose()).cwiseAbs().maxCoeff() > 1e-7 * stiffest)
      softest = Eigen::EigenSolver<Matrix>(at.K, false).eigenvalues().real().minCoeff();
    if (softest > -cut && cautious_ == 0 && stiffest > 1e-12 * at.load / length_) {
      const Eigen::JacobiSVD<Matrix> svd(at.K, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const Vector along = svd.matrixU().transpose() * at.force;
      Vector p = Vector::Zero(at.force.size());
      bool held = true;
      for (Eigen::Index k = 0; k < along.size(); ++k) {
        if (svd.singularValues()[k] > cut)
          p += along[k] / svd.singularValues()[k] * svd.matrixV().col(k);
        else if (std::abs(along[k]) > 1e-9 * at.load)
          held = false;  // a force without a stiffness against it
      }
      if (held) {
        newton = true;
        return p;
      }
    }
    newton = false;
    const double shift = std::max(0.0, -1.5 * softest) + std::max(cut, at.force.norm() / (0.2 * length_));
    const Matrix shifted = at.K + shift * Matrix::Identity(at.K.rows(), at.K.cols());
    return shifted.partialPivLu().solve(at.force);
  }

  // Along u, shortened until the forces there do not push back (of Newton's steps: are less); returns how far it went.
  // A step of Newton's that does not help is not taken, and the next few go with the forces.
  double advance(State& state, const Linearization& at, const Vector& p, const Vector& u, double reach, bool newton) {
    const double work = at.force.dot(p);
    const State before = state;
    double share = 1;
    if (cautious_ > 0) --cautious_;
    for (int half = 0; half < 40; ++half, share /= 2) {
      if (newton && half == 8) {
        state = before;
        cautious_ = 4;
        return 0;
      }
      state = before;
      const Vector move_by = share * u;
      if (!move(state, move_by)) continue;
      if (share * reach < 1e-9 * length_) break;
      Linearization there;
      try {
        there = linearizer_.forces_at(state);
      } catch (const SolveError&) {  // a pose without forces, such as a disc that lies flat: not as far as that
        continue;
      }
      if (newton && there.force.norm() < (1 - 0.1 * share) * at.force.norm()) break;
      if (newton) continue;
      // The same motion, seen at the new pose.
      const Vector sizes = linearizer_.tangent().sizes();
      const Vector on = there.N.transpose() * u.cwiseQuotient(sizes).cwiseQuotient(sizes);
      if (there.force.dot(on) > -0.5 * std::abs(work)) break;
    }
    return share * reach;
  }

  // Moves and comes back to the constraints; false when it does not find them.
  bool move(State& state, const Vector& u) {
    mechanism_.retract(as_span(state.q), as_span(u), as_span(state.q));
    const auto scratch = mechanism_.make_scratch();
    Evaluation e;
    e.resize(mechanism_.pattern());
    const auto& sizes = mechanism_.pattern().position_size;
    gauss::GaussProblem problem;
    gauss::GaussSolution solution;
    solution.resize(linearizer_.tangent().pattern());
    const auto factor = closer_->prepare(linearizer_.tangent().pattern());
    const Vector zero = Vector::Zero(mechanism_.v_size());
    double least = 1e300;
    for (int pass = 0; pass < 25; ++pass) {
      mechanism_.evaluate(state, need_constraints, *scratch, e);
      const double error = scaled_max(e.phi, sizes);
      if (!std::isfinite(error)) return false;
      if (error <= 4e-15 || (error < 1e-13 && error > 0.5 * least)) return true;
      least = std::min(least, error);
      e.problem.b.setZero();
      linearizer_.tangent().problem(e, problem);
      for (std::size_t i = 0; i < problem.active.size(); ++i)
        if (problem.pattern->rows[i].kind == gauss::RowKind::nonholonomic) problem.active[i] = 0;
      if (!factor->factor(problem, linearizer_.policy())) return false;
      const Vector right = -e.phi;
      factor->solve(as_span(zero), as_span(right), solution);
      mechanism_.retract(as_span(state.q), as_span(solution.a), as_span(state.q));
    }
    return least < 1e-11;
  }

  void judge() {
    const Linearization at = linearizer_.at(result_.state, false);
    result_.freedoms = static_cast<int>(at.N.cols());
    if (result_.freedoms == 0) return;
    const Eigen::JacobiSVD<Matrix> svd(at.K, Eigen::ComputeFullV);
    const double largest = svd.singularValues()[0];
    const double cut = of_differences().cut(std::max(largest, 1e-3 * at.load / length_), 0);
    int free = 0;
    for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k) free += svd.singularValues()[k] <= cut;
    result_.free_motions = at.N * svd.matrixV().rightCols(free);
    localize(linearizer_.tangent(), result_.free_motions);
    for (int k = 0; k < free; ++k)
      result_.free.push_back(motion_in_words(mechanism_, result_.state, result_.free_motions.col(k)));
    const bool symmetric = (at.K - at.K.transpose()).cwiseAbs().maxCoeff() <= 1e-7 * std::max(largest, cut);
    if (symmetric) {
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (at.K + at.K.transpose()));
      for (Eigen::Index k = 0; k < eigen.eigenvalues().size() && eigen.eigenvalues()[k] < -cut; ++k)
        result_.unstable.push_back(motion_in_words(mechanism_, result_.state, at.N * eigen.eigenvectors().col(k)));
    } else {
      // Follower loads may pump a swing up (flutter) with every stiffness positive: the roots decide.
      const Linearization full = linearizer_.at(result_.state, true);
      for (const Mode& mode : solve_modes(full.M, full.C, full.K, of_differences()))
        if (!mode.rigid && mode.root.real() > 1e-7 * mode.omega)
          result_.unstable.push_back(motion_in_words(mechanism_, result_.state, full.N * mode.real));
    }
    result_.stability = !result_.unstable.empty() ? StaticsResult::Stability::unstable
                        : free > 0                ? StaticsResult::Stability::neutral
                                                  : StaticsResult::Stability::stable;
  }

  // Reactions by the multipliers of least norm; accelerations are zero.
  void observe() {
    const auto stabilizer = make_stabilizer(settings_, mechanism_);
    const auto formulation = make_formulation(settings_);
    Motion motion(mechanism_, *formulation, *stabilizer, rank_policy(settings_));
    Observer observer(mechanism_, motion, false);
    observer.resize(result_.frame);
    const auto scratch = mechanism_.make_scratch();
    Evaluation e;
    e.resize(mechanism_.pattern());
    mechanism_.evaluate(result_.state, need_dynamics | need_energy, *scratch, e);
    gauss::GaussSolution solution;
    solution.resize(mechanism_.pattern());
    solution.lambda = linearizer_.forces_at(result_.state).lambda;
    solution.a.setZero(mechanism_.v_size());
    result_.state.lambda = solution.lambda;
    observer.describe(result_.state, solution, e, result_.frame);
    result_.frame.velocity_error = 0;  // drivers are held: what they ask for at t = 0 is no error
  }

  [[noreturn]] void fail(const Linearization& at, double travelled) const {
    SolveReport report;
    report.code = "S472";
    report.time = result_.state.t;
    report.message =
        travelled > 50 * length_ ? "there is no equilibrium: nothing holds the mechanism" : "no equilibrium was found";
    report.details.push_back(fmt::format("pushed on: {}", motion_in_words(mechanism_, result_.state, at.N * at.force)));
    report.details.push_back(
        fmt::format("out of balance by {:.3g} of the largest load after {} steps; moved by {:.3g} m",
                    result_.unbalanced, result_.iterations, travelled));
    report.advice = "hold this motion with a joint, a driver or a spring, or begin nearer to the equilibrium";
    throw SolveError(report);
  }

  const Mechanism& mechanism_;
  const model::AnalysisSettings& settings_;
  Linearizer linearizer_;
  double length_;
  std::unique_ptr<gauss::Formulation> closer_;
  int cautious_ = 0;  // so many steps go with the forces, whatever the tangent
  StaticsResult result_;
};

}  // namespace

StaticsResult run_statics(const Mechanism& mechanism) {
  refuse_contacts(mechanism, "statics");
  return Search(mechanism).run();
}

}  // namespace mortise::analysis
