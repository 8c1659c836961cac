#include "mortise/analysis/methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "mortise/analysis/force_couplings.h"
#include "mortise/analysis/kinds.h"
#include "mortise/analysis/method_pairs.h"
#include "mortise/coordinates/coordinate_system.h"
#include "mortise/gauss/rivals.h"
#include "mortise/integrate/integrator.h"
#include "mortise/linalg/pseudoinverse.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

namespace {

[[noreturn]] void fail_name(const std::string& name, const std::vector<std::string>& names, const char* what,
                            const std::string& list, const Place& place) {
  const std::string near = nearest_name(name, names);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'?   ", near);
  throw ModelError(Diagnostic{"M207", fmt::format("unknown {} '{}'", what, name), place, hint + list, false});
}

template <class Entry>
void check_name(const std::vector<Entry>& entries, const std::string& name, const char* what, const char* list,
                const Place& place) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return;
    names.push_back(entry.name);
  }
  fail_name(name, names, what, fmt::format("(mortise list {})", list), place);
}

void check_pseudoinverse(const model::AnalysisSettings& a) {
  if (a.pseudoinverse.empty()) return;
  check_name(linalg::pseudoinverses(), a.pseudoinverse, "pseudoinverse", "pseudoinverses", a.place_pseudoinverse);
  const gauss::Capabilities can = gauss::make_formulation(a.formulation)->can();
  if (can.pseudoinverse) {
    for (const linalg::PseudoinverseEntry& entry : linalg::pseudoinverses())
      if (entry.name == a.pseudoinverse && entry.squares && can.unsquared)
        throw ModelError(Diagnostic{"M207",
                                    fmt::format("pseudoinverse '{}' is too coarse for formulation '{}': it squares "
                                                "singular values",
                                                a.pseudoinverse, a.formulation),
                                    a.place_pseudoinverse, "svd, cod, varga or gram-schmidt", false});
    return;
  }
  std::string users;
  for (const gauss::FormulationEntry& entry : gauss::formulations())
    if (entry.make({})->can().pseudoinverse) users += (users.empty() ? "" : ", ") + entry.name;
  throw ModelError(Diagnostic{"M207", fmt::format("formulation '{}' uses no pseudoinverse", a.formulation),
                              a.place_pseudoinverse, "those that do: " + users, false});
}

const std::string alpha_integrator = "generalized-alpha";

// It divides by masses, block by block.
void check_alpha(const model::AnalysisSettings& a) {
  if (a.coordinates == "euler-parameters")
    throw ModelError(Diagnostic{"M498", "integrator 'generalized-alpha' needs a regular mass matrix of its coordinates",
                                a.place_coordinates,
                                "coordinates: absolute, which turns by rotations themselves, tree or natural", false});
}

// "A" of "A.x"; names may hold dots of their own.
std::string joint_of(const std::string& row_name) { return row_name.substr(0, row_name.rfind('.')); }

}  // namespace

void check_settings(const model::AnalysisSettings& a) {
  check_names(a);
  if (const std::optional<Diagnostic> wrong = misfit(a)) throw ModelError(*wrong);
}

void check_names(const model::AnalysisSettings& a) {
  check_name(gauss::formulations(), a.formulation, "formulation", "formulations", a.place_formulation);
  if (gauss::is_rival(a.formulation) && !gauss::rivals_missing().empty())
    throw ModelError(Diagnostic{"M207", fmt::format("formulation '{}' is not in this installation", a.formulation),
                                a.place_formulation, gauss::rivals_missing() + " (scripts/install-deps pagmo)", false});
  check_pseudoinverse(a);
  check_name(coordinates::coordinate_systems(), a.coordinates, "coordinates", "coordinates", a.place_coordinates);
  check_name(integrate::integrators(), a.integrator, "integrator", "integrators", a.place_integrator);
  check_name(stabilize::stabilizers(), a.stabilize, "stabilisation", "stabilizations", a.place_stabilize);
  if (a.integrator == alpha_integrator) check_alpha(a);
  for (const integrate::IntegratorEntry& entry : integrate::integrators())
    if (entry.name == a.integrator) {
      if (!entry.make)
        throw ModelError(Diagnostic{"M207", fmt::format("integrator '{}' is not in this build", a.integrator),
                                    a.place_integrator, entry.help, false});
      if (!entry.adaptive && !(a.step > 0))
        throw ModelError(Diagnostic{"M206", fmt::format("integrator '{}' needs a step", a.integrator),
                                    a.place_integrator, "give `step: 0.01`", false});
    }
  find_analysis(a.type, a.place_type.known() ? a.place_type : a.place);
}

linalg::RankPolicy rank_policy(const model::AnalysisSettings& settings) {
  if (settings.rank_rule == "tolerance") return linalg::RankPolicy::of_tolerance(settings.tolerance);
  linalg::RankPolicy policy;
  if (settings.rank_rule == "fixed")
    policy.fixed = settings.rank_tolerance;
  else
    policy.relative = settings.rank_tolerance;
  return policy;
}

std::unique_ptr<gauss::Formulation> make_formulation(const model::AnalysisSettings& a) {
  gauss::FormulationSettings settings;
  settings.pseudoinverse = a.pseudoinverse;
  settings.reuse = static_cast<int>(a.reuse);
  settings.compensate_by_projection = a.compensate == "projection";
  settings.seed = static_cast<unsigned>(a.seed);
  settings.islands = static_cast<int>(a.islands);
  settings.runs = static_cast<int>(a.runs);
  return gauss::make_formulation(a.formulation, settings);
}

std::string assembly_formulation(const model::AnalysisSettings& a) {
  return make_formulation(a)->can().singular_mass ? "coordinate-partition" : "auto";
}

std::unique_ptr<Stabilizer> make_stabilizer(const model::AnalysisSettings& a, const System& system) {
  stabilize::Settings settings;
  settings.gains = {a.alpha, a.beta, a.gamma};
  settings.metric = a.weight == "identity" ? Metric::identity : Metric::mass;
  if (!a.levels.empty()) {
    const auto has = [&](const char* level) {
      return std::find(a.levels.begin(), a.levels.end(), level) != a.levels.end();
    };
    settings.levels = {has("position"), has("velocity"), has("acceleration")};
  }
  if (a.stabilize == "penalty" && system.feedback_size() > 0)
    throw ModelError(Diagnostic{"M483", "stabilize: penalty and friction that uses reactions do not go together",
                                a.place_stabilize,
                                "friction needs multipliers that follow the loads at once, and those of a penalty "
                                "follow the state: stabilize: projection, or staggered with integrator: trapezoidal",
                                false});
  settings.epsilon = a.epsilon;
  settings.tolerance = a.tolerance;
  settings.norm_tolerance = 1e-3 * a.tolerance;
  settings.partition_once = a.partition == "once";
  if (!a.joint_gains.empty()) {
    settings.row_gains.assign(static_cast<std::size_t>(system.pattern().m()), settings.gains);
    std::vector<std::string> names;
    for (int row = 0; row < system.pattern().m(); ++row) names.push_back(joint_of(system.row_name(row)));
    for (const model::JointGains& own : a.joint_gains) {
      if (std::find(names.begin(), names.end(), own.joint) == names.end())
        fail_name(own.joint, names, "joint", "(of 'stabilize')", own.place);
      for (std::size_t row = 0; row < names.size(); ++row)
        if (names[row] == own.joint) settings.row_gains[row] = {own.alpha, own.beta, own.gamma};
    }
  }
  return stabilize::make_stabilizer(a.stabilize, settings);
}

std::unique_ptr<integrate::Integrator> make_integrator(const model::AnalysisSettings& a) {
  integrate::Settings settings{a.tolerance, a.step, a.max_step, 0};
  settings.staggered = {a.multipliers, a.chains, a.epsilon, a.epsilon_share, a.merge};
  const double gains = a.stabilize == "none" ? 0 : 1;
  settings.implicit = {scheme_of(a),    a.correctors,   a.epsilon,      a.epsilon_share,
                       gains * a.alpha, gains * a.beta, gains * a.gamma};
  settings.alpha = {a.rho, a.level, force_couplings};
  return integrate::make_integrator(a.integrator, settings);
}

}  // namespace mortise::analysis
