// What stands between a simulation and its controller: sensors that tell quantities as instruments do, and the usual
// controller. Both belong in a callback of Simulation::every, which samples at exact times:
//
//     Sensor lean("rod.angle", {.resolution = 1e-3, .delay = 1});
//     Pid pid({.p = 60, .i = 10, .d = 5, .least = -20, .most = 20}, 0.01);
//     sim.every(0.01, [&](Simulation& s) { s.set("torque", pid(upright - lean.read(s))); });
//
// Both remember: a state kept of the simulation does not hold them, copy them along with it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "mortise/analysis/simulation.h"

namespace mortise::analysis {

struct PidGains {
  double p = 0, i = 0, d = 0;
  double filter = 0;  // time constant of the differentiated error [s]; 0: none
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};

// u = p e + i ∫e + d ė, sampled: the integral by the trapezoidal rule, ė by the backward difference through a filter of
// first order. At the limits the integral waits instead of winding up: it takes what leads back only.
class Pid {
 public:
  Pid(const PidGains& gains, double period);  // throws std::invalid_argument for a period or limits without sense
  double operator()(double error);            // once a period
  void reset();
  double integral() const { return integral_; }

 private:
  PidGains gains_;
  double period_;
  bool begun_ = false;
  double last_ = 0, slope_ = 0, integral_ = 0;
};

struct SensorSettings {
  double resolution = 0;  // what is told is a multiple of it; 0: exact
  double noise = 0;       // standard deviation, before it is rounded to the resolution
  int delay = 0;          // in samples; before the first one that old the first one is told
  std::uint64_t seed = 1;
};

class Sensor {
 public:
  explicit Sensor(std::string quantity, const SensorSettings& settings = {});  // throws std::invalid_argument
  double read(Simulation& simulation);                                         // once a sample
  double told(double exact);                                                   // the same of a number at hand
  const std::string& quantity() const { return quantity_; }

 private:
  double normal();

  std::string quantity_;
  SensorSettings settings_;
  std::uint64_t random_;
  std::deque<double> waiting_;
};

}  // namespace mortise::analysis
