// The comparisons of Park and Chiou (stabilization of computational procedures) and of Park, Chiou and Downer
// (staggered solution procedures): pendulum, crank, three links that lock straight, and cases of our own where A loses
// rank. Sources: specs/nasa-4-stabilization.md §4, nasa-1-staggered.md §4A, §4D. Systems and drivers are those of the
// tests.
#include "integrate/three_links_run.h"
#include "report.h"

namespace {

using namespace mortise;
using namespace mortise::test;
using integrate::ImplicitSettings;
using papers::Report;

struct Named {
  std::string name;
  ImplicitSettings how;
};

std::string seconds(double h) {
  char text[20];
  std::snprintf(text, sizeof text, "h = %g", h);
  return text;
}

// What is left of the rows, or how the run ended.
void put_left(Report& out, const std::string& table, const std::string& row, const std::string& column,
              ImplicitRun& run, double T) {
  const std::string end = ended_by(run, T);
  if (end.empty()) {
    out.put(table, row, column, run.worst_phi);
    out.put(table, row, column + " rms", run.rms_phi());
  } else {
    out.put(table, row, column, end);
  }
}

void pendulum(Report& out) {
  const Named methods[] = {{"history ε = 1e-6", scheme("history")},
                           {"anchored ε = 1e-6", scheme("anchored")},
                           {"anchored ε = 1e-8", scheme("anchored", 1e-8)},
                           {"anchored-iterated ε = 1e-6", scheme("anchored-iterated")},
                           {"baumgarte-explicit 10", baumgarte("explicit", 10)},
                           {"baumgarte-explicit 20", baumgarte("explicit", 20)},
                           {"baumgarte-explicit 50", baumgarte("explicit", 50)},
                           {"baumgarte-implicit 10", baumgarte("implicit", 10)},
                           {"baumgarte-implicit 70", baumgarte("implicit", 70)},
                           {"baumgarte-implicit 200", baumgarte("implicit", 200)},
                           {"baumgarte-integral 20", baumgarte("integral", 20)}};
  const PointPendulum system;
  for (const Named& m : methods)
    for (const double h : {0.02, 0.01, 0.005}) {
      ImplicitRun run(system, at_rest(1, 0), h, m.how);
      put_left(out, "pendulum", m.name, seconds(h), run, 10);
    }
  const auto worst = [&](const ImplicitSettings& how) {
    ImplicitRun run(system, at_rest(1, 0), 0.01, how);
    return run.to(10).worst_phi;
  };
  out.claim(100 * worst(scheme("anchored", 1e-8)) < worst(baumgarte("explicit", 10)),
            "two orders of magnitude between anchored multipliers and explicit feedback");
  out.claim(worst(baumgarte("implicit", 70)) < 1.1 * worst(scheme("anchored")), "implicit feedback closes that gap");
}

void correctors(Report& out) {
  struct Cell {
    double tolerance, h;
  };
  const PointPendulum system;
  for (const Cell& c : {Cell{1e-6, 0.05}, {1e-6, 0.02}, {1e-8, 0.05}, {1e-8, 0.01}}) {
    char row[40];
    std::snprintf(row, sizeof row, "%g h = %g", c.tolerance, c.h);
    const Named methods[] = {{"anchored ε = 1e-6", scheme("anchored")},
                             {"baumgarte-explicit 5", baumgarte("explicit", 5)},
                             {"baumgarte-explicit 10", baumgarte("explicit", 10)},
                             {"baumgarte-explicit 20", baumgarte("explicit", 20)},
                             {"baumgarte-implicit 10", baumgarte("implicit", 10)}};
    double soft = 0;
    for (const Named& m : methods) {
      ImplicitSettings how = m.how;
      how.correctors = converged;
      ImplicitRun run(system, at_rest(1, 0), c.h, how, ImplicitRun::Formula::trapezoidal, c.tolerance);
      const std::string end = ended_by(run, 5);
      if (end.empty())
        out.put("correctors", row, m.name, run.mean_trials());
      else
        out.put("correctors", row, m.name, end);
      if (soft == 0) soft = run.mean_trials();
      if (end.empty() && m.how.scheme == "baumgarte-explicit")
        out.claim(soft <= run.mean_trials(), "fewer solutions than explicit feedback: " + m.name);
    }
  }
}

void crank(Report& out) {
  const Crank system;
  const Named methods[] = {{"history ε = 1e-6", scheme("history")},
                           {"anchored ε = 1e-6", scheme("anchored")},
                           {"anchored ε = 1e-6 one corrector", scheme("anchored", 1e-6, 1)},
                           {"anchored ε = 1e-8", scheme("anchored", 1e-8)},
                           {"anchored ε = 1e-8 one corrector", scheme("anchored", 1e-8, 1)},
                           {"anchored-iterated ε = 1e-8 one corrector", scheme("anchored-iterated", 1e-8, 1)},
                           {"baumgarte-explicit 5", baumgarte("explicit", 5)},
                           {"baumgarte-explicit 20", baumgarte("explicit", 20)},
                           {"baumgarte-explicit 30", baumgarte("explicit", 30)},
                           {"baumgarte-explicit 70", baumgarte("explicit", 70)},
                           {"baumgarte-implicit 10", baumgarte("implicit", 10)},
                           {"baumgarte-implicit 70", baumgarte("implicit", 70)},
                           {"baumgarte-implicit 200", baumgarte("implicit", 200)}};
  for (const Named& m : methods)
    for (const double T : {0.82, 8.2}) {
      ImplicitRun run(system, Crank::start(), 0.01, m.how);
      put_left(out, "crank", m.name, T < 1 ? "one turn" : "8.2 s", run, T);
    }
}

// `deploy` with the tip at the end.
struct Deployed {
  Deployment d;
  Eigen::Vector2d tip;
};
Deployed deploy_and_look(const ImplicitSettings& how, double h, double tolerance) {
  const ThreeLinks system;
  ImplicitRun run(system, ThreeLinks::start(), h, how, ImplicitRun::Formula::trapezoidal, tolerance);
  const Deployment d = deploy_links(
      run, 2, [](const Vector& q, int joint) { return joint == 0 ? 1 : ThreeLinks::bend(q, joint); },
      [&](int joint) {
        run.state.active[index(ThreeLinks::links + joint - 1)] = 1;
        run.integrator.switch_rows(run.state.active);
      });
  return {d, run.state.q.tail<2>()};
}

void links(Report& out) {
  // Steps so short that it does not matter in which of them a link is locked.
  const Deployed fine = deploy_and_look(scheme("anchored-iterated", 1e-8, converged), 1e-4, 1e-10);
  out.claim(fine.d.end.empty(), "links: the reference reaches the end");
  const Named methods[] = {{"anchored-iterated ε = 1e-6", scheme("anchored-iterated", 1e-6, converged)},
                           {"baumgarte-explicit 20", baumgarte("explicit", 20, converged)},
                           {"baumgarte-implicit 50", baumgarte("implicit", 50, converged)}};
  for (const Named& m : methods)
    for (const double h : {0.01, 0.005})
      for (const double tolerance : {1e-4, 1e-6}) {
        const Deployed deployed = deploy_and_look(m.how, h, tolerance);
        const Deployment& d = deployed.d;
        char text[60];
        std::snprintf(text, sizeof text, " h = %g tolerance %g", h, tolerance);
        const std::string row = m.name + text;
        out.put("links", row, "locks", std::max(d.lock[1], d.lock[2]));
        out.put("links", row, "mean", d.mean);
        out.put("links", row, "most", d.most);
        out.put("links", row, "left", d.worst_phi);
        out.put("links", row, "tip", (deployed.tip - fine.tip).norm());
        out.put("links", row, "lambda", d.largest_lambda);
        out.put("links", row, "condition", d.worst_condition);
        out.put("links", row, "reached", d.t);
        out.put("links", row, "end", d.end);
        if (m.how.scheme == "anchored-iterated")
          out.claim(d.end.empty() && d.most <= 10, "soft multipliers pass the lock: " + row);
        if (m.how.scheme == "baumgarte-implicit")
          out.claim(d.end == "S485" && d.t > 1.11 && d.t < 1.5, "implicit feedback is stopped after the lock: " + row);
      }
}

void pinned(Report& out) {
  const Named methods[] = {{"history ε = 1e-6", scheme("history", 1e-6, converged)},
                           {"anchored-iterated ε = 1e-6", scheme("anchored-iterated", 1e-6, converged)},
                           {"baumgarte-explicit 70", baumgarte("explicit", 70, converged)}};
  for (const bool redundant : {false, true})
    for (const Named& m : methods)
      for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
        const Deployment d = deploy_pinned(m.how, 0.01, tolerance, redundant);
        char text[60];
        std::snprintf(text, sizeof text, " tolerance %g%s", tolerance, redundant ? " with the tip row" : "");
        const std::string row = m.name + text;
        out.put("pinned", row, "mean", d.mean_ever);
        out.put("pinned", row, "most", d.most_ever);
        out.put("pinned", row, "lambda", d.largest_lambda);
        out.put("pinned", row, "reached", d.t);
        out.put("pinned", row, "end", d.end);
        if (redundant && m.how.scheme == "history")
          out.claim(d.end.empty() && d.largest_lambda < 10, "soft multipliers carry the row too many: " + row);
        if (redundant && m.how.scheme == "baumgarte-explicit" && tolerance < 1e-4)
          out.claim(d.end == "S485", "Baumgarte's S is singular from the second lock on: " + row);
      }
}

void rank(Report& out) {
  const PointPendulum two(2);
  for (const Named& m : {Named{"anchored-iterated ε = 1e-6", scheme("anchored-iterated", 1e-6, 2)},
                         {"baumgarte-explicit 10", baumgarte("explicit", 10)},
                         {"baumgarte-implicit 10", baumgarte("implicit", 10)}}) {
    ImplicitRun run(two, at_rest(1, 0), 0.01, m.how);
    const std::string end = ended_by(run, 10);
    out.put("rank", "row twice: " + m.name, "reached", run.integrator.t());
    out.put("rank", "row twice: " + m.name, "end", end);
    out.put("rank", "row twice: " + m.name, "left", end.empty() ? run.worst_phi : 0);
  }
  const PointSlider slider;
  for (const Named& m : {Named{"anchored-iterated ε = 1e-8", scheme("anchored-iterated", 1e-8, 3)},
                         {"baumgarte-explicit 20", baumgarte("explicit", 20)},
                         {"baumgarte-implicit 50", baumgarte("implicit", 50)}})
    for (const double h : {0.01, 0.002}) {
      ImplicitRun run(slider, PointSlider::start(), h, m.how);
      const std::string end = ended_by(run, 1), row = "dead point: " + m.name + " " + seconds(h);
      out.put("rank", row, "reached", run.integrator.t());
      out.put("rank", row, "end", end);
      out.put("rank", row, "left", run.worst_phi);
      out.put("rank", row, "x2", run.state.q[2]);
      out.put("rank", row, "lambda", run.worst_lambda);
    }
}

void blade(Report& out) {
  const Blade system;
  for (const char* name : {"anchored-iterated", "anchored", "history"})
    for (const double h : {0.1, 0.05, 0.025}) {
      ImplicitRun run(system, Blade::start(), h, scheme(name));
      run.to(10);
      out.put("blade", name, seconds(h), (run.state.q.head<2>() - Blade::place(10)).norm());
      out.put("blade", name, seconds(h) + " left", run.worst_phi);
    }
}

// Roots of one mode, s = 1, h = 0.01.
void modes(Report& out) {
  using integrate::ImplicitFormula;
  struct Line {
    std::string name;
    gauss::RowKind kind;
    ImplicitFormula formula;
    ImplicitSettings how;
  };
  const auto H = gauss::RowKind::holonomic, N = gauss::RowKind::nonholonomic;
  std::vector<Line> lines;
  for (const auto formula : {ImplicitFormula::trapezoidal, ImplicitFormula::backward_euler})
    for (const auto kind : {H, N})
      for (const Named& m : {Named{"history", scheme("history")},
                             {"anchored", scheme("anchored")},
                             {"baumgarte-implicit 20", baumgarte("implicit", 20)},
                             {"baumgarte-explicit 20", baumgarte("explicit", 20)},
                             {"baumgarte-explicit 120", baumgarte("explicit", 120)},
                             {"baumgarte-integral 20", baumgarte("integral", 20)}})
        if (kind == H || !m.how.scheme.ends_with("integral"))
          lines.push_back({std::string(formula == ImplicitFormula::trapezoidal ? "trapezoidal" : "backward Euler") +
                               (kind == H ? " · holonomic · " : " · rolling · ") + m.name,
                           kind, formula, m.how});
  for (const Line& l : lines) {
    const integrate::ModeRoots roots = integrate::discrete_roots({l.kind, 1, 0.01, l.formula, l.how});
    std::string text;
    for (const std::complex<double>& z : roots) {
      if (z.imag() < 0) continue;
      char number[60];
      if (z.imag() > 1e-12)
        std::snprintf(number, sizeof number, "%s%.4f ± %.4fi", text.empty() ? "" : "; ", z.real(), z.imag());
      else
        std::snprintf(number, sizeof number, "%s%.4f", text.empty() ? "" : "; ", z.real());
      text += number;
    }
    out.put("modes", l.name, "roots", text);
    out.put("modes", l.name, "radius", integrate::spectral_radius(roots));
  }
}

}  // namespace

int main() {
  Report out;
  pendulum(out);
  correctors(out);
  crank(out);
  links(out);
  pinned(out);
  rank(out);
  blade(out);
  modes(out);
  return out.exit_code();
}
