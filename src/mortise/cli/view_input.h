// What the viewer is given: a result file, or a model file, which is then shown as it is assembled (at the best
// compromise where its joints contradict one another), with its diagnosis and free motions.
#pragma once

#include <memory>
#include <string>

#include "mortise/io/results_reader.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/view/scene.h"

namespace mortise::cli {

struct ViewInput {
  std::string path, label;
  std::unique_ptr<mechanism::Mechanism> mechanism;
  std::unique_ptr<io::ResultReader> reader;  // none: a model file
  view::Run run;                             // its frames refer to the reader, or to `still`
  std::shared_ptr<analysis::Frame> still;
  view::Scene scene;
};

// Models end in .yaml or .yml. Throws ResultError for a result without frames.
ViewInput open_view(const std::string& path);

}  // namespace mortise::cli
