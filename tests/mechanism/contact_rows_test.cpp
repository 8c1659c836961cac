// Rows of contacts against differences and against the velocities of the material points that touch.
#include <gtest/gtest.h>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"

namespace mortise::test {
namespace {

struct Shape {
  const char* name;
  int dimension;
  const char* fields;
  bool plane;
  double first, second;  // radii
};

const Shape shapes[] = {
    {"plane", 2, "between: [first.P, second.P], normal: [0.3, 1], radius: 0.4, coefficient: 0.3", true, 0, 0.4},
    {"floor", 2, "between: [ground, second], normal: [0, 1], radius: 0.2, coefficient: 0.3", true, 0, 0.2},
    {"circles", 2, "between: [first.P, second.P], radii: [0.3, 0.5], coefficient: 0.3", false, 0.3, 0.5},
    {"plane", 3, "between: [first.P, second.P], normal: [0.3, 1, -0.4], radius: 0.4, coefficient: 0.3", true, 0, 0.4},
    {"floor", 3, "between: [ground, second], normal: [0, 0, 1], radius: 0.2, coefficient: 0.3", true, 0, 0.2},
    {"spheres", 3, "between: [first.P, second.P], radii: [0.3, 0.5]", false, 0.3, 0.5},
    {"point", 3, "between: [first.P, bead], normal: [0, 1, 0]", true, 0, 0},
};

std::string text_of(const Shape& s) {
  return std::string("mortise: 1\ndimension: ") + (s.dimension == 2 ? "planar" : "spatial") +
         (s.dimension == 2 ? planar_bodies : spatial_bodies) + "events:\n  C: {type: contact, " + s.fields + "}\n";
}

State all_on(State state) {
  state.active.assign(state.active.size(), 1);
  return state;
}

TEST(ContactRows, AgreeWithDifferences) {
  for (const Shape& s : shapes) {
    Workbench bench(text_of(s));
    const Mechanism& m = *bench.mechanism;
    Random random(7);
    double jacobian = 0, second = 0;
    for (int trial = 0; trial < 50; ++trial) {
      const State state = all_on(random_state(m, random));
      const Vector phi = bench.phi(state);
      const Matrix A = bench.evaluate(state).problem.dense_A();
      for (int k = 0; k < m.v_size(); ++k) {
        const Vector numeric =
            derivative([&](double h) -> Vector { return bench.phi(moved(m, state, k, h)) - phi; }, 2e-3);
        jacobian = std::max(jacobian, std::abs(numeric[0] - A(0, k)) / std::max(1.0, A.row(0).norm()));
      }
      const Vector a = random_vector(random, m.v_size(), 2);
      const Vector rate = derivative([&](double h) { return bench.phidot(along(m, state, a, h)); }, 2e-3);
      const Evaluation& e = bench.evaluate(state);
      Vector expected(m.pattern().m());
      e.problem.multiply_A(as_span(a), as_span(expected));
      expected -= e.problem.b;
      second = std::max(second, difference(rate, expected));
    }
    EXPECT_LT(jacobian, 1e-9) << s.name << " " << s.dimension;
    EXPECT_LT(second, 1e-8) << s.name << " " << s.dimension;
  }
}

// Slip is the velocity of the second body over the first where they touch. On a plane: along the axes of the plane, at
// c = p − ρ n. Of two circles: across the line of centres, at the point that shares it in the ratio of the radii, and
// as long as the distance over the sum of the radii.
TEST(ContactRows, SlipIsTheRelativeVelocityOfTheMaterialPoints) {
  for (const Shape& s : shapes) {
    Workbench bench(text_of(s));
    const Mechanism& m = *bench.mechanism;
    if (m.pattern().m() == 1) continue;
    Random random(11);
    const mechanism::Constraint& c = m.constraints()[0];
    for (int trial = 0; trial < 20; ++trial) {
      const State state = all_on(random_state(m, random));
      const Vector phidot = bench.phidot(state);
      mechanism::Motions motions;
      m.motions(as_span(state.q), as_span(state.v), motions);
      Eigen::Vector3d pa = Eigen::Vector3d::Zero(), pb = pa, ra = pa, rb = pa, va = pa, vb = pa, wa = pa, wb = pa;
      Eigen::Matrix3d E = Eigen::Matrix3d::Identity();
      if (s.dimension == 2) {
        const auto &ma = motions.at2(c.a.body), &mb = motions.at2(c.b.body);
        const auto fa = mechanism::carry(c.a, ma), fb = mechanism::carry(c.b, mb);
        pa.head<2>() = fa.p, pb.head<2>() = fb.p, ra.head<2>() = ma.r, rb.head<2>() = mb.r;
        va.head<2>() = ma.v, vb.head<2>() = mb.v, wa.z() = ma.w, wb.z() = mb.w;
        E.col(0).head<2>() = fa.x;
        E.col(1).head<2>() = mechanism::perp(fa.x);
      } else {
        const auto &ma = motions.at3(c.a.body), &mb = motions.at3(c.b.body);
        const auto fa = mechanism::carry(c.a, ma), fb = mechanism::carry(c.b, mb);
        pa = fa.p, pb = fb.p, ra = ma.r, rb = mb.r, va = ma.v, vb = mb.v, wa = ma.w, wb = mb.w, E = fa.E;
      }
      const Eigen::Vector3d n = s.dimension == 2 ? E.col(0) : E.col(2);
      const Eigen::Vector3d at = s.plane ? Eigen::Vector3d(pb - s.second * n)
                                         : Eigen::Vector3d(pa + s.first / (s.first + s.second) * (pb - pa));
      const Eigen::Vector3d slip = vb + wb.cross(at - rb) - va - wa.cross(at - ra);
      if (!s.plane) {
        const Eigen::Vector3d across = Eigen::Vector3d::UnitZ().cross(pb - pa) / (s.first + s.second);
        EXPECT_NEAR(phidot[1], across.dot(slip), 1e-12) << s.name;
      } else if (s.dimension == 2) {
        EXPECT_NEAR(phidot[1], E.col(1).dot(slip), 1e-12) << s.name;
      } else {
        EXPECT_NEAR(phidot[1], E.col(0).dot(slip), 1e-12) << s.name;
        EXPECT_NEAR(phidot[2], E.col(1).dot(slip), 1e-12) << s.name;
      }
    }
  }
}

}  // namespace
}  // namespace mortise::test
