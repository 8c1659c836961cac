// Balls in layers of n × n, a little out of line, above a tray: they fall and come to rest.
#pragma once

#include <string>

#include "mortise/analysis/sink.h"
#include "support/examples.h"

namespace mortise::test {

inline std::string pile_text(int n, int layers, double until) {
  const std::string side = std::to_string(n);
  return R"model(mortise: 1
name: Pile of balls
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {n: )model" +
         side + R"model(, r: 0.1, w: 0.105*n}
bodies:
  ball$i: {repeat: {i: )model" +
         std::to_string(n * n * layers) + R"model(}, mass: 1, inertia: [0.004, 0.004, 0.004],
    at: ["0.205*(i - n*floor(i/n) - (n-1)/2) + 0.004*sin(3*i)",
         "0.205*(floor(i/n) - n*floor(i/n^2) - (n-1)/2) + 0.004*cos(5*i)", "0.11 + 0.21*floor(i/n^2)"],
    geometry: {skin: {sphere: r}}}
forces:
  pile: {type: contact-rigid, restitution: 0.2, friction: 0.3,
         ground: {floor: {plane: [0, 0, 1]}, left: {plane: [1, 0, 0], at: [-w, 0, 0]}, right: {plane: [-1, 0, 0], at: [w, 0, 0]},
                  front: {plane: [0, 1, 0], at: [0, -w, 0]}, back: {plane: [0, -1, 0], at: [0, w, 0]}}}
analysis: {until: )model" +
         std::to_string(until) + R"model(, integrator: contact-stepping, step: 2e-3}
output: {every: 0.01, quantities: [pile.fz, pile.penetration]}
)model";
}

// The largest growth of the energy from one frame to another later one, and the deepest penetration met.
struct PileFigures {
  double growth = 0, deepest = 0, balance = 0, first = 0, last = 0;
};

inline PileFigures figures(const Recording& r) {
  PileFigures out;
  const auto energy = [](const analysis::Frame& f) { return f.kinetic + f.potential; };
  double least = energy(r.frames.front());
  out.first = least;
  for (const analysis::Frame& f : r.frames) {
    out.growth = std::max(out.growth, energy(f) - least);
    least = std::min(least, energy(f));
    out.deepest = std::max(out.deepest, f.quantities[1]);
    out.balance = std::max(out.balance, std::abs(energy(f) + f.dissipated - out.first));
    out.last = energy(f);
  }
  return out;
}

}  // namespace mortise::test
