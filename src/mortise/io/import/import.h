// Robot files of other programs as models: URDF (.urdf) and MJCF (.xml, .mjcf).
//
//     mortise run robot.urdf --loops sidecar.yaml         mortise convert robot.xml robot.yaml
//
// What the file says and Mortise uses becomes bodies, joints, forces and events; all else is listed in notes with its
// lines (docs/exchange.md has the tables). A sidecar is a model file in YAML without bodies of its own, most often
// joints that close loops, which URDF cannot say; in it stand also, beside the usual sections,
//
//     base: floating            # of URDF: the first link moves freely (default: fixed to the ground)
//     positions: {elbow: 0.5}   # of URDF: coordinates of joints at t = 0
//     limits: false             # no stops at the ends of joint ranges
//
// O(size of the file); limits of the XML reader are in xml.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mortise/model/model.h"

namespace mortise::io {

struct Imported {
  model::Node root;               // as if read from YAML; places are in the foreign file
  std::vector<Diagnostic> notes;  // what was not used, and what was decided
};

// By its ending; a .xml or .mjcf is looked into: <robot> is URDF, <mujoco> is MJCF.
bool is_foreign(const std::filesystem::path& path);

// Throws ModelError. `sidecar` may be empty.
Imported import_file(const std::filesystem::path& path, const std::filesystem::path& sidecar = {});
// The same for texts, of which the sidecar's is YAML.
Imported import_text(std::string text, std::string name, std::string sidecar = {}, std::string sidecar_name = {});

}  // namespace mortise::io
