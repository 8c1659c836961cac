#include "mortise/io/import/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "mortise/io/import/formats.h"
#include "mortise/io/yaml.h"
#include "mortise/io/yaml_reader.h"
#include "mortise/mechanism/commensurate.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace fs = std::filesystem;
using model::Map;

bool is_foreign(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending == ".urdf" || ending == ".xml" || ending == ".mjcf" || ending == ".xacro";
}

Imported import_text(std::string text, std::string name, std::string sidecar_text, std::string sidecar_name) {
  const Sidecar sidecar =
      sidecar_text.empty() ? Sidecar{} : read_sidecar(read_yaml_text(std::move(sidecar_text), std::move(sidecar_name)));
  const XmlElement root = parse_xml(std::move(text), std::move(name));
  Draft draft;
  if (root.name == "robot") {
    read_urdf(root, sidecar, draft);
  } else if (root.name == "mujoco") {
    read_mjcf(root, sidecar, draft);
  } else {
    const std::vector<std::string> known{"robot", "mujoco"};
    fail_model(
        "M703", fmt::format("<{}> begins neither URDF (<robot>) nor MJCF (<mujoco>)", root.name), root.place,
        root.name == "sdf" ? "SDF is not read: convert it to URDF or MJCF" : model::did_you_mean(root.name, known));
  }
  for (const auto& [joint, position] : sidecar.positions)
    if (!position.used)
      fail_model("M709", fmt::format("positions: {} is no joint whose position can be given", model::quote(joint)),
                 position.place);
  Imported out{draft.finish(), std::move(draft.notes())};
  merge_sidecar(sidecar, out.root);
  return out;
}

Imported import_file(const fs::path& path, const fs::path& sidecar) {
  std::string text = read_bytes(path.string(), {});
  std::string beside = sidecar.empty() ? "" : read_bytes(sidecar.string(), {});
  if (!sidecar.empty() && beside.empty()) beside = "{}";
  return import_text(std::move(text), path.string(), std::move(beside), sidecar.string());
}

void write_head(Draft& draft, const std::string& name, const Eigen::Vector3d& gravity, const Place& place) {
  draft.set("mortise", 1, place);
  if (!name.empty()) draft.set("name", name, place);
  draft.set("dimension", "spatial", place);
  draft.set("gravity", vector_value(gravity), place);
  draft.set("bodies", Map{}, place);
}

void write_analysis(Draft& draft, const Robot& robot, const Place& place) {
  if (!robot.massless()) return;
  draft.set("analysis", Map{{"formulation", "least-squares-2"}}, place);
  draft.note(
      "M721",
      "some links that move have no mass: formulation least-squares-2, which can do without, and no stops at the ends "
      "of joint ranges, whose impacts cannot",
      place, "give them mass and inertia");
}

void add_coupling(Draft& draft, const std::string& name, const std::vector<CouplingTerm>& terms, double constant,
                  bool active, const Place& place) {
  Map sum;
  std::vector<double> turning;
  for (const CouplingTerm& term : terms) {
    if (term.coefficient == 0) continue;
    sum.add(term.joint->coordinate(), term.coefficient);
    if (term.joint->kind == JointKind::revolute) turning.push_back(term.coefficient / terms.front().coefficient);
  }
  const bool known = turning.empty() || mechanism::common_unit(turning);
  Map fields{{"type", known ? "coupling" : "speed-coupling"}, {"terms", sum}};
  if (known)
    fields.add("constant", constant);
  else
    draft.note("M721",
               fmt::format("'{}' couples rates: the ratio of its angles is no fraction with a small denominator", name),
               place, "after full turns the angles would be unknown");
  if (!active) fields.add("active", false);
  draft.add("joints", draft.name(name, place), fields, place);
}

}  // namespace mortise::io
