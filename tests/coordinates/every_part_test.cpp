// Random models of all joints, drivers and forces: the accelerations are the same in all coordinates, with friction by
// the reactions of joints that a tree fulfils, bodies held in planes, switched-off joints and copies among them.
#include <gtest/gtest.h>

#include <cstdio>

#include "mortise/analysis/assemble.h"
#include "mortise/coordinates/coordinate_system.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/memory_run.h"
#include "support/random_model.h"
#include "support/random_trial.h"

namespace mortise::test {
namespace {

// Accelerations of the mechanism by a motion of its own or of a mapped system.
struct Solved {
  Vector a;
  linalg::Rank rank;
  bool conflict = false;
};

Solved solve(const System& system, State state, const coordinates::CoordinateSystem* map) {
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  const auto stabilizer = stabilize::make_stabilizer("none", {});
  Motion motion(system, *formulation, *stabilizer, {});
  gauss::GaussSolution solution;
  solution.resize(system.pattern());
  motion.accelerate(state, solution);
  Solved out{solution.a, solution.rank, false};
  for (const gauss::RowVerdict verdict : solution.verdicts)
    out.conflict = out.conflict || verdict == gauss::RowVerdict::conflicting;
  if (!map) return out;
  const auto scratch = map->make_scratch();
  Evaluation evaluation;
  evaluation.resize(map->pattern());
  map->evaluate(state, need_dynamics, *scratch, evaluation);
  out.a.setZero(map->mechanism().v_size());
  map->lift_acceleration(as_span(solution.a), *scratch, as_span(out.a));
  return out;
}

// Drawn once for all choices: most of the time goes into finding models that can be closed.
const std::vector<std::string>& models() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> out;
    for (std::uint64_t seed = 0; seed < 120; ++seed)
      out.push_back(
          random_model(seed, [](const model::ModelBuilder& so_far) { return try_assembly(so_far).code.empty(); }));
    return out;
  }();
  return texts;
}

class EveryPart : public testing::TestWithParam<std::string> {};

TEST_P(EveryPart, AcceleratesAsInAbsoluteCoordinates) {
  int compared = 0, fed_back = 0, not_unique = 0, fewer_rows = 0, not_finite = 0;
  double worst = 0;
  for (const std::string& text : models()) {
    std::unique_ptr<mechanism::Mechanism> m;
    State start;
    Solved wanted;
    try {
      m = compile(text);
      start = m->initial_state();
      analysis::assemble(*m, start, {});
      wanted = solve(*m, start, nullptr);
    } catch (const std::runtime_error&) {
      continue;  // a model with a mistake, or one that cannot be closed or solved: another test's subject
    }
    if (wanted.conflict) continue;
    SCOPED_TRACE(text);
    const auto system = coordinates::make_coordinates(GetParam(), *m, start);
    State mapped;
    system->lower(start, mapped);
    // At the same bits: some forces jump, and a distance that was rounding may be zero, which has no derivative.
    system->lift(mapped, start);
    try {
      wanted = solve(*m, start, nullptr);
    } catch (const SolveError& error) {
      EXPECT_EQ(error.report().code, "S410");
      ++not_finite;
      continue;
    }
    const Solved found = solve(*system, mapped, system.get());
    // Friction by reactions that are not unique is not unique, either.
    if (m->feedback_size() > 0 && wanted.rank.redundant() > 0) {
      ++not_unique;
      continue;
    }
    const double off = (found.a - wanted.a).cwiseAbs().maxCoeff() / std::max(1.0, wanted.a.cwiseAbs().maxCoeff());
    EXPECT_LT(off, 1e-10) << "rank " << wanted.rank.rank << " and " << found.rank.rank;
    worst = std::max(worst, off);
    ++compared;
    fed_back += m->feedback_size() > 0;
    fewer_rows += system->pattern().m() < m->pattern().m();
  }
  std::printf("%s: %d models compared, %d with loads by reactions, %d with fewer rows, off by %.1e; %d not unique\n",
              GetParam().c_str(), compared, fed_back, fewer_rows, worst, not_unique);
  EXPECT_GT(compared, 60);
  EXPECT_LE(not_finite, 1);
  EXPECT_GT(fed_back, 3);
}

INSTANTIATE_TEST_SUITE_P(Choices, EveryPart, testing::Values("absolute", "euler-angles", "tree", "natural"),
                         [](const auto& info) { return info.param == "euler-angles" ? "euler_angles" : info.param; });

}  // namespace
}  // namespace mortise::test
