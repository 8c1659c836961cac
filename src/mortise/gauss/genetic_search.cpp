#include "mortise/gauss/genetic_search.h"

#include <algorithm>
#include <cmath>

namespace mortise::gauss {

namespace {

using Variant = GeneticSettings::Variant;

// Below this many operations a generation is done sooner than other threads are awake.
constexpr double worth_threads = 2e6;

int island_count(const GeneticSettings& s) { return s.variant == Variant::island ? std::max(s.islands, 1) : 1; }

int thread_count(const GeneticSettings& s, int n, int m) {
  if (s.threads > 0) return s.threads;
  if (s.variant == Variant::island) return island_count(s) > 1 ? 0 : 1;
  return s.population * (2.0 * n * n + 2.0 * n * m) > worth_threads ? 0 : 1;
}

}  // namespace

GeneticSearch::GeneticSearch(int n, int m, const GeneticSettings& s)
    : Search(n, m, s),
      islands_(static_cast<std::size_t>(island_count(s)), Population(n, m, s)),
      workers_(thread_count(s, n, m)) {
  candidate_.setZero(n);
  const std::size_t migrants = islands_.size() * static_cast<std::size_t>(s.migrants);
  migrant_genes_.resize(migrants * static_cast<std::size_t>(n));
  migrant_values_.resize(migrants);
}

void GeneticSearch::begin(std::uint64_t stream) {
  for (std::size_t i = 0; i < islands_.size(); ++i)
    islands_[i].draw_from(RandomBits(settings_.seed, stream * islands_.size() + i));
}

// Some generations from scratch, and the best of all against the best of the runs before, with today's weight.
void GeneticSearch::run(const GaussFunction& f) {
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

std::vector<SearchRun> table_of_runs(GaussFunction& f, const GeneticSettings& settings) {
  GeneticSearch search(f.n(), f.m(), settings);
  return table_of_runs(f, search, settings);
}

}  // namespace mortise::gauss
