// `check` as plain dicts; mortise/diagnosis.py makes objects of them.
#include <pybind11/stl.h>

#include "bindings.h"
#include "mortise/analysis/checkup.h"

namespace mortise::python {

namespace {

using analysis::Diagnosis;
using mechanism::Mechanism;

std::vector<std::string> joints(const Mechanism& m, const std::vector<int>& list) {
  std::vector<std::string> out;
  for (const int joint : list) out.push_back(m.name(m.constraints()[index(joint)].ref));
  return out;
}

// Row names with numbers.
py::dict by_row(const Mechanism& m, const std::vector<int>& rows, const Vector& values) {
  py::dict out;
  for (std::size_t k = 0; k < rows.size(); ++k)
    out[py::str(m.row_name(rows[k]))] = values[static_cast<Eigen::Index>(k)];
  return out;
}

py::list relaxations(const Mechanism& m, const std::vector<analysis::Relaxation>& list) {
  py::list out;
  for (const analysis::Relaxation& r : list)
    out.append(py::dict(py::arg("joint") = m.name(m.constraints()[index(r.joint)].ref), py::arg("to") = r.to,
                        py::arg("rows") = r.rows));
  return out;
}

py::list motions(const Mechanism& m, const Diagnosis& d) {
  py::list out;
  for (const analysis::FreeMotion& motion : d.motions) {
    py::dict bodies;
    for (const int body : motion.bodies) {
      const mechanism::Body& b = m.bodies()[index(body)];
      const Vector v = motion.v.segment(b.v, b.v_size());
      bodies[py::str(m.name(b.ref))] = std::vector<double>(v.begin(), v.end());
    }
    out.append(
        py::dict(py::arg("words") = motion.words, py::arg("local") = motion.local, py::arg("velocities") = bodies));
  }
  return out;
}

py::list redundancies(const Mechanism& m, const Diagnosis& d) {
  py::list out;
  for (const analysis::Redundancy& r : d.redundancies)
    out.append(py::dict(py::arg("row") = m.row_name(r.row), py::arg("kind") = analysis::name(r.kind),
                        py::arg("joints") = joints(m, r.joints),
                        py::arg("coefficients") = by_row(m, r.rows, r.coefficients)));
  return out;
}

py::list groups(const Mechanism& m, const Diagnosis& d) {
  py::list out;
  for (const analysis::RedundantGroup& g : d.groups)
    out.append(py::dict(py::arg("joints") = joints(m, g.joints), py::arg("redundancies") = g.redundancies,
                        py::arg("relax_one_of") = relaxations(m, g.relaxations),
                        py::arg("relax_all_of") = relaxations(m, g.together)));
  return out;
}

py::list conflicts(const Mechanism& m, const Diagnosis& d) {
  py::list out;
  for (const analysis::Conflict& c : d.conflicts)
    out.append(py::dict(py::arg("level") = analysis::name(c.level), py::arg("joints") = joints(m, c.joints),
                        py::arg("repairs") = by_row(m, c.rows, c.repairs),
                        py::arg("smallest_repair") = m.row_name(c.rows[index(c.easiest)])));
  return out;
}

py::dict reactions(const Mechanism& m, const Diagnosis& d) {
  py::dict out;
  for (const analysis::JointReaction& r : d.reactions) {
    std::vector<std::string> unique, others;
    for (const auto& c : r.components) (c.unique ? unique : others).emplace_back(c.name);
    out[py::str(m.name(m.constraints()[index(r.joint)].ref))] =
        py::dict(py::arg("unique") = unique, py::arg("not_unique") = others);
  }
  return out;
}

py::dict check(const LoadedModel& model) {
  const Mechanism& m = *model.mechanism;
  const analysis::Checkup checkup = [&] {
    const py::gil_scoped_release unlocked;
    return analysis::check_up(m);
  }();
  const Diagnosis& d = checkup.diagnosis;
  py::dict out;
  out["dof"] = d.degrees_of_freedom, out["rank"] = d.rank.rank, out["rows"] = d.rank.rows;
  out["coordinates"] = d.count.coordinates, out["gruebler"] = d.count.coordinates - d.rank.rows;
  out["local_mobilities"] = d.local_mobilities;
  out["gap"] = d.rank.gap(), out["smallest_kept"] = d.rank.smallest_kept;
  out["largest_dropped"] = d.rank.largest_dropped;
  out["assembled"] = checkup.assembled, out["position_error"] = checkup.assembly.position_error;
  out["redundant"] = redundancies(m, d), out["groups"] = groups(m, d);
  out["conflicts"] = conflicts(m, d), out["motions"] = motions(m, d), out["reactions"] = reactions(m, d);
  out["near_singular"] = joints(m, d.near_joints), out["warnings"] = d.warnings;
  out["text"] = analysis::describe(m, d, m.model().analysis.reactions);
  return out;
}

}  // namespace

void bind_diagnosis(py::module_& m) { m.def("check", check, py::arg("model")); }

}  // namespace mortise::python
