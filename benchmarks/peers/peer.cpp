#include "peer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <stdexcept>

namespace peers {
namespace {

constexpr double every = 0.01;  // seconds between samples

// A rod of 1 m and 1 kg along `along`; `thin` about its own axis, 1/12 kg m² across unless told.
Body rod(const Vec3& from, const Vec3& along, double across, double thin) {
  Body body;
  body.at = from + along / 2;
  body.inertia = Vec3::Constant(across) + (thin - across) * along.cwiseAbs();
  return body;
}

// examples/n-four-bar.yaml; in three dimensions the rods are those of examples/n-four-bar-spatial.yaml.
Mechanism n_four_bar(int n) {
  Mechanism m;
  const double J = 1.0 / 12, thin = J / 100;
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  for (int i = 0; i <= n; ++i) {
    m.bodies.push_back(rod(i * x, y, J, thin));
    m.bodies.back().v = 0.5 * x;
    m.bodies.back().w = -z;
    m.hinges.push_back({-1, i, i * x, z});
  }
  for (int i = 0; i < n; ++i) {
    m.bodies.push_back(rod(i * x + y, x, J, thin));
    m.bodies.back().v = x;
    m.hinges.push_back({i, n + 1 + i, i * x + y, z});
    m.hinges.push_back({i + 1, n + 1 + i, (i + 1) * x + y, z});
  }
  return m;
}

// examples/chain.yaml
Mechanism chain(int n) {
  Mechanism m;
  for (int i = 0; i < n; ++i) {
    m.bodies.push_back(rod(i * Vec3::UnitX(), Vec3::UnitX(), 1.0 / 12, 1.0 / 1200));
    m.hinges.push_back({i - 1, i, i * Vec3::UnitX(), Vec3::UnitZ()});
  }
  return m;
}

// examples/bricard.yaml
Mechanism bricard() {
  Mechanism m;
  m.planar = false;
  const double w = 0.1, J = (1 + w * w) / 12, thin = w * w / 6;
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const Vec3 along[] = {x, -y, z, -x, y}, axis[] = {y, z, x, y, z, x};
  Vec3 corner = Vec3::Zero();
  for (int i = 0; i < 5; ++i) {
    m.bodies.push_back(rod(corner, along[i], J, thin));
    m.hinges.push_back({i - 1, i, corner, axis[i]});
    corner += along[i];
  }
  m.hinges.push_back({4, -1, corner, axis[5]});
  return m;
}

Mechanism make(const Task& task) {
  if (task.name == "n-four-bar") return n_four_bar(task.n);
  if (task.name == "chain") return chain(task.n);
  if (task.name == "bricard") return bricard();
  throw std::invalid_argument("unknown case '" + task.name + "'");
}

struct Judge {
  const Mechanism& m;
  double first = NAN, worst_energy = 0, largest_kinetic = 0, violation = 0;

  static BodyState state(const Peer& peer, int k) {
    return k < 0 ? BodyState{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Mat3::Identity()} : peer.body(k);
  }

  void sample(const Peer& peer) {
    double kinetic = 0, potential = 0;
    for (std::size_t k = 0; k < m.bodies.size(); ++k) {
      const Body& b = m.bodies[k];
      const BodyState s = peer.body(static_cast<int>(k));
      const Vec3 w = s.R.transpose() * s.w;
      kinetic += 0.5 * b.mass * s.v.squaredNorm() + 0.5 * w.dot(b.inertia.cwiseProduct(w));
      potential += b.mass * gravity * s.at.y();
    }
    if (std::isnan(first)) first = kinetic + potential;
    largest_kinetic = std::max(largest_kinetic, kinetic);
    // Not max(): a motion that is no number must not pass for a good one.
    const double error = std::abs(kinetic + potential - first);
    if (!(error <= worst_energy)) worst_energy = error;
    for (const Hinge& h : m.hinges) {
      const BodyState a = state(peer, h.a), b = state(peer, h.b);
      const Vec3 pa = a.at + a.R * (h.at - m.at(h.a)), pb = b.at + b.R * (h.at - m.at(h.b));
      const double gap = std::max((pa - pb).norm(), (a.R * h.axis - b.R * h.axis).norm());
      if (!(gap <= violation)) violation = gap;
    }
  }
  double energy_error() const { return worst_energy / largest_kinetic; }
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::isfinite(value) ? text : "null";
}

int measure(const Task& task) {
  using Clock = std::chrono::steady_clock;
  const Mechanism m = make(task);
  const std::unique_ptr<Peer> peer = make_peer(m, task);
  Judge judge{m};
  judge.sample(*peer);
  double wall = 0, cpu = 0, t = 0;
  std::string trouble;
  for (long k = 1; t < task.until && wall < task.limit; ++k) {
    const double next = std::min(static_cast<double>(k) * every, task.until);
    const auto start = Clock::now();
    const std::clock_t ticks = std::clock();
    try {
      peer->advance(next);
      const double spent = std::chrono::duration<double>(Clock::now() - start).count();
      const double processor = static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC;
      judge.sample(*peer);
      wall += spent;
      cpu += processor;
      t = next;
    } catch (const std::exception& error) {
      trouble = error.what();
      break;
    }
  }
  const Vec3 end = peer->body(static_cast<int>(m.bodies.size()) - 1).at;  // of the last body: peers should agree
  std::printf(
      "{\"peer\": %s, \"case\": %s, \"n\": %d, \"setting\": %s, \"constraint\": %s, \"until\": %s, \"reached\": %s, "
      "\"wall\": %s, \"cpu\": %s, \"steps\": %ld, \"energy_error\": %s, \"violation\": %s, \"end\": [%s, %s, %s], "
      "\"trouble\": %s}\n",
      quoted(peer_name).c_str(), quoted(task.name).c_str(), task.n, quoted(peer->setting()).c_str(),
      quoted(peer->constraint()).c_str(), number(task.until).c_str(), number(t).c_str(), number(wall).c_str(),
      number(cpu).c_str(), peer->steps(), number(judge.energy_error()).c_str(), number(judge.violation).c_str(),
      number(end.x()).c_str(), number(end.y()).c_str(), number(end.z()).c_str(), quoted(trouble).c_str());
  return 0;
}

}  // namespace

Tree::Tree(const Mechanism& m) {
  std::vector<bool> reached(m.bodies.size(), false);
  const auto there = [&](int body) { return body < 0 || reached[static_cast<std::size_t>(body)]; };
  for (const Hinge& h : m.hinges) {
    if (there(h.a) && there(h.b)) {
      loops.push_back(h);
      continue;
    }
    if (!there(h.a) && !there(h.b)) throw std::logic_error("hinges must be listed from the ground on");
    const bool forward = there(h.a);
    branches.push_back({forward ? h.a : h.b, forward ? h.b : h.a, h});
    reached[static_cast<std::size_t>(branches.back().child)] = true;
  }
}

}  // namespace peers

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s n-four-bar|chain|bricard N UNTIL LIMIT [key=value]...\n", argv[0]);
    return 2;
  }
  peers::Task task{argv[1], std::atoi(argv[2]), std::atof(argv[3]), std::atof(argv[4]), {}};
  for (int k = 5; k < argc; ++k) {
    const std::string word = argv[k];
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      std::fprintf(stderr, "%s: expected key=value, not '%s'\n", argv[0], argv[k]);
      return 2;
    }
    task.options[word.substr(0, equals)] = std::atof(word.c_str() + equals + 1);
  }
  try {
    return peers::measure(task);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
