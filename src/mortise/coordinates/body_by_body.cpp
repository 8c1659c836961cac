#include "mortise/coordinates/body_by_body.h"

#include <algorithm>
#include <numeric>

namespace mortise::coordinates {

BodyByBody::BodyByBody(const Mechanism& mechanism, int numbers) : Mapped(mechanism), numbers_(numbers) {
  int total = 0;
  for (const mechanism::Body& body : mechanism.bodies()) {
    const int size = body.has_quaternion() ? 3 + numbers : body.v_size();
    std::vector<int> columns(static_cast<std::size_t>(size));
    std::iota(columns.begin(), columns.end(), 0);
    append_body(append_block(size), std::move(columns));
    total += size;
  }
  set_q_size(total);
  keep_rows(0, mechanism.pattern().m());
}

void BodyByBody::map(const State& mapped, Image& image) const {
  const std::vector<mechanism::Body>& bodies = mechanism_.bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const mechanism::Body& body = bodies[k];
    const int at = begin(static_cast<int>(k)), plain = body.has_quaternion() ? 3 : body.v_size();
    const int width = pattern().columns.size(static_cast<int>(k));
    double* N = image.N.data() + columns(static_cast<int>(k)).offset;
    for (int i = 0; i < plain; ++i) {
      image.q[body.q + i] = mapped.q[at + i];
      N[i * width + i] = 1;
    }
    if (!body.has_quaternion()) continue;
    const Turned turned = turn(static_cast<int>(k), mapped.t, mapped.q.data() + at + 3, mapped.v.data() + at + 3,
                               Rates(N + 3 * width + 3, 3, numbers_, Eigen::OuterStride<>(width)));
    const geometry::Quaternion& p = turned.orientation;
    image.q.segment<4>(body.q + 3) << p.w, p.x, p.y, p.z;
    image.gamma.segment<3>(body.v + 3) = turned.gamma;
  }
}

void BodyByBody::lower_motion(const State& absolute, Span q, Span v) const {
  const std::vector<mechanism::Body>& bodies = mechanism_.bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const mechanism::Body& body = bodies[k];
    const int plain = body.has_quaternion() ? 3 : body.v_size();
    double* x = q.data() + begin(static_cast<int>(k));
    double* u = v.data() + begin(static_cast<int>(k));
    std::copy_n(absolute.q.data() + body.q, plain, x);
    std::copy_n(absolute.v.data() + body.v, plain, u);
    if (!body.has_quaternion()) continue;
    lower_turn(static_cast<int>(k), mechanism::orientation_of(body, as_span(absolute.q)),
               absolute.v.segment<3>(body.v + 3), x + 3, u + 3);
  }
}

// Angles and quaternions are of order one, their rates of the order of angular velocities.
void BodyByBody::typical_sizes(Span q, Span v) const {
  Vector q_absolute(mechanism_.q_size()), v_absolute(mechanism_.v_size());
  mechanism_.typical_sizes(as_span(q_absolute), as_span(v_absolute));
  const std::vector<mechanism::Body>& bodies = mechanism_.bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const mechanism::Body& body = bodies[k];
    const int at = begin(static_cast<int>(k)), size = pattern().columns.size(static_cast<int>(k));
    for (int i = 0; i < size; ++i) {
      q[static_cast<std::size_t>(at + i)] = q_absolute[body.q + std::min(i, body.q_size() - 1)];
      v[static_cast<std::size_t>(at + i)] = v_absolute[body.v + std::min(i, body.v_size() - 1)];
    }
  }
}

}  // namespace mortise::coordinates
