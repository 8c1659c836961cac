#include "mortise/cli/view_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "mortise/analysis/checkup.h"
#include "mortise/cli/commands.h"

namespace mortise::cli {

namespace {

// Where mesh files are: beside the file that is shown, else where the user stands.
std::vector<std::string> folders_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return {folder.empty() ? "." : folder, "."};
}

void open_result(ViewInput& in) {
  io::ReadOptions options;
  options.every_chunk = false;  // a large file shows at once
  in.reader = std::make_unique<io::ResultReader>(in.path, options);
  io::ResultReader* reader = in.reader.get();
  if (reader->frames() == 0) throw ResultError(in.path, "holds no frame yet");
  in.mechanism = load_text(reader->header().model_text, in.path + ":model");
  in.run = {reader->header(), reader->summary(), reader->finished(), {}};
  in.run.frames.count = reader->frames();
  in.run.frames.read = [reader](std::uint64_t number, analysis::Frame& frame) { reader->read_frame(number, frame); };
  if (reader->header().kept) in.run.frames.bodies = reader->header().kept->bodies;
  in.scene = view::make_scene(*in.mechanism, in.run, view::first_diagnosis(*in.mechanism, in.run), reader->events(),
                              folders_of(in.path));
}

// One frame without reactions: nothing was solved.
void open_model(ViewInput& in) {
  in.mechanism = load(in.path, {});
  const mechanism::Mechanism& m = *in.mechanism;
  const analysis::Checkup checkup = analysis::check_up(m);
  mechanism::Motions motions;
  m.motions(as_span(checkup.state.q), as_span(checkup.state.v), motions);
  in.still = std::make_shared<analysis::Frame>();
  analysis::Frame& frame = *in.still;
  frame.q = checkup.state.q, frame.v = checkup.state.v, frame.t = checkup.state.t;
  const auto bodies = static_cast<Eigen::Index>(m.bodies().size());
  frame.pose.resize(bodies * (m.dimension() == 2 ? 3 : 7));
  frame.velocity.resize(bodies * (m.dimension() == 2 ? 3 : 6));
  m.poses(motions, as_span(frame.q), as_span(frame.pose));
  m.velocities(motions, as_span(frame.velocity));
  frame.kinetic = frame.potential = std::numeric_limits<double>::quiet_NaN();
  frame.position_error = checkup.assembled ? checkup.assembly.position_error : frame.kinetic;
  frame.velocity_error = checkup.assembled ? checkup.assembly.velocity_error : frame.kinetic;
  in.run.header.dimension = m.dimension();
  in.run.header.model_name = m.model().name;
  in.run.frames.count = 1;
  in.run.frames.read = [still = in.still](std::uint64_t, analysis::Frame& out) { out = *still; };
  in.scene = view::make_scene(m, in.run, checkup.diagnosis, {}, folders_of(in.path));
}

}  // namespace

ViewInput open_view(const std::string& path) {
  ViewInput in;
  in.path = path;
  in.label = std::filesystem::path(path).filename().string();
  const std::string ending = std::filesystem::path(path).extension().string();
  ending == ".yaml" || ending == ".yml" ? open_model(in) : open_result(in);
  for (const std::string& note : in.scene.notes) fmt::print(stderr, "note: {}\n", note);
  return in;
}

}  // namespace mortise::cli
