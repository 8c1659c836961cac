#include "mortise/cli/compare_frames.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mortise::cli {

namespace {

using analysis::Frame;

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

// The first of the frame's numbers that has other bits; "" = none.
std::string first_difference(const Frame& a, const Frame& b) {
  struct Scalars {
    const char* name;
    double Frame::*value;
  };
  struct Vectors {
    const char* name;
    Vector Frame::*value;
  };
  static constexpr Vectors vectors[] = {{"q", &Frame::q},
                                        {"v", &Frame::v},
                                        {"a", &Frame::a},
                                        {"lambda", &Frame::lambda},
                                        {"work", &Frame::work},
                                        {"inputs", &Frame::inputs},
                                        {"active", &Frame::active},
                                        {"quantities", &Frame::quantities},
                                        {"pose", &Frame::pose},
                                        {"velocity", &Frame::velocity},
                                        {"acceleration", &Frame::acceleration},
                                        {"reaction", &Frame::reaction}};
  static constexpr Scalars scalars[] = {{"kinetic", &Frame::kinetic},
                                        {"potential", &Frame::potential},
                                        {"dissipated", &Frame::dissipated},
                                        {"applied", &Frame::applied},
                                        {"constraint_work", &Frame::constraint_work},
                                        {"position_error", &Frame::position_error},
                                        {"velocity_error", &Frame::velocity_error},
                                        {"acceleration_error", &Frame::acceleration_error}};
  if (std::memcmp(&a.t, &b.t, sizeof a.t) != 0) return "t";
  for (const Vectors& v : vectors)
    if (!same_bits(a.*v.value, b.*v.value)) return v.name;
  for (const Scalars& s : scalars)
    if (std::memcmp(&(a.*s.value), &(b.*s.value), sizeof(double)) != 0) return s.name;
  return "";
}

}  // namespace

FrameDifference compare_frames(io::ResultReader& first, io::ResultReader& second) {
  FrameDifference out;
  out.compared = std::min(first.frames(), second.frames());
  Frame a, b;
  for (std::uint64_t k = 0; k < out.compared; ++k) {
    first.read_frame(k, a);
    second.read_frame(k, b);
    if (const std::string what = first_difference(a, b); out.same() && !what.empty()) out.what = what, out.since = a.t;
    if (out.same()) ++out.equal;
    if (a.t != b.t || a.pose.size() != b.pose.size() || a.pose.size() == 0) continue;
    out.last_pose = (a.pose - b.pose).cwiseAbs().maxCoeff();
    if (!(out.last_pose <= out.largest_pose)) out.largest_pose = out.last_pose, out.largest_at = a.t;
  }
  if (out.same() && first.frames() != second.frames() && first.summary().status == "done") {
    out.what = "number of frames";
    out.since = out.compared > 0 ? a.t : 0;
  }
  return out;
}

}  // namespace mortise::cli
