// Everything a program needs to build, read, simulate and save mechanisms: one include, short names. docs/cpp.md tells
// the story, examples/cpp/ shows it.
#pragma once

#include "mortise/analysis/batch.h"
#include "mortise/analysis/control.h"
#include "mortise/analysis/dynamics.h"
#include "mortise/analysis/inverse_dynamics.h"
#include "mortise/analysis/kinds.h"
#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/modes.h"
#include "mortise/analysis/simulation.h"
#include "mortise/analysis/state_space.h"
#include "mortise/analysis/statics.h"
#include "mortise/analysis/stepper.h"
#include "mortise/analysis/sweep.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "mortise/model/builder.h"

namespace mortise {

using analysis::Batch;
using analysis::BatchCopy;
using analysis::Pid;
using analysis::Sensor;
using analysis::Simulation;
using analysis::state_space;
using analysis::StateSpace;
using analysis::Stepper;
using io::save_model;
using mechanism::Mechanism;
using mechanism::PartList;
using mechanism::standard_parts;
using model::Map;
using model::Model;
using model::ModelBuilder;

// A checked model from a file; the list must live as long as the model.
inline Model load_model(const std::filesystem::path& path, const PartList& parts = standard_parts()) {
  return io::load_model(path, parts.catalogue());
}

// A checked model made in code.
inline Model build(const ModelBuilder& builder, const PartList& parts = standard_parts()) {
  return builder.build(parts.catalogue());
}

}  // namespace mortise
