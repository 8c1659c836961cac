// The readers of the single formats: from a parsed file to a draft of a model.
#pragma once

#include "mortise/io/import/draft.h"
#include "mortise/io/import/robot.h"
#include "mortise/io/import/sidecar.h"
#include "mortise/io/import/xml.h"

namespace mortise::io {

void read_urdf(const XmlElement& root, const Sidecar& sidecar, Draft& draft);
void read_mjcf(const XmlElement& root, const Sidecar& sidecar, Draft& draft);

// Keys that every imported model has. A sidecar says otherwise where it must.
void write_head(Draft& draft, const std::string& name, const Eigen::Vector3d& gravity, const Place& place);
// What links without mass ask of the analysis.
void write_analysis(Draft& draft, const Robot& robot, const Place& place);

// Σ coefficient · coordinate = constant, as a joint: of the coordinates where full turns leave the sum known, else of
// their rates (with a note).
struct CouplingTerm {
  const RobotJoint* joint;
  double coefficient;
};
void add_coupling(Draft& draft, const std::string& name, const std::vector<CouplingTerm>& terms, double constant,
                  bool active, const Place& place);

}  // namespace mortise::io
