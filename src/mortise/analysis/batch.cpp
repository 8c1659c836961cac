#include "mortise/analysis/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <thread>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/pack_motion.h"
#include "mortise/analysis/stepper.h"
#include "mortise/gauss/workers.h"

namespace mortise::analysis {

namespace {

using mechanism::Mechanism;
using mechanism::PackMechanism;

constexpr std::size_t lane_total = linalg::pack_width;

// The method of a batch, whatever the model says: what a copy alone is run with.
model::AnalysisSettings batch_settings(const Mechanism& m, double step) {
  model::AnalysisSettings settings = m.model().analysis;
  settings.integrator = "rk4";
  settings.step = step;
  settings.stabilize = "projection";
  settings.coordinates = "absolute";
  settings.levels.clear();
  settings.weight = "mass";
  settings.formulation = "auto";
  settings.pseudoinverse.clear();
  settings.reuse = 1;
  return settings;
}

bool same_policy(const linalg::RankPolicy& a, const linalg::RankPolicy& b) {
  return a.relative == b.relative && a.fixed == b.fixed && a.per_violation == b.per_violation;
}

}  // namespace

struct Batch::Alone {
  Alone(const Mechanism& mechanism, double step) : stepper(mechanism, batch_settings(mechanism, step)) {
    solution.resize(mechanism.pattern());
  }
  void observe() {
    look.state = stepper.state();
    stepper.motion().accelerate(look.state, solution, need_energy);
    look.a = solution.a;
    const Evaluation& e = stepper.motion().evaluation();
    look.kinetic = e.kinetic;
    look.potential = e.potential;
    look.violation = stepper.motion().violation(e);
  }
  Stepper stepper;
  gauss::GaussSolution solution;
  BatchLook look;
};

// Where a copy is.
struct Batch::Place {
  State start;  // on the constraints
  int family = -1, pack = 0, lane = 0;
  std::unique_ptr<Alone> alone;
  std::string why, failure;
};

// Copies of one topology.
struct BatchFamily {
  BatchFamily(const Mechanism& m, const linalg::RankPolicy& policy) : first(m), policy(policy), plan(m.pattern()) {}
  const Mechanism& first;
  linalg::RankPolicy policy;
  gauss::PackPlan plan;
  std::vector<int> copies;
  std::vector<PackCopies> packs;                        // copies 4k … 4k + 3; the last one is repeated
  std::vector<std::unique_ptr<PackMotion>> workspaces;  // workspace w has the packs w, w + count, …
};

struct Batch::Lanes {
  explicit Lanes(int threads)
      : workers(threads), threads(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency())) {}
  gauss::Workers workers;
  int threads;
  std::vector<std::unique_ptr<BatchFamily>> families;
};

Batch::~Batch() = default;

Batch::Batch(std::vector<BatchCopy> copies, const BatchOptions& options)
    : copies_(std::move(copies)), places_(copies_.size()), lanes_(std::make_unique<Lanes>(options.threads)) {
  if (copies_.empty()) throw std::invalid_argument("a batch without copies");
  const model::AnalysisSettings& settings = copies_.front().mechanism->model().analysis;
  step_ = options.step > 0 ? options.step : settings.step;
  if (!(step_ > 0))
    throw ModelError(Diagnostic{"M476", "a batch has a fixed step, and none is given", settings.place,
                                "analysis: {integrator: rk4, step: 1e-3}", false});
  for (const BatchCopy& copy : copies_)
    if (!copy.mechanism->events().empty())
      throw ModelError(Diagnostic{"M477",
                                  fmt::format("{} cannot be in a batch", PackMechanism::obstacle(*copy.mechanism)),
                                  copy.mechanism->model().analysis.place, "run copies with events one by one", false});
  lanes_->workers.for_each(size(), [this](int copy) { assemble(copy); });
  t_ = places_.front().start.t;
  for (const Place& place : places_)
    if (place.failure.empty() && place.start.t != t_)
      throw std::invalid_argument(fmt::format("copies of a batch begin together: at {} s and {} s", t_, place.start.t));
  form_packs();
}

void Batch::assemble(int copy) {
  Place& place = places_[index(copy)];
  const BatchCopy& given = copies_[index(copy)];
  const Mechanism& m = *given.mechanism;
  try {
    const model::AnalysisSettings settings = batch_settings(m, step_);
    check_settings(settings);
    place.start = m.initial_state();
    if (given.start) {
      if (given.start->q.size() != m.q_size() || given.start->v.size() != m.v_size())
        throw std::invalid_argument("the start of a copy belongs to another mechanism");
      place.start.t = given.start->t;
      place.start.q = given.start->q;
      place.start.v = given.start->v;
      if (given.start->work.size() == work_count) place.start.work = given.start->work;
    } else {
      analysis::assemble(
          m, place.start,
          {settings.assemble, settings.allow_flip, rank_policy(settings), assembly_formulation(settings)});
    }
    const auto formulation = make_formulation(settings);
    const auto stabilizer = make_stabilizer(settings, m);
    Motion motion(m, *formulation, *stabilizer, rank_policy(settings));
    motion.set_active(place.start.active);
    motion.set_inputs(place.start.inputs);
    motion.project(place.start, Motion::Start::fresh);
  } catch (const SolveError& error) {
    place.failure = fmt::format("{}: {}", error.report().code, error.report().message);
  }
}

void Batch::form_packs() {
  std::map<const Mechanism*, int> family_of;  // −1: alone
  std::map<const Mechanism*, std::string> reasons;
  auto& families = lanes_->families;
  for (int copy = 0; copy < size(); ++copy) {
    Place& place = places_[index(copy)];
    const Mechanism& m = mechanism(copy);
    const auto [found, fresh] = family_of.try_emplace(&m, -1);
    if (fresh) {
      std::string& reason = reasons[&m];
      reason = PackMechanism::obstacle(m);
      const linalg::RankPolicy policy = rank_policy(m.model().analysis);
      for (std::size_t f = 0; f < families.size() && reason.empty() && found->second < 0; ++f)
        if (same_policy(families[f]->policy, policy) && PackMechanism::difference(families[f]->first, m).empty())
          found->second = static_cast<int>(f);
      if (reason.empty() && found->second < 0) {
        found->second = static_cast<int>(families.size());
        families.push_back(std::make_unique<BatchFamily>(m, policy));
      }
    }
    if (!place.failure.empty()) continue;
    if (found->second < 0) {
      put_alone(copy, reasons[&m]);
      continue;
    }
    BatchFamily& family = *families[index(found->second)];
    place.family = found->second;
    place.pack = static_cast<int>(family.copies.size() / lane_total);
    place.lane = static_cast<int>(family.copies.size() % lane_total);
    family.copies.push_back(copy);
  }
  for (const auto& family : families) {
    std::map<PackMechanism::Copies, std::shared_ptr<const PackMechanism>> made;
    for (std::size_t begin = 0; begin < family->copies.size(); begin += lane_total) {
      const auto copy_at = [&](int lane) {
        return family->copies[std::min(begin + index(lane), family->copies.size() - 1)];
      };
      PackMechanism::Copies four;
      for (int lane = 0; lane < linalg::pack_width; ++lane) four[index(lane)] = &mechanism(copy_at(lane));
      auto& shared = made[four];
      if (!shared) shared = std::make_shared<const PackMechanism>(four);
      family->packs.emplace_back();
      PackCopies& pack = family->packs.back();
      pack.mechanism = shared;
      pack.t = pack.t0 = t_;
      const auto gather = [&](std::size_t count, const auto& of) {
        std::vector<Pack> out;
        for (std::size_t i = 0; i < count; ++i)
          out.push_back(mechanism::gather([&](int lane) { return of(copy_at(lane))[i]; }));
        return out;
      };
      const auto n = index(four[0]->v_size()), m = index(four[0]->pattern().m()), nq = index(four[0]->q_size());
      pack.position_size = gather(m, [&](int copy) { return mechanism(copy).pattern().position_size.data(); });
      pack.velocity_size = gather(m, [&](int copy) { return mechanism(copy).pattern().velocity_size.data(); });
      std::vector<Vector> q_sizes, v_sizes;
      for (int lane = 0; lane < linalg::pack_width; ++lane) {
        q_sizes.emplace_back(static_cast<Eigen::Index>(nq));
        v_sizes.emplace_back(static_cast<Eigen::Index>(n));
        four[index(lane)]->typical_sizes(as_span(q_sizes.back()), as_span(v_sizes.back()));
      }
      const auto by_lane = [](const std::vector<Vector>& sizes, std::size_t count) {
        std::vector<Pack> out;
        for (std::size_t i = 0; i < count; ++i)
          out.push_back(mechanism::gather([&](int lane) { return sizes[index(lane)][static_cast<Eigen::Index>(i)]; }));
        return out;
      };
      pack.q_size = by_lane(q_sizes, nq);
      pack.v_size = by_lane(v_sizes, n);
      pack.metric.factor(family->plan, shared->mass(),
                         gather(m, [&](int copy) { return mechanism(copy).pattern().row_scale.data(); }),
                         family->policy);
      const auto start = [&](int copy) -> const State& { return places_[index(copy)].start; };
      pack.y = gather(nq, [&](int copy) { return start(copy).q.data(); });
      for (const Pack& v : gather(n, [&](int copy) { return start(copy).v.data(); })) pack.y.push_back(v);
      for (const Pack& w : gather(work_count, [&](int copy) { return start(copy).work.data(); })) pack.y.push_back(w);
      pack.ydot.assign(pack.y.size(), Pack(0));
      pack.a.assign(n, Pack(0));
      pack.lambda.assign(m, Pack(0));
    }
    const std::size_t count = std::min(family->packs.size(), index(4 * lanes_->threads));
    for (std::size_t w = 0; w < count; ++w)
      family->workspaces.push_back(
          std::make_unique<PackMotion>(*family->packs.front().mechanism, family->plan, family->policy));
    lanes_->workers.for_each(static_cast<int>(count), [&](int w) {
      for (std::size_t p = index(w); p < family->packs.size(); p += count) {
        family->workspaces[index(w)]->begin(family->packs[p]);
        family->workspaces[index(w)]->observe(family->packs[p]);
      }
    });
  }
}

void Batch::put_alone(int copy, const std::string& why) {
  Place& place = places_[index(copy)];
  place.why = why;
  try {
    place.alone = std::make_unique<Alone>(mechanism(copy), step_);
    place.alone->stepper.start(place.start);
    place.alone->observe();
  } catch (const SolveError& error) {
    place.failure = fmt::format("{}: {}", error.report().code, error.report().message);
  }
}

void Batch::advance_alone(int copy, double stop) {
  Place& place = places_[index(copy)];
  if (!place.failure.empty()) return;
  try {
    place.alone->stepper.advance_to(stop);
    place.alone->observe();
  } catch (const SolveError& error) {
    place.failure = fmt::format("{}: {}", error.report().code, error.report().message);
    place.alone->look.state = place.alone->stepper.state();
  }
}

void Batch::advance(double stop) {
  if (!(stop >= t_)) throw std::invalid_argument(fmt::format("advance({}): the batch is at {} s", stop, t_));
  for (const auto& family : lanes_->families) {
    // One capture: a larger one would be put on the heap.
    const struct {
      BatchFamily& family;
      double stop, step;
    } task{*family, stop, step_};
    lanes_->workers.for_each(static_cast<int>(family->workspaces.size()), [&task](int w) {
      BatchFamily& f = task.family;
      for (std::size_t p = index(w); p < f.packs.size(); p += f.workspaces.size()) {
        f.workspaces[index(w)]->advance(f.packs[p], task.stop, task.step);
        f.workspaces[index(w)]->observe(f.packs[p]);
      }
    });
    for (const PackCopies& pack : family->packs) {
      if (!any(pack.lost)) continue;
      for (const int copy : family->copies) {
        Place& place = places_[index(copy)];
        if (place.why.empty() && &family->packs[index(place.pack)] == &pack && pack.lost[place.lane])
          put_alone(copy, "the lanes lost it: it is run again alone");
      }
    }
  }
  lanes_->workers.for_each(size(), [this, stop](int copy) {
    if (places_[index(copy)].alone) advance_alone(copy, stop);
  });
  t_ = stop;
}

BatchLook Batch::look(int copy) const {
  BatchLook out;
  look(copy, out);
  return out;
}

void Batch::look(int copy, BatchLook& out) const {
  const Place& place = places_[index(copy)];
  if (place.alone) {
    out = place.alone->look;
    return;
  }
  if (place.family < 0) {  // failed before it began
    out.state = place.start;
    return;
  }
  const PackCopies& pack = lanes_->families[index(place.family)]->packs[index(place.pack)];
  const auto take = [&](const Pack* from, Eigen::Index size, Vector& to) {
    to.resize(size);
    for (Eigen::Index i = 0; i < size; ++i) to[i] = from[i][place.lane];
  };
  const Mechanism& m = mechanism(copy);
  out.state.t = pack.t;
  take(pack.y.data(), m.q_size(), out.state.q);
  take(pack.y.data() + m.q_size(), m.v_size(), out.state.v);
  take(pack.y.data() + m.q_size() + m.v_size(), work_count, out.state.work);
  take(pack.lambda.data(), m.pattern().m(), out.state.lambda);
  take(pack.a.data(), m.v_size(), out.a);
  out.state.inputs = place.start.inputs;
  out.state.active = place.start.active;
  out.kinetic = pack.kinetic[place.lane];
  out.potential = pack.potential[place.lane];
  out.violation = {pack.position_error[place.lane], pack.velocity_error[place.lane]};
}

Batch::Way Batch::way(int copy) const { return places_[index(copy)].alone ? Way::alone : Way::lanes; }
const std::string& Batch::why(int copy) const { return places_[index(copy)].why; }
const std::string& Batch::failure(int copy) const { return places_[index(copy)].failure; }

std::vector<std::string> Batch::copy_by_copy() const {
  std::vector<std::string> names;
  for (const auto& family : lanes_->families)
    for (const PackCopies& pack : family->packs)
      for (const std::string& name : pack.mechanism->copy_by_copy())
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

}  // namespace mortise::analysis
