// The two examples of Blajer, Bestle and Schiehlen: a four-bar cut open at its far pivot (a) or in the middle (b), and
// the same chain with its tip on a line, in two local coordinates (a) or one (b). Closed forms of the complement D
// against the computed N, accelerations and reactions, and ten seconds with the complement chosen at every pose or laid
// down. Source: specs/orthogonal-complement.md §4; O-A2, O-A3, O-A5, O-A8.
#include "support/blajer.h"

#include <array>
#include <random>

#include "mortise/error.h"
#include "mortise/gauss/gigsp.h"
#include "mortise/gauss/orthogonal_complement.h"
#include "mortise/integrate/integrator.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "report.h"

namespace {

using namespace mortise;
using namespace mortise::gauss;
using namespace mortise::test;
using papers::Report;
using Form = OrthogonalComplement::Form;
using Coordinates = BlajerLine::Coordinates;

constexpr double degree = std::numbers::pi / 180, alpha = 30 * degree;

double condition(const Matrix& J) {
  const Vector sigma = Eigen::JacobiSVD<Matrix>(J).singularValues();
  return sigma[0] / sigma[sigma.size() - 1];
}

// J₂: the columns of J that are not complementary.
Matrix dependent_columns(const Matrix& J, const std::vector<int>& y) {
  Matrix out(J.rows(), J.cols() - static_cast<int>(y.size()));
  for (int j = 0, c = 0; j < J.cols(); ++j)
    if (std::find(y.begin(), y.end(), j) == y.end()) out.col(c++) = J.col(j);
  return out;
}

struct Solved {
  GaussSolution solution;
  Matrix N;
  std::vector<int> y;
};

Solved solve(Instant& at, const std::vector<int>& y) {
  OrthogonalComplementFactor factor(at.system.pattern(), Form::minimal);
  factor.set_complementary(y);
  if (!factor.factor(at.problem(), {})) throw std::runtime_error("refused");
  Solved out;
  out.solution.resize(at.system.pattern());
  factor.solve(as_span(at.problem().Q), as_span(at.problem().b), out.solution);
  out.N = factor.basis();
  out.y = factor.complementary();
  return out;
}

Vector by_gigsp(Instant& at) {
  const auto factor = Gigsp().prepare(at.system.pattern());
  if (!factor->factor(at.problem(), {})) throw std::runtime_error("refused");
  GaussSolution s;
  s.resize(at.system.pattern());
  factor->solve(as_span(at.problem().Q), as_span(at.problem().b), s);
  return s.a;
}

// The offset of the line through the tip at the pose of the data.
double line_offset() {
  const Eigen::Vector2d tip = ChainData().tip(blajer_pose());
  return tip[0] * std::sin(alpha) - tip[1] * std::cos(alpha);
}

struct Worst {
  double off = 0, rows = 0;  // |D − N| relative to |D|, |A D|
  void see(const Matrix& D, const Matrix& N, const Matrix& A) {
    off = std::max(off, (D - N).norm() / D.norm());
    rows = std::max(rows, (A * D).cwiseAbs().maxCoeff());
  }
};

void closed_forms(Report& report) {
  std::mt19937 random(83);
  std::uniform_real_distribution<double> angle(-3, 3);
  const ChainData data;
  const Eigen::Vector3d& l = data.l;
  const double tangent = std::tan(alpha);
  const BlajerFourBar far(false), middle(true);
  const BlajerLine two(Coordinates::two, alpha, line_offset()), normal(Coordinates::normal, alpha, line_offset());
  std::array<Worst, 5> worst;
  int tried = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector q = Eigen::Vector3d(angle(random), angle(random), angle(random)), still = Vector::Zero(3);
    const double s31 = std::sin(q[2] - q[0]), p31 = std::sin(q[2] + q[0]), c1 = std::cos(q[0] - alpha);
    if (std::min({std::abs(s31), std::abs(p31), std::abs(c1)}) < 0.1) continue;  // there y = θ₂ is no choice
    ++tried;
    const Eigen::Vector3d D_25a(-l[1] * std::sin(q[2] - q[1]) / (l[0] * s31), 1,
                                -l[1] * std::sin(q[1] - q[0]) / (l[2] * s31));
    const Eigen::Vector3d D_25b(-l[1] * std::sin(q[2] + q[1]) / (l[0] * p31), 1,
                                -l[1] * std::sin(q[1] - q[0]) / (l[2] * p31));
    Matrix D_33a(3, 2), D_33b(3, 2);
    D_33a << (std::cos(q[2]) + std::sin(q[2]) * tangent) / (l[0] * s31), D_25a[0], 0, D_25a[1],
        -(std::cos(q[0]) + std::sin(q[0]) * tangent) / (l[2] * s31), D_25a[2];
    D_33b << -l[1] * std::cos(q[1] - alpha) / (l[0] * c1), -l[2] * std::cos(q[2] - alpha) / (l[0] * c1), 1, 0, 0, 1;
    Matrix printed = D_33b;
    printed(0, 1) = -printed(0, 1);
    Instant a(far, q, still), b(middle, q, still), line_a(two, q, still), line_b(normal, q, still);
    const Matrix N = solve(line_b, {1, 2}).N, A = line_b.problem().dense_A();
    worst[0].see(D_25a, solve(a, {1}).N, a.problem().dense_A());
    worst[1].see(D_25b, solve(b, {1}).N, b.problem().dense_A());
    worst[2].see(D_33a, solve(line_a, {1}).N, line_a.problem().dense_A());
    worst[3].see(printed, N, A);
    worst[4].see(D_33b, N, A);
  }
  const std::array<std::string, 5> names{"25a", "25b", "33a", "33b as printed", "33b with a minus"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    report.put("closed forms", names[k], "off", worst[k].off);
    report.put("closed forms", names[k], "rows", worst[k].rows);
    report.put("closed forms", names[k], "poses", tried);
    if (k == 3)
      report.claim(worst[k].rows > 1, "(33b) as printed fails");
    else
      report.claim(worst[k].off < 1e-12 && worst[k].rows < 1e-12, "O-A2: closed form " + names[k]);
  }
  report.claim(tried > 500, "enough poses");
}

void put_vector(Report& report, const std::string& table, const std::string& row, const std::string& name,
                const Vector& x) {
  for (int j = 0; j < x.size(); ++j) report.put(table, row, name + std::to_string(j + 1), x[j]);
}

Vector start_velocity() {
  const BlajerFourBar system;
  Instant at(system, blajer_pose(), Vector::Zero(3));
  return 1.5 * solve(at, {1}).N.col(0);
}

void four_bar_data(Report& report) {
  const BlajerFourBar far(false), middle(true);
  const Vector v = start_velocity(), mirror = Eigen::Vector3d(1, 1, -1);
  const Eigen::Vector3d sheet(-3.460994570, 3.504215054, 0.680210062);
  for (const bool cut_b : {false, true}) {
    // Cut (b) measures θ₃ the other way round.
    const Vector turn = cut_b ? mirror : Vector::Ones(3);
    Instant at(cut_b ? middle : far, blajer_pose().cwiseProduct(turn), v.cwiseProduct(turn));
    for (int y = 0; y < 3; ++y) {
      const Solved s = solve(at, {y});
      const std::string row = std::string(cut_b ? "b" : "a") + " theta" + std::to_string(y + 1);
      put_vector(report, "four-bar", row, "D", s.N.col(0).cwiseProduct(turn));
      put_vector(report, "four-bar", row, "a", s.solution.a.cwiseProduct(turn));
      put_vector(report, "four-bar", row, "force", local_reactions(at.local(), as_span(s.solution.lambda)));
      report.put("four-bar", row, "condition", condition(dependent_columns(at.local().J, {y})));
      report.put("four-bar", row, "off gigsp", (s.solution.a - by_gigsp(at)).cwiseAbs().maxCoeff());
      report.claim((s.solution.a.cwiseProduct(turn) - sheet).cwiseAbs().maxCoeff() < 1e-9, "O-A3: " + row);
      report.claim((s.solution.a - by_gigsp(at)).cwiseAbs().maxCoeff() < 1e-12, "O-A3: as gigsp, " + row);
    }
  }
}

void line_data(Report& report) {
  const BlajerLine two(Coordinates::two, alpha, line_offset()), normal(Coordinates::normal, alpha, line_offset());
  // θ̇₂ = 1, θ̇₃ = −0.5, and θ̇₁ as the line wants it.
  const ChainData data;
  const Vector q = blajer_pose();
  Vector v = Eigen::Vector3d(0, 1, -0.5);
  v[0] = -(data.l[1] * std::cos(q[1] - alpha) * v[1] + data.l[2] * std::cos(q[2] - alpha) * v[2]) /
         (data.l[0] * std::cos(q[0] - alpha));
  const Eigen::Vector3d sheet(-3.8799249191, 1.6151673033, -9.0838447309);
  Vector force;
  for (const bool one : {false, true}) {
    Instant at(one ? normal : two, q, v);
    const Solved s = solve(at, one ? std::vector<int>{1, 2} : std::vector<int>{1});
    const std::string row = one ? "b" : "a";
    put_vector(report, "line", row, "a", s.solution.a);
    report.put("line", row, "lambda0", -s.solution.lambda[0]);
    const Vector pull = -at.problem().dense_A().transpose() * s.solution.lambda;
    // What the line does to the tip: Ĉᵀλ₀, a vector in (a), a number along the normal in (b).
    report.put("line", row, "force", local_reactions(at.local(), as_span(s.solution.lambda)).norm());
    if (one) report.claim((pull - force).norm() < 1e-12 * force.norm(), "O-A8: the same forces in both coordinates");
    force = pull;
    report.claim((s.solution.a - sheet).cwiseAbs().maxCoeff() < 1e-9, "O-A8: accelerations, case " + row);
    report.claim(std::abs(-s.solution.lambda[0] - (one ? -12.5416669179 : 10.8614021567)) < 1e-9, "O-A8: case " + row);
  }
  const double upright = std::numbers::pi / 2, x = data.tip(q)[0];
  std::string refused = "solved";
  try {
    BlajerLine(Coordinates::two, upright, x);
  } catch (const LocalRankDeficient&) {
    refused = "refused";
  }
  const BlajerLine wall(Coordinates::normal, upright, x);
  Instant at(wall, q, Vector::Zero(3));
  const double off = (solve(at, {}).solution.a - by_gigsp(at)).norm();
  report.put("line", "a", "upright", refused);
  report.put("line", "b", "upright", off < 1e-11 ? "solved" : "wrong");
  report.claim(refused == "refused" && off < 1e-11, "O-A8: an upright line needs the normal coordinate");
}

// What the factor chose at every evaluation of a run.
struct Log {
  int changes = 0;
  double worst_condition = 0;
  std::vector<int> y;
};

class LoggedFactor final : public Factor {
 public:
  LoggedFactor(const Pattern& pattern, Log& log, const std::vector<int>& y)
      : factor_(pattern, Form::minimal), log_(log) {
    factor_.set_complementary(y);
  }
  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    if (!factor_.factor(problem, policy)) {
      refusal_ = factor_.refusal();
      return false;
    }
    log_.changes += !log_.y.empty() && log_.y != factor_.complementary();
    log_.y = factor_.complementary();
    log_.worst_condition = std::max(log_.worst_condition, condition(dependent_columns(problem.local->J, log_.y)));
    return true;
  }
  void solve(ConstSpan Q, ConstSpan b, GaussSolution& s) override { factor_.solve(Q, b, s); }

 private:
  OrthogonalComplementFactor factor_;
  Log& log_;
};

struct Logged final : Formulation {
  Log& log;
  std::vector<int> y;
  Logged(Log& l, std::vector<int> fixed) : log(l), y(std::move(fixed)) {}
  std::string name() const override { return "logged"; }
  Capabilities can() const override { return OrthogonalComplement().can(); }
  std::unique_ptr<Factor> prepare(const Pattern& p) const override { return std::make_unique<LoggedFactor>(p, log, y); }
};

// The reference motion of the sheet.
struct Reference {
  double t;
  std::array<double, 6> y;
};
const std::array<Reference, 4> reference{
    {{1, {0.0266652751, -2.2674513484, 0.2888263993, 4.7438518989, -2.7817680726, -4.9513326803}},
     {2, {0.3789379600, 0.9781199832, -1.2929682032, -3.3718407177, 5.4838843955, 1.9129890684}},
     {5, {1.3477833248, -0.1362113746, -0.9850080507, -1.3298609817, 1.6024646170, -1.3579454295}},
     {10, {1.5246902059, -0.8059795731, -0.5133135364, 1.6226106144, 6.2767978979, -3.1362322993}}}};

void ten_seconds(Report& report, const std::string& row, const std::string& stabilization, const std::vector<int>& y) {
  const BlajerFourBar system;
  Log log;
  const Logged formulation(log, y);
  const auto stabilizer = stabilize::make_stabilizer(stabilization);
  Motion motion(system, formulation, *stabilizer, {});
  const auto integrator = integrate::make_integrator("rk78", {1e-9, 0, 0, 0});
  Vector state = Vector::Zero(motion.size());
  state.head(3) = blajer_pose();
  state.segment(3, 3) = start_velocity();
  double E0 = 0, energy = 0, violation = 0;
  const auto look = [&](const Vector& now) {
    Instant at(system, now.head(3), now.segment(3, 3));
    const double E = at.evaluation.kinetic + at.evaluation.potential;
    if (E0 == 0) E0 = E;
    energy = std::max(energy, std::abs(E / E0 - 1));
    violation = std::max(violation, at.evaluation.phi.norm());
  };
  look(state);
  std::string stopped;
  try {
    integrator->start(motion, 0, as_span(state));
    for (const Reference& r : reference) {
      while (integrator->t() < r.t) {
        integrator->step(r.t);
        look(as_vector(integrator->y()));
      }
      double off = 0;
      for (int i = 0; i < 6; ++i)
        off = std::max(off, std::abs(as_vector(integrator->y())[i] - r.y[static_cast<std::size_t>(i)]));
      report.put("run", row, "off " + std::to_string(static_cast<int>(r.t)), off);
      report.claim(r.t > 5 || off < 1e-6, "O-A5: the state of the sheet, " + row);
    }
  } catch (const SolveError& error) {
    stopped = error.report().code;
  }
  report.put("run", row, "stopped", stopped);
  report.put("run", row, "reached", integrator->t());
  report.put("run", row, "condition", log.worst_condition);
  report.put("run", row, "changes", log.changes);
  report.put("run", row, "violation", violation);
  report.put("run", row, "energy", energy);
  report.claim(stopped.empty() && violation < 1e-9 && energy < 1e-7, "O-A5: drift and energy, " + row);
  if (y.empty())
    report.claim(log.changes >= 10 && log.worst_condition < 100, "O-A5: changes and condition, " + row);
  else
    report.claim(log.worst_condition > 100, "a fixed complement comes near to its singular poses, " + row);
}

}  // namespace

int main() {
  Report report;
  closed_forms(report);
  four_bar_data(report);
  line_data(report);
  ten_seconds(report, "automatic projection", "projection", {});
  ten_seconds(report, "automatic baumgarte", "baumgarte", {});
  for (const int y : {0, 1, 2}) ten_seconds(report, "theta" + std::to_string(y + 1) + " baumgarte", "baumgarte", {y});
  return report.exit_code();
}
