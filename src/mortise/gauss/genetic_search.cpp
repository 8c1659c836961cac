#include "mortise/gauss/genetic_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::gauss {

namespace {

using Variant = GeneticSettings::Variant;

// Below this many operations a generation is done sooner than other threads are awake.
constexpr double worth_threads = 2e6;
constexpr int ramp = 8;  // runs in which the weight grows

int island_count(const GeneticSettings& s) { return s.variant == Variant::island ? std::max(s.islands, 1) : 1; }

int thread_count(const GeneticSettings& s, int n, int m) {
  if (s.threads > 0) return s.threads;
  if (s.variant == Variant::island) return island_count(s) > 1 ? 0 : 1;
  return s.population * (2.0 * n * n + 2.0 * n * m) > worth_threads ? 0 : 1;
}

// x > 0 with xᵏ = v ≥ 1, by Newton from above: std::pow differs in the last bit from library to library.
double root(double v, int k) {
  double x = v;
  for (;;) {
    double power = 1;
    for (int i = 1; i < k; ++i) power *= x;
    const double next = ((k - 1) * x + v / power) / k;
    if (!(next < x)) return x;
    x = next;
  }
}

// The factor by which the weight grows from run to run, to arrive with run min(runs, 8).
double growth(const GeneticSettings& s, int runs) {
  const int steps = std::min(runs, ramp) - 1;
  return steps > 0 ? root(std::max(s.weight / s.first_weight, 1.0), steps) : 1;
}

}  // namespace

GeneticSearch::GeneticSearch(int n, int m, const GeneticSettings& s)
    : settings_(s),
      islands_(static_cast<std::size_t>(island_count(s)), Population(n, m, s)),
      workers_(thread_count(s, n, m)) {
  for (Vector* v : {&frame_.centre, &frame_.range, &best_, &candidate_}) v->setZero(n);
  work_.setZero(n + m);
  const std::size_t migrants = islands_.size() * static_cast<std::size_t>(s.migrants);
  migrant_genes_.resize(migrants * static_cast<std::size_t>(n));
  migrant_values_.resize(migrants);
  table_.resize(static_cast<std::size_t>(2 * std::max(s.runs, s.warm_runs) + 1));
  for (SearchRun& line : table_) line.a.setZero(n);
}

void GeneticSearch::search(const GaussFunction& f, const Vector& centre, const Vector& range, int runs,
                           std::uint64_t stream) {
  for (std::size_t i = 0; i < islands_.size(); ++i)
    islands_[i].draw_from(RandomBits(settings_.seed, stream * islands_.size() + i));
  best_ = frame_.centre = centre;
  frame_.range = range;
  frame_.weight = runs > 1 ? settings_.first_weight : settings_.weight;
  const double factor = growth(settings_, runs);
  lines_ = 0;
  values_ = 0;
  note(f, 0);
  at_edge_ = false;
  for (int run = 1; run <= runs || (at_edge_ && run <= 2 * runs); ++run) {
    if (run == std::min(runs, ramp)) frame_.weight = settings_.weight;  // free of rounding
    run_populations(f);
    note(f, run);
    at_edge_ = false;
    for (int j = 0; j < best_.size(); ++j) {
      const bool edge = std::abs(best_[j] - frame_.centre[j]) > settings_.edge * frame_.range[j];
      at_edge_ = at_edge_ || edge;
      frame_.range[j] *= edge ? settings_.grow : settings_.shrink;
    }
    frame_.centre = best_;
    frame_.weight = std::min(settings_.weight, frame_.weight * factor);
  }
}

// Some generations from scratch, and the best of all against the best of the runs before, with today's weight.
void GeneticSearch::run_populations(const GaussFunction& f) {
  const int generations = std::max(settings_.evaluations / settings_.population, 1);
  const auto live = [&](Population& population, int begin, int end) {
    for (int g = begin; g < end; ++g) {
      if (g == 0)
        population.scatter();
      else if (settings_.variant == Variant::cellular)
        population.breed_cells();
      else
        population.breed();
      evaluate(f, population);
      population.rank();
    }
  };
  values_ += static_cast<double>(islands_.size()) * generations * settings_.population;
  const int epoch = islands_.size() > 1 ? std::max(settings_.migration_every, 1) : generations;
  for (int g = 0; g < generations; g += epoch) {
    const int end = std::min(g + epoch, generations);
    if (islands_.size() == 1) {
      live(islands_[0], g, end);
      continue;
    }
    workers_.for_each(static_cast<int>(islands_.size()),
                      [&](int i) { live(islands_[static_cast<std::size_t>(i)], g, end); });
    if (end < generations) migrate();
  }
  double least = f.value(best_.data(), frame_.weight, work_.data());
  for (const Population& population : islands_)
    if (population.value(population.best()) < least) {
      least = population.value(population.best());
      population.decode(population.best(), frame_, candidate_.data());
      best_ = candidate_;
    }
}

void GeneticSearch::evaluate(const GaussFunction& f, Population& population) {
  const int size = population.size();
  // On islands the thread is the island's; else slices of the one population.
  if (islands_.size() > 1 || !workers_.parallel()) {
    population.evaluate(f, frame_, 0, size);
    return;
  }
  constexpr int slices = 8;
  workers_.for_each(slices, [&](int i) { population.evaluate(f, frame_, size * i / slices, size * (i + 1) / slices); });
}

// The best of each island go to the next one in the ring, all at once.
void GeneticSearch::migrate() {
  const auto count = static_cast<std::size_t>(settings_.migrants), n = static_cast<std::size_t>(best_.size());
  const std::span<Population::Genes> genes(migrant_genes_);
  const std::span<double> values(migrant_values_);
  for (std::size_t i = 0; i < islands_.size(); ++i)
    islands_[i].emigrants(settings_.migrants, genes.subspan(i * count * n, count * n),
                          values.subspan(i * count, count));
  for (std::size_t i = 0; i < islands_.size(); ++i)
    islands_[(i + 1) % islands_.size()].immigrate(genes.subspan(i * count * n, count * n),
                                                  values.subspan(i * count, count));
}

void GeneticSearch::note(const GaussFunction& f, int run) {
  SearchRun& line = table_[static_cast<std::size_t>(lines_++)];
  line.run = run;
  line.a = best_;
  line.Z1 = f.value(best_.data(), settings_.weight, work_.data());
  line.weight = frame_.weight;
  line.range = frame_.range.size() > 0 ? frame_.range.maxCoeff() : 0;
}

void natural_range(const GaussFunction& f, Vector& range) {
  const int n = f.n(), m = f.m();
  double heaviest = 0;
  for (int j = 0; j < n; ++j) heaviest = std::max(heaviest, f.M()(j, j));
  // Coordinates without mass move like light ones.
  const auto mass = [&](int j) {
    const double least = heaviest > 0 ? 1e-6 * heaviest : 1;
    return std::max(f.M()(j, j), least);
  };
  for (int j = 0; j < n; ++j) range[j] = std::abs(f.Q()[j]) / mass(j);
  for (int i = 0; i < m; ++i) {
    double S = 0, miss = f.e()[i];
    for (int j = 0; j < n; ++j) {
      S += f.A()(i, j) * f.A()(i, j) / mass(j);
      miss -= f.A()(i, j) * f.Q()[j] / mass(j);
    }
    if (!(S > 0)) continue;
    for (int j = 0; j < n; ++j) range[j] += std::abs(f.A()(i, j) * miss) / (mass(j) * S);
  }
  double widest = 0;
  for (int j = 0; j < n; ++j) widest = std::max(widest, range[j]);
  for (int j = 0; j < n; ++j) range[j] = 2 * std::max(range[j], 0.1 * widest);
}

std::vector<SearchRun> table_of_runs(GaussFunction& f, const GeneticSettings& settings) {
  GeneticSearch search(f.n(), f.m(), settings);
  Vector range = Vector::Constant(f.n(), settings.range);
  if (!(settings.range > 0)) natural_range(f, range);
  search.search(f, Vector::Zero(f.n()), range, settings.runs, 0);
  std::vector<SearchRun> table(search.table().begin(), search.table().end());
  const double constant = f.constant().value_or(0);
  for (SearchRun& line : table) line.Z1 += constant;
  return table;
}

std::string print(const std::vector<SearchRun>& table) {
  std::string out = fmt::format("{:>3} {:>9} {:>9}", "run", "range", "weight");
  for (int j = 0; !table.empty() && j < table[0].a.size(); ++j)
    out += fmt::format(" {:>13}", fmt::format("a{}", j + 1));
  out += fmt::format(" {:>12}\n", "Z1");
  for (const SearchRun& line : table) {
    out += fmt::format("{:>3} {:>9.3g} {:>9.2g}", line.run, line.range, line.weight);
    for (const double a : line.a) out += fmt::format(" {:>13.6g}", a);
    out += fmt::format(" {:>12.6g}\n", line.Z1);
  }
  return out;
}

}  // namespace mortise::gauss
