#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
  check_keys(node, {"type", "alpha", "beta", "gamma", "joints", "weight", "levels", "partition"}, "stabilize", report);
  SettingsReader reader(node, parameters, report);
  if (!node.find("type")) report.error("M206", "'stabilize' needs a 'type'", node.place, "type: baumgarte");
  reader.word("type", out.stabilize, &out.place_stabilize);
  read_gains(reader, out.alpha, out.beta, out.gamma);
  reader.choice("weight", out.weight, {"mass", "identity"});
  reader.choice("partition", out.partition, {"auto", "once"});
  reader.choices("levels", out.levels, {"position", "velocity", "acceleration"});
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

// Names of quantities: which ones there are shows only when the model is compiled.
void read_names(const Node& node, std::vector<QuantityName>& out, Report& report) {
  const auto is_name = [](const Node& item) { return item.kind == Node::Kind::scalar; };
  if (node.kind != Node::Kind::list || !std::all_of(node.items.begin(), node.items.end(), is_name)) {
    report.error("M104", "expected a list of names for 'quantities', such as [arm.tip.x, A.reaction.fx]", node.place);
    return;
  }
  for (const Node& item : node.items) {
    const auto same = [&](const QuantityName& known) { return known.name == item.text; };
    if (std::any_of(out.begin(), out.end(), same))
      report.error("M112", fmt::format("the quantity {} stands here twice", quote(item.text)), item.place);
    else
      out.push_back({item.text, item.place});
  }
}

}  // namespace

AnalysisSettings read_analysis(const Node* section, const Parameters& parameters, Report& report) {
  AnalysisSettings out;
  if (!is_map(section, "analysis", report)) return out;
  out.place = section->place;
  check_keys(*section,
             {"type", "until", "formulation", "pseudoinverse", "coordinates", "stabilize", "integrator", "tolerance",
              "step", "max_step", "rank_tolerance", "rank_rule", "assemble", "allow_flip", "reactions"},
             "analysis", report);
  SettingsReader reader(*section, parameters, report);
  reader.word("type", out.type, &out.place_type);
  reader.number("until", out.until, 0, infinity);
  if (const Node* node = section->find("until")) out.place_until = node->place;
  if (const Node* node = section->find("formulation")) read_formulation(*node, parameters, out, report);
  reader.word("pseudoinverse", out.pseudoinverse, &out.place_pseudoinverse);
  reader.word("coordinates", out.coordinates, &out.place_coordinates);
  if (const Node* node = section->find("stabilize")) read_stabilize(*node, parameters, out, report);
  reader.word("integrator", out.integrator, &out.place_integrator);
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
  return out;
}

OutputSettings read_output(const Node* section, const Parameters& parameters, double until, Report& report) {
  OutputSettings out;
  if (!is_map(section, "output", report)) return out;
  check_keys(*section, {"every", "checkpoint", "quantities"}, "output", report);
  if (const Node* names = section->find("quantities")) read_names(*names, out.quantities, report);
  SettingsReader frames(*section, parameters, report);
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
