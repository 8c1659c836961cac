#include "mortise/analysis/state_space.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/quantity.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

namespace {

// Outputs at a state, from a whole frame.
class Outputs {
 public:
  Outputs(const mechanism::Mechanism& m, const std::vector<std::string>& names)
      : formulation_(make_formulation(m.model().analysis)),
        stabilizer_(stabilize::make_stabilizer("none")),
        motion_(m, *formulation_, *stabilizer_, rank_policy(m.model().analysis)),
        rule_(m, m.model().analysis.reactions, rank_policy(m.model().analysis)),
        observer_(m, motion_, false) {
    for (const std::string& name : names) quantities_.push_back(analysis::find_quantity(m, name));
    observer_.set_rule(&rule_);
    observer_.resize(frame_);
  }

  const std::vector<Quantity>& quantities() const { return quantities_; }
  Vector at(State state) {
    motion_.set_active(state.active);
    observer_.observe(state, frame_);
    Vector y(static_cast<Eigen::Index>(quantities_.size()));
    for (std::size_t k = 0; k < quantities_.size(); ++k)
      y[static_cast<Eigen::Index>(k)] = quantities_[k].value(frame_, observer_.motions());
    return y;
  }

 private:
  std::vector<Quantity> quantities_;
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;
  ReactionRule rule_;
  Observer observer_;
  Frame frame_;
};

// Where it is linearised, and what is out of balance there.
State place_of(const mechanism::Mechanism& m, bool here) {
  if (!here) return run_statics(m).state;
  State state = run_assembly(m).state;
  state.v.setZero();
  return state;
}

std::string matrix_text(const char* name, const Matrix& X) {
  if (X.size() == 0) return fmt::format("{} = zeros({}, {});\n", name, X.rows(), X.cols());
  std::string text = fmt::format("{} = [\n", name);
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    for (Eigen::Index j = 0; j < X.cols(); ++j) text += fmt::format(" {:.17g}", X(i, j));
    text += i + 1 < X.rows() ? ";\n" : "];\n";
  }
  return text;
}

std::string names_text(const char* name, const std::vector<std::string>& names) {
  std::string text = fmt::format("{} = {{", name);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::string quoted;
    for (const char c : names[k]) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    text += fmt::format("{}'{}'", k ? ", " : "", quoted);
  }
  return text + "};\n";
}

}  // namespace

StateSpace state_space(const mechanism::Mechanism& m, const std::vector<std::string>& outputs, bool here) {
  const model::AnalysisSettings& settings = m.model().analysis;
  Outputs seen(m, outputs);  // first: a wrong name costs no search for an equilibrium
  StateSpace out;
  out.state = place_of(m, here);
  Linearizer linearizer(m, settings);
  const Linearization at = linearizer.at(out.state, true);
  const Matrix forces = linearizer.input_forces(out.state, at.N);
  const Eigen::Index f = at.N.cols(), inputs = forces.cols();
  out.N = at.N;
  out.inputs = m.model().input_names;
  out.u = out.state.inputs;
  const double loads = std::max(at.load, 1e-300);
  out.unbalanced = f ? (at.N * at.force).cwiseProduct(linearizer.tangent().sizes()).cwiseAbs().maxCoeff() / loads : 0;
  for (Eigen::Index k = 0; k < f; ++k) out.motions.push_back(motion_in_words(m, out.state, at.N.col(k)));

  const Eigen::LLT<Matrix> mass(at.M);
  if (f > 0 && mass.info() != Eigen::Success) throw SolveError(no_mass(m, out.state, at));
  out.A.setZero(2 * f, 2 * f);
  out.B.setZero(2 * f, inputs);
  if (f > 0) {
    out.A.topRightCorner(f, f).setIdentity();
    out.A.bottomLeftCorner(f, f) = -mass.solve(at.K);
    out.A.bottomRightCorner(f, f) = -mass.solve(at.C);
    if (inputs > 0) out.B.bottomRows(f) = mass.solve(forces);
  }
  if (outputs.empty()) {
    out.C.setIdentity(f, 2 * f);
    out.D.setZero(f, inputs);
    out.y.setZero(f);
    for (Eigen::Index k = 0; k < f; ++k) out.outputs.push_back(fmt::format("p{}", k + 1)), out.units.push_back("m");
    return out;
  }
  for (const Quantity& q : seen.quantities()) out.outputs.push_back(q.name), out.units.push_back(q.unit);
  out.y = seen.at(out.state);
  const Eigen::Index rows = out.y.size();
  out.C.resize(rows, 2 * f);
  out.D.resize(rows, inputs);
  const double move = 1e-3 * m.characteristic_length(), speed = linearizer.speed();
  for (Eigen::Index k = 0; k < f; ++k) {
    const Vector u = at.N.col(k);
    out.C.col(k) = slope(
        [&](double s) {
          State there = out.state;
          const Vector step = s * u;
          m.retract(as_span(out.state.q), as_span(step), as_span(there.q));
          return seen.at(std::move(there));
        },
        move);
    out.C.col(f + k) = slope(
        [&](double s) {
          State there = out.state;
          there.v = s * u;
          return seen.at(std::move(there));
        },
        speed);
  }
  for (Eigen::Index k = 0; k < inputs; ++k)
    out.D.col(k) = slope(
        [&](double s) {
          State there = out.state;
          there.inputs[k] += s;
          return seen.at(std::move(there));
        },
        input_step(out.state.inputs[k]));
  return out;
}

std::string state_space_script(const StateSpace& s) {
  std::string text = "% dx/dt = A x + B u, y = C x + D u; x = (p, dp/dt), u and y are changes from u0 and y0.\n";
  text += matrix_text("A", s.A) + matrix_text("B", s.B) + matrix_text("C", s.C) + matrix_text("D", s.D);
  text += matrix_text("u0", s.u) + matrix_text("y0", s.y);
  return text + names_text("inputs", s.inputs) + names_text("outputs", s.outputs) + names_text("motions", s.motions);
}

}  // namespace mortise::analysis
