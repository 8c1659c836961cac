#include "mortise/gauss/genetic.h"

#include <algorithm>

#include "mortise/gauss/genetic_search.h"
#include "mortise/gauss/search_factor.h"

namespace mortise::gauss {

namespace {

using Variant = GeneticSettings::Variant;

GeneticSettings genetic(const FormulationSettings& s, Variant variant) {
  GeneticSettings out;
  out.variant = variant;
  out.seed = s.seed;
  out.islands = s.islands;
  out.runs = s.runs;
  out.warm_runs = std::min(out.warm_runs, s.runs);
  return out;
}

}  // namespace

Genetic::Genetic(const FormulationSettings& settings)
    : Genetic(genetic(settings, settings.islands > 1 ? Variant::island : Variant::global)) {}

std::string Genetic::name() const {
  return settings_.variant == Variant::cellular ? "gauss-cellular" : "gauss-genetic";
}

Capabilities Genetic::can() const { return search_capabilities(); }

std::unique_ptr<Factor> Genetic::prepare(const Pattern& pattern) const {
  return make_search_factor(pattern, settings_, std::make_unique<GeneticSearch>(pattern.n(), pattern.m(), settings_));
}

std::unique_ptr<Formulation> make_cellular(const FormulationSettings& settings) {
  return std::make_unique<Genetic>(genetic(settings, Variant::cellular));
}

}  // namespace mortise::gauss
