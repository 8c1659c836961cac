// `output: quantities:`: each name a dataset of its own, in files, CSV and after a resume.
#include <sstream>

#include "io/results_samples.h"
#include "mortise/analysis/quantity.h"
#include "mortise/io/results_csv.h"
#include "support/memory_run.h"

namespace mortise::io {
namespace {

const char* const model = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
inputs: {push: 2}
bodies: {arm: {mass: 1, inertia: 0.1, center: [0.5, 0], points: {tip: [1, 0]}}}
joints: {A: {type: revolute, between: [ground, arm], at: [0, 0]}}
forces:
  S: {type: spring, between: [ground, arm.tip], stiffness: 20, length: 0.2}
  rub: {type: friction, joint: A, coefficient: 0.3, radius: 0.05}
analysis: {until: 0.5}
output: {every: 0.1, quantities: [arm.tip.x, A.reaction.fx, S.force, rub.power, input.push]}
)";

TEST(OutputQuantities, AreDatasetsWithTheirNames) {
  const samples::Folder folder;
  const std::string path = folder / "run.h5";
  const auto m = test::compile(model);
  {
    ResultWriter writer(path);
    analysis::DynamicsOptions options;
    options.sink = &writer;
    analysis::run_dynamics(*m, options);
  }
  ResultReader reader(path);
  ASSERT_EQ(reader.header().quantities.size(), 5u);
  EXPECT_EQ(reader.header().quantity_units, (std::vector<std::string>{"m", "N", "N", "W", "1"}));
  analysis::Frame frame;
  for (std::uint64_t k = 0; k < reader.frames(); ++k) {
    reader.read_frame(k, frame);
    mechanism::Motions motions;
    m->motions(as_span(frame.q), as_span(frame.v), motions);
    // What the file says is what the rest of the frame gives: the forces are computed again from it.
    for (std::size_t i = 0; i < 5; ++i) {
      const double again = analysis::find_quantity(*m, reader.header().quantities[i]).value(frame, motions);
      EXPECT_EQ(frame.quantities[static_cast<Eigen::Index>(i)], again) << reader.header().quantities[i];
    }
  }
  std::ostringstream csv;
  export_csv(reader, csv, {}, "csv");
  EXPECT_NE(csv.str().find("arm.tip.x,S.force,rub.power,input.push\n"), std::string::npos);
}

}  // namespace
}  // namespace mortise::io
