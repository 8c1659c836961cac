#include "mortise/view/strobe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::view {

namespace {

constexpr std::size_t most_traced = 3000, most_candidates = 400, most_tracers = 6;
constexpr std::size_t most_shapes = 6000;  // bodies times poses: keeps the picture of a large model openable

// All points that a pose shows, as one column.
Eigen::VectorXd pose_points(const Skeleton& s, const Motions& motions) {
  std::vector<Anchor> anchors;
  for (const BodyShape& shape : s.bodies) {
    Anchor center;
    center.body = shape.body;
    if (shape.points.size() < 2) anchors.push_back(center);
    anchors.insert(anchors.end(), shape.points.begin(), shape.points.end());
  }
  Eigen::VectorXd out(3 * static_cast<Eigen::Index>(anchors.size()));
  for (std::size_t k = 0; k < anchors.size(); ++k)
    out.segment<3>(3 * static_cast<Eigen::Index>(k)) = world_point(anchors[k], motions, s.dimension);
  return out;
}

double farthest_point(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double square = 0;
  for (Eigen::Index k = 0; k + 2 < a.size(); k += 3)
    square = std::max(square, (a.segment<3>(k) - b.segment<3>(k)).squaredNorm());
  return square;
}

struct Samples {
  std::vector<double> times;
  std::vector<Motions> motions;
  std::vector<Eigen::VectorXd> points;
  std::vector<std::vector<Eigen::Vector3d>> traces;
  std::optional<double> traced_from;
};

Samples sample(const mechanism::Mechanism& m, const Skeleton& s, const FrameSource& frames, std::size_t candidates) {
  Samples out;
  out.traces.resize(s.tracers.size());
  if (frames.count == 0) return out;
  analysis::Frame frame;
  Motions motions;
  const auto read = [&](std::uint64_t k) {
    frames.read(k, frame);
    m.motions(as_span(frame.q), as_span(frame.v), motions);
  };
  const std::uint64_t last = frames.count - 1, stride = last / candidates + 1;
  for (std::uint64_t k = 0; k <= last; k = k == last ? frames.count : std::min(k + stride, last)) {
    read(k);
    Eigen::VectorXd points = pose_points(s, motions);
    if (!points.allFinite()) continue;
    out.times.push_back(frame.t);
    out.motions.push_back(motions);
    out.points.push_back(std::move(points));
  }
  // Frame by frame, or a path would cut its own corners: of a long run the end.
  const std::uint64_t first = frames.count > most_traced ? frames.count - most_traced : 0;
  for (std::uint64_t k = first; k <= last; ++k) {
    read(k);
    if (k == first && first > 0) out.traced_from = frame.t;
    for (std::size_t i = 0; i < s.tracers.size(); ++i)
      out.traces[i].push_back(world_point(s.tracers[i].anchor, motions, s.dimension));
  }
  return out;
}

// What is drawn of a run whose frames keep only some bodies.
void keep_bodies(Skeleton& s, const std::vector<std::uint32_t>& bodies) {
  const auto gone = [&](int body) {
    return body >= 0 && !std::binary_search(bodies.begin(), bodies.end(), static_cast<std::uint32_t>(body));
  };
  std::erase_if(s.bodies, [&](const BodyShape& shape) { return gone(shape.body); });
  std::erase_if(s.joints, [&](const Anchor& anchor) { return gone(anchor.body); });
  std::erase_if(s.rods, [&](const Rod& rod) { return gone(rod.a.body) || gone(rod.b.body); });
  std::erase_if(s.tracers, [&](const Tracer& tracer) { return gone(tracer.anchor.body); });
}

void extend(Eigen::AlignedBox2d& box, const Eigen::Vector2d& p) {
  if (p.allFinite()) box.extend(p);
}

}  // namespace

std::vector<std::size_t> spread_choice(const std::vector<Eigen::VectorXd>& columns, std::size_t count) {
  if (columns.empty()) return {};
  std::vector<std::size_t> chosen{0};
  std::vector<double> distance(columns.size(), std::numeric_limits<double>::infinity());
  const auto update = [&](std::size_t with) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      distance[k] = std::min(distance[k], farthest_point(columns[k], columns[with]));
  };
  update(0);
  if (columns.size() > 1) {
    chosen.push_back(columns.size() - 1);
    update(columns.size() - 1);
  }
  while (chosen.size() < std::min(count, columns.size())) {
    const auto next = std::max_element(distance.begin(), distance.end());
    if (!(*next > 0)) break;
    chosen.push_back(static_cast<std::size_t>(next - distance.begin()));
    update(chosen.back());
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Strobe make_strobe(const mechanism::Mechanism& m, const FrameSource& frames, int most_poses) {
  Strobe out;
  out.skeleton = make_skeleton(m);
  if (frames.bodies) keep_bodies(out.skeleton, *frames.bodies);
  if (out.skeleton.tracers.size() > most_tracers) out.skeleton.tracers.resize(most_tracers);
  const std::size_t bodies = std::max<std::size_t>(out.skeleton.bodies.size(), 1);
  const std::size_t poses =
      std::clamp<std::size_t>(most_shapes / bodies, 2, static_cast<std::size_t>(std::max(most_poses, 2)));
  const Samples samples =
      sample(m, out.skeleton, frames, std::clamp<std::size_t>(1'000'000 / bodies, 24, most_candidates));

  out.traced_from = samples.traced_from;
  std::vector<Eigen::Vector3d> seen;
  for (const Eigen::VectorXd& points : samples.points)
    for (Eigen::Index k = 0; k + 2 < points.size(); k += 3) seen.emplace_back(points.segment<3>(k));
  for (const GroundPivot& pivot : out.skeleton.pivots) seen.push_back(pivot.anchor.p);
  out.camera = choose_camera(m, seen);
  for (const std::size_t k : spread_choice(samples.points, poses)) {
    out.times.push_back(samples.times[k]);
    out.poses.push_back(samples.motions[k]);
  }

  for (const Eigen::Vector3d& p : seen) extend(out.extent, out.camera(p));
  for (const Motions& pose : out.poses)
    for (const Rod& rod : out.skeleton.rods)
      for (const Anchor* end : {&rod.a, &rod.b})
        extend(out.extent, out.camera(world_point(*end, pose, out.skeleton.dimension)));
  for (const auto& trace : samples.traces) {
    out.traces.emplace_back();
    for (const Eigen::Vector3d& p : trace) {
      out.traces.back().push_back(out.camera(p));
      extend(out.extent, out.traces.back().back());
    }
  }
  if (out.extent.isEmpty()) out.extent = {Eigen::Vector2d(-1, -1), Eigen::Vector2d(1, 1)};
  const Eigen::Vector2d size = out.extent.sizes();
  const double least = size.maxCoeff() > 0 ? 0.15 * size.maxCoeff() : 1;
  for (int k = 0; k < 2; ++k)
    if (size[k] < least) out.extent.min()[k] -= 0.5 * (least - size[k]), out.extent.max()[k] += 0.5 * (least - size[k]);
  return out;
}

}  // namespace mortise::view
