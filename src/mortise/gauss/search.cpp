#include "mortise/gauss/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mortise::gauss {

namespace {

constexpr int ramp = 8;  // runs in which the weight grows

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

Search::Search(int n, int m, const GeneticSettings& s) : settings_(s) {
  for (Vector* v : {&frame_.centre, &frame_.range, &best_}) v->setZero(n);
  work_.setZero(n + m);
  table_.resize(static_cast<std::size_t>(2 * std::max(s.runs, s.warm_runs) + 1));
  for (SearchRun& line : table_) line.a.setZero(n);
}

void Search::search(const GaussFunction& f, const Vector& centre, const Vector& range, int runs, std::uint64_t stream) {
  begin(stream);
  best_ = frame_.centre = centre;
  frame_.range = range;
  frame_.weight = runs > 1 ? settings_.first_weight : settings_.weight;
  const double factor = growth(settings_, runs);
  lines_ = 0;
  values_ = 0;
  note(f, 0);
  at_edge_ = false;
  for (int k = 1; k <= runs || (at_edge_ && k <= 2 * runs); ++k) {
    if (k == std::min(runs, ramp)) frame_.weight = settings_.weight;  // free of rounding
    run(f);
    note(f, k);
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

void Search::note(const GaussFunction& f, int run) {
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

std::vector<SearchRun> table_of_runs(GaussFunction& f, Search& search, const GeneticSettings& settings) {
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
