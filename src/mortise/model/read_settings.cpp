#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "mortise/model/build_parts.h"
#include "mortise/model/read_field.h"

namespace mortise::model {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Reads the values of one map into plain variables.
class SettingsReader {
 public:
  SettingsReader(const Node& map, const Parameters& parameters, Report& report)
      : map_(map), parameters_(parameters), report_(report) {}

  // A number within (low, high); `closed` admits low itself.
  bool number(const char* key, double& value, double low, double high, bool closed = false) {
    const Node* node = map_.find(key);
    if (!node) return false;
    const std::string what = fmt::format("'{}'", key);
    const auto read = read_number(*node, parameters_, {false, false, false, what}, report_);
    if (!read || parameters_.broken) return false;
    if (!(*read > low || (closed && *read == low)) || !(*read < high)) {
      const std::string range = high < infinity ? fmt::format("between {:.6g} and {:.6g}", low, high)
                                : closed        ? fmt::format("at least {:.6g}", low)
                                                : fmt::format("greater than {:.6g}", low);
      report_.error("M308", fmt::format("'{}' is {:.6g}; it must be {}", key, *read, range), node->place);
      return false;
    }
    value = *read;
    return true;
  }

  // So small that the run would never end.
  void not_below(const char* key, double value, double least, const char* bound) {
    const Node* node = map_.find(key);
    if (node && value > 0 && value < least)
      report_.error("M308", fmt::format("'{}' is {:.6g}; it must be at least {} = {:.3g}", key, value, bound, least),
                    node->place);
  }

  // A whole number from `low` to `high`.
  void whole(const char* key, long& value, long low, long high) {
    double read = 0;
    if (!number(key, read, static_cast<double>(low), static_cast<double>(high) + 1, true)) return;
    if (read != std::round(read))
      report_.error("M308", fmt::format("'{}' is {:.6g}; it must be a whole number", key, read), map_.find(key)->place);
    else
      value = static_cast<long>(read);
  }

  // A list of words, each one of a few.
  void choices(const char* key, std::vector<std::string>& values, const std::vector<std::string>& known) {
    const Node* node = map_.find(key);
    if (!node) return;
    const auto fits = [&](const Node& item) {
      return item.kind == Node::Kind::scalar && std::find(known.begin(), known.end(), item.text) != known.end();
    };
    if (node->kind != Node::Kind::list || node->items.empty() ||
        !std::all_of(node->items.begin(), node->items.end(), fits)) {
      report_.error("M104", fmt::format("expected a list for '{}', of: {}", key, fmt::join(known, ", ")), node->place);
      return;
    }
    for (const Node& item : node->items) values.push_back(item.text);
  }

  // One word of a few.
  void choice(const char* key, std::string& value, const std::vector<std::string>& choices, Place* place = nullptr) {
    std::string read;
    Place where;
    word(key, read, &where);
    if (read.empty()) return;
    if (place) *place = where;
    if (std::find(choices.begin(), choices.end(), read) != choices.end()) {
      value = read;
      return;
    }
    const std::string near = nearest_name(read, choices);
    report_.error("M207", fmt::format("unknown {} {}", key, quote(read)), where,
                  (near.empty() ? "" : fmt::format("did you mean '{}'?   ", near)) +
                      fmt::format("(one of {})", fmt::join(choices, ", ")));
  }

  void word(const char* key, std::string& value, Place* place = nullptr) {
    const Node* node = map_.find(key);
    if (!node) return;
    if (node->kind != Node::Kind::scalar) {
      report_.error("M104", fmt::format("expected a word for '{}', found {}", key, kind_name(*node)), node->place);
      return;
    }
    value = node->text;
    if (place) *place = node->place;
  }

  void flag(const char* key, bool& value) {
    const Node* node = map_.find(key);
    if (!node) return;
    static const FieldSpec spec{"flag", FieldKind::flag, false, "", "", "", {}};
    if (read_field(spec, *node, 2, {&parameters_, ""}, report_)) value = node->text == "true";
  }

 private:
  const Node& map_;
  const Parameters& parameters_;
  Report& report_;
};

bool is_map(const Node* section, const char* name, Report& report) {
  if (!section || section->kind == Node::Kind::null) return false;
  if (section->kind == Node::Kind::map) return true;
  report.error("M104", fmt::format("expected a map under '{}', found {}", name, kind_name(*section)), section->place);
  return false;
}

void read_gains(SettingsReader& reader, double& alpha, double& beta, double& gamma) {
  reader.number("alpha", alpha, 0, infinity, true);
  reader.number("beta", beta, 0, infinity, true);
  reader.number("gamma", gamma, 0, infinity, true);
}

void read_stabilize(const Node& node, const Parameters& parameters, AnalysisSettings& out, Report& report) {
  out.place_stabilize = node.place;
  if (node.kind == Node::Kind::scalar) {
    out.stabilize = node.text;
    return;
  }
  if (node.kind != Node::Kind::map) {
    report.error("M104", "expected a word or {type: baumgarte, alpha: …, beta: …, gamma: …} for 'stabilize'",
                 node.place);
    return;
  }
  check_keys(node, {"type", "alpha", "beta", "gamma", "joints", "weight", "levels", "partition", "epsilon"},
             "stabilize", report);
  SettingsReader reader(node, parameters, report);
  if (!node.find("type")) report.error("M206", "'stabilize' needs a 'type'", node.place, "type: baumgarte");
  reader.word("type", out.stabilize, &out.place_stabilize);
  read_gains(reader, out.alpha, out.beta, out.gamma);
  reader.choice("weight", out.weight, {"mass", "identity"});
  reader.choice("partition", out.partition, {"auto", "once"});
  reader.choices("levels", out.levels, {"position", "velocity", "acceleration"});
  reader.number("epsilon", out.epsilon, 0, infinity);
  const Node* joints = node.find("joints");
  if (!is_map(joints, "joints", report)) return;
  for (const auto& [joint, place, gains] : joints->entries) {
    if (!is_map(&gains, joint.c_str(), report)) continue;
    check_keys(gains, {"alpha", "beta", "gamma"}, joint.c_str(), report);
    JointGains own{joint, out.alpha, out.beta, out.gamma, place};
    SettingsReader inner(gains, parameters, report);
    read_gains(inner, own.alpha, own.beta, own.gamma);
    out.joint_gains.push_back(own);
  }
}

void read_formulation(const Node& node, const Parameters& parameters, AnalysisSettings& out, Report& report) {
  out.place_formulation = node.place;
  if (node.kind == Node::Kind::scalar) {
    out.formulation = node.text;
    return;
  }
  if (node.kind != Node::Kind::map) {
    report.error("M104", "expected a word or {type: udwadia-kalaba, pseudoinverse: svd, …} for 'formulation'",
                 node.place);
    return;
  }
  check_keys(node, {"type", "pseudoinverse", "reuse", "compensate", "seed", "islands", "runs"}, "formulation", report);
  SettingsReader reader(node, parameters, report);
  if (!node.find("type")) report.error("M206", "'formulation' needs a 'type'", node.place, "type: udwadia-kalaba");
  reader.word("type", out.formulation, &out.place_formulation);
  reader.word("pseudoinverse", out.pseudoinverse, &out.place_pseudoinverse);
  reader.whole("reuse", out.reuse, 1, 1000000);
  reader.choice("compensate", out.compensate, {"baumgarte", "projection"});
  reader.whole("seed", out.seed, 0, 2147483647);
  reader.whole("islands", out.islands, 1, 256);
  reader.whole("runs", out.runs, 1, 1000);
}

void read_integrator(const Node& node, const Parameters& parameters, AnalysisSettings& out, Report& report) {
  out.place_integrator = node.place;
  if (node.kind == Node::Kind::scalar) {
    out.integrator = node.text;
    return;
  }
  if (node.kind != Node::Kind::map) {
    report.error("M104", "expected a word or {type: generalized-alpha, rho: 0.8, …} for 'integrator'", node.place);
    return;
  }
  check_keys(
      node,
      {"type", "multipliers", "chains", "epsilon", "epsilon_share", "merge", "scheme", "correctors", "rho", "level"},
      "integrator", report);
  SettingsReader reader(node, parameters, report);
  if (!node.find("type")) report.error("M206", "'integrator' needs a 'type'", node.place, "type: generalized-alpha");
  reader.word("type", out.integrator, &out.place_integrator);
  reader.choice("multipliers", out.multipliers, {"velocity", "acceleration", "midpoint"});
  reader.choice("chains", out.chains, {"two", "one", "lagged"});
  reader.number("epsilon", out.epsilon, 0, infinity);
  reader.number("epsilon_share", out.epsilon_share, 0, infinity);
  reader.whole("merge", out.merge, 0, 1000000000);
  reader.number("rho", out.rho, 0, std::nextafter(1.0, 2.0), true);
  reader.choice("level", out.level, {"position", "velocity"});
  reader.choice(
      "scheme", out.scheme,
      {"anchored-iterated", "anchored", "history", "baumgarte-implicit", "baumgarte-explicit", "baumgarte-integral"});
  const Node* correctors = node.find("correctors");
  if (correctors && correctors->kind == Node::Kind::scalar && correctors->text == "converged")
    out.correctors = -1;
  else
    reader.whole("correctors", out.correctors, 0, 59);
}

// A word, or {type: natural, accelerations: …}: what only natural coordinates have beside their name.
void read_coordinates(const Node& node, const Parameters& parameters, AnalysisSettings& out, Report& report) {
  out.place_coordinates = node.place;
  if (node.kind == Node::Kind::scalar) {
    out.coordinates = node.text;
    return;
  }
  if (node.kind != Node::Kind::map) {
    report.error("M104", "expected a word or {type: natural, accelerations: recursion, …} for 'coordinates'",
                 node.place);
    return;
  }
  check_keys(node, {"type", "accelerations", "preconditioner"}, "coordinates", report);
  SettingsReader reader(node, parameters, report);
  if (!node.find("type")) report.error("M206", "'coordinates' needs a 'type'", node.place, "type: natural");
  reader.word("type", out.coordinates, &out.place_coordinates);
  reader.choice("accelerations", out.accelerations, {"recursion", "conjugate-gradients", "factor"});
  reader.choice("preconditioner", out.preconditioner, {"none", "branches", "lagged"});
  const Node *accelerations = node.find("accelerations"), *preconditioner = node.find("preconditioner");
  for (const Node* own : {accelerations, preconditioner})
    if (own && out.coordinates != "natural") {
      report.error("M485", fmt::format("coordinates '{}' have no such setting", out.coordinates), own->place,
                   "type: natural");
      return;
    }
  if (accelerations && out.formulation != "auto")
    report.error("M486",
                 fmt::format("formulation '{}' solves by itself: 'accelerations' is how 'auto' does", out.formulation),
                 accelerations->place, "leave one of them out");
  if (preconditioner && out.accelerations != "conjugate-gradients")
    report.error("M487", "only conjugate gradients have a preconditioner", preconditioner->place,
                 "accelerations: conjugate-gradients");
}

// Lists of names: which ones there are shows only when the model is compiled.
void read_names(const Node& section, const char* key, const char* example, std::vector<QuantityName>& out,
                Report& report) {
  const Node* node = section.find(key);
  if (!node) return;
  const auto is_name = [](const Node& item) { return item.kind == Node::Kind::scalar; };
  if (node->kind != Node::Kind::list || !std::all_of(node->items.begin(), node->items.end(), is_name)) {
    report.error("M104", fmt::format("expected a list of names for '{}', such as {}", key, example), node->place);
    return;
  }
  std::unordered_set<std::string_view> seen;
  for (const Node& item : node->items)
    if (seen.insert(item.text).second)
      out.push_back({item.text, item.place});
    else
      report.error("M112", fmt::format("{} stands twice in '{}'", quote(item.text), key), item.place);
}

constexpr const char* quantities_example = "[arm.tip.x, A.reaction.fx]";

void read_weights(const Node& node, const Parameters& parameters, AnalysisSettings& out, Report& report) {
  if (!is_map(&node, "weights", report)) return;
  SettingsReader reader(node, parameters, report);
  for (const auto& [driver, place, value] : node.entries) {
    DriverWeight own{driver, 1, place};
    reader.number(driver.c_str(), own.weight, 0, infinity);
    out.weights.push_back(own);
  }
}

// `L: [0.5, 1]`, `L: {from: 0.5, to: 1, count: 6}`, `L: {between: [0.5, 1]}`.
void read_axis(const Node& node, const Parameters& parameters, SweepAxis& axis, Report& report) {
  const auto number = [&](const Node& item, double& value) {
    const std::string what = fmt::format("a value of '{}'", axis.path);
    const auto read = read_number(item, parameters, {false, true, false, what}, report);
    if (read) value = *read;
    return read.has_value();
  };
  const Node* between = node.find("between");
  if (node.kind == Node::Kind::list && !node.items.empty()) {
    for (const Node& item : node.items)
      if (double value = 0; number(item, value)) axis.values.push_back(value);
    return;
  }
  if (node.kind == Node::Kind::map && between && node.entries.size() == 1 && between->kind == Node::Kind::list &&
      between->items.size() == 2) {
    if (number(between->items[0], axis.low) && number(between->items[1], axis.high) && !(axis.low < axis.high))
      report.error("M473", fmt::format("'between' of '{}' needs a lower and a higher number", axis.path),
                   between->place);
    return;
  }
  const Node* from = node.find("from");
  const Node* to = node.find("to");
  if (node.kind == Node::Kind::map && from && to) {
    check_keys(node, {"from", "to", "count"}, axis.path.c_str(), report);
    long count = 2;
    SettingsReader(node, parameters, report).whole("count", count, 2, 100000);
    double low = 0, high = 0;
    if (!number(*from, low) || !number(*to, high)) return;
    for (long k = 0; k < count; ++k)
      axis.values.push_back(
          k == count - 1 ? high : low + (high - low) * static_cast<double>(k) / static_cast<double>(count - 1));
    return;
  }
  report.error(
      "M473",
      fmt::format("expected [values], {{from: …, to: …, count: …}} or {{between: [low, high]}} for '{}'", axis.path),
      node.place);
}

void read_sweep(const Node& node, const Parameters& parameters, SweepSettings& out, Report& report) {
  out.place = node.place;
  if (!is_map(&node, "sweep", report)) return;
  check_keys(node, {"of", "vary", "samples", "seed", "jobs", "quantities"}, "sweep", report);
  SettingsReader reader(node, parameters, report);
  reader.word("of", out.of);
  reader.whole("samples", out.samples, 1, 10000000);
  reader.whole("seed", out.seed, 0, 2147483647);
  reader.whole("jobs", out.jobs, 0, 4096);
  read_names(node, "quantities", quantities_example, out.quantities, report);
  const Node* vary = node.find("vary");
  if (!vary) {
    report.error("M206", "'sweep' needs what to 'vary'", node.place, "vary: {L: [0.5, 1, 1.5]}");
    return;
  }
  if (!is_map(vary, "vary", report)) return;
  for (const auto& [path, place, value] : vary->entries) {
    SweepAxis axis;
    axis.path = path;
    axis.place = place;
    read_axis(value, parameters, axis, report);
    out.axes.push_back(axis);
  }
  const auto random = [](const SweepAxis& axis) { return axis.values.empty(); };
  if (out.samples == 0 && std::any_of(out.axes.begin(), out.axes.end(), random) && !report.any())
    report.error("M473", "values 'between' two numbers are drawn at random: the sweep needs 'samples', how many",
                 node.place, "samples: 100");
}

}  // namespace

AnalysisSettings read_analysis(const Node* section, const Parameters& parameters, Report& report) {
  AnalysisSettings out;
  if (!is_map(section, "analysis", report)) return out;
  out.place = section->place;
  check_keys(*section,
             {"type", "until", "formulation", "pseudoinverse", "coordinates", "stabilize", "integrator", "tolerance",
              "step", "max_step", "rank_tolerance", "rank_rule", "assemble", "allow_flip", "branch", "reactions",
              "weights", "modes", "sweep"},
             "analysis", report);
  SettingsReader reader(*section, parameters, report);
  reader.word("type", out.type, &out.place_type);
  reader.number("until", out.until, 0, infinity);
  if (const Node* node = section->find("until")) out.place_until = node->place;
  if (const Node* node = section->find("formulation")) read_formulation(*node, parameters, out, report);
  reader.word("pseudoinverse", out.pseudoinverse, &out.place_pseudoinverse);
  if (const Node* node = section->find("coordinates")) read_coordinates(*node, parameters, out, report);
  if (const Node* node = section->find("stabilize")) read_stabilize(*node, parameters, out, report);
  if (const Node* node = section->find("integrator")) read_integrator(*node, parameters, out, report);
  // Their multipliers are the stabilisation.
  if (!section->find("stabilize") && (out.integrator == "staggered-explicit-implicit" ||
                                      out.integrator == "trapezoidal" || out.integrator == "backward-euler"))
    out.stabilize = "staggered";
  reader.number("tolerance", out.tolerance, 0, 1);
  reader.number("step", out.step, 0, infinity);
  reader.number("max_step", out.max_step, 0, infinity);
  for (const char* key : {"step", "max_step"})
    reader.not_below(key, key == std::string_view("step") ? out.step : out.max_step, 1e-12 * out.until, "until / 1e12");
  reader.number("rank_tolerance", out.rank_tolerance, 0, 1);
  reader.choice("rank_rule", out.rank_rule, {"relative", "fixed", "tolerance"}, &out.place_rank_rule);
  reader.choice("reactions", out.reactions, {"minimum-norm", "mass-weighted", "stiffness-weighted", "minimum-norm-raw"},
                &out.place_reactions);
  reader.flag("assemble", out.assemble);
  reader.flag("allow_flip", out.allow_flip);
  reader.choice("branch", out.branch, {"smooth", "other"}, &out.place_branch);
  if (const Node* node = section->find("weights")) read_weights(*node, parameters, out, report);
  reader.whole("modes", out.modes, 0, 1000000);
  if (const Node* node = section->find("sweep")) read_sweep(*node, parameters, out.sweep, report);
  return out;
}

OutputSettings read_output(const Node* section, const Parameters& parameters, double until, Report& report) {
  OutputSettings out;
  if (!is_map(section, "output", report)) return out;
  check_keys(*section, {"every", "checkpoint", "quantities", "bodies", "joints", "precision"}, "output", report);
  read_names(*section, "quantities", quantities_example, out.quantities, report);
  read_names(*section, "bodies", "[crank, \"link*\"]", out.bodies, report);
  read_names(*section, "joints", "[A, \"pin*\"]", out.joints, report);
  out.restricted = section->find("bodies") || section->find("joints");
  SettingsReader frames(*section, parameters, report);
  frames.choice("precision", out.precision, {"float64", "float32"});
  frames.number("every", out.every, 0, infinity);
  frames.not_below("every", out.every, 1e-9 * until, "until / 1e9");
  const Node* checkpoint = section->find("checkpoint");
  if (!checkpoint) return out;
  const Node* every = checkpoint->find("every");
  const Node* steps = checkpoint->find("steps");
  if (checkpoint->kind == Node::Kind::map) check_keys(*checkpoint, {"every", "steps"}, "checkpoint", report);
  if (checkpoint->kind != Node::Kind::map || (every != nullptr) == (steps != nullptr)) {
    report.error("M104", "expected {every: seconds} or {steps: number} for 'checkpoint'", checkpoint->place);
    return out;
  }
  SettingsReader reader(*checkpoint, parameters, report);
  reader.number("every", out.checkpoint, 0, infinity);
  reader.whole("steps", out.checkpoint_steps, 1, 1000000000);
  return out;
}

}  // namespace mortise::model
