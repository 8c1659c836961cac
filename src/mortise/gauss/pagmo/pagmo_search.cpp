// Runs of differential evolution and CMA-ES by pagmo2 (rivals.h). Unknowns are u in [−1, 1]ⁿ, x = c + r∘u; the centre
// is one of the individuals. Both may leave the box: the search then widens it.
#include <algorithm>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/cmaes.hpp>
#include <pagmo/algorithms/de.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "mortise/gauss/pagmo/module.h"

namespace mortise::gauss {

namespace {

// Individuals: enough that 4 to 20 coordinates are spanned, few enough for many generations of 6400 values in all.
constexpr unsigned de_individuals = 40, cmaes_individuals = 16;

struct InTheFrame {
  const GaussFunction* f = nullptr;
  const SearchFrame* frame = nullptr;

  pagmo::vector_double fitness(const pagmo::vector_double& u) const {
    const std::size_t n = u.size();
    pagmo::vector_double x(n), work(n + static_cast<std::size_t>(f->m()));
    for (std::size_t j = 0; j < n; ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      x[j] = frame->centre[k] + frame->range[k] * u[j];
    }
    return {f->value(x.data(), frame->weight, work.data())};
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const auto n = static_cast<std::size_t>(frame->centre.size());
    return {pagmo::vector_double(n, -1.0), pagmo::vector_double(n, 1.0)};
  }
};

class PagmoSearch final : public Search {
 public:
  PagmoSearch(bool cmaes, int n, int m, const GeneticSettings& settings) : Search(n, m, settings), cmaes_(cmaes) {}

 private:
  void begin(std::uint64_t stream) override {
    // Streams of different instants and seeds shall not be shifted copies of one another.
    std::uint64_t z = settings_.seed * 0x9e3779b97f4a7c15u + stream;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    seed_ = static_cast<unsigned>(z >> 32);
  }

  void run(const GaussFunction& f) override {
    const unsigned size = std::max(cmaes_ ? cmaes_individuals : de_individuals, 5u);
    const auto generations = std::max(static_cast<unsigned>(settings_.evaluations) / size, 2u) - 1;
    pagmo::population population{pagmo::problem{InTheFrame{&f, &frame_}}, size - 1, ++seed_};
    population.push_back(pagmo::vector_double(static_cast<std::size_t>(f.n()), 0.0));
    const pagmo::algorithm algorithm =
        cmaes_ ? pagmo::algorithm{pagmo::cmaes{generations, -1, -1, -1, -1, 0.5, 0, 0, false, false, ++seed_}}
               : pagmo::algorithm{pagmo::de{generations, 0.7, 0.9, 2u, 0, 0, ++seed_}};
    population = algorithm.evolve(population);
    values_ += static_cast<double>(population.get_problem().get_fevals());
    const double least = f.value(best_.data(), frame_.weight, work_.data());
    if (population.champion_f()[0] < least) {
      const pagmo::vector_double u = population.champion_x();
      for (Eigen::Index j = 0; j < best_.size(); ++j)
        best_[j] = frame_.centre[j] + frame_.range[j] * u[static_cast<std::size_t>(j)];
    }
  }

  bool cmaes_;
  unsigned seed_ = 0;
};

}  // namespace

}  // namespace mortise::gauss

extern "C" const char* mortise_pagmo_version() { return MORTISE_VERSION; }
extern "C" mortise::gauss::Search* mortise_pagmo_search(bool cmaes, int n, int m,
                                                        const mortise::gauss::GeneticSettings& settings) {
  return new mortise::gauss::PagmoSearch(cmaes, n, m, settings);
}
