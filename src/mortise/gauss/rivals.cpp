#include "mortise/gauss/rivals.h"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

#include "mortise/gauss/pagmo/module.h"
#include "mortise/gauss/search_factor.h"

namespace mortise::gauss {

namespace {

struct Module {
  MakePagmoSearch make = nullptr;
  std::string missing;
};

// Next to the library (or program) that this function is in: an installed tree may be moved.
std::string module_file() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void*>(&rivals_missing), &here) || !here.dli_fname) return pagmo_module;
  const std::string file = here.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? pagmo_module : file.substr(0, slash + 1) + pagmo_module;
}

Module load() {
  Module module;
  void* handle = dlopen(module_file().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    module.missing = "it needs the module " + std::string(pagmo_module) + ", built where pagmo2 is installed";
    return module;
  }
  const auto version = reinterpret_cast<PagmoModuleVersion>(dlsym(handle, pagmo_version_symbol));
  module.make = reinterpret_cast<MakePagmoSearch>(dlsym(handle, pagmo_make_symbol));
  if (!version || !module.make || std::string(version()) != MORTISE_VERSION) {
    module.make = nullptr;
    module.missing = "the module " + std::string(pagmo_module) + " is of another version of Mortise";
  }
  return module;
}

const Module& module() {
  static const Module loaded = load();
  return loaded;
}

class Rival final : public Formulation {
 public:
  Rival(std::string name, const FormulationSettings& s) : name_(std::move(name)) {
    settings_.seed = s.seed;
    settings_.runs = s.runs;
    settings_.warm_runs = std::min(settings_.warm_runs, s.runs);
  }
  std::string name() const override { return name_; }
  Capabilities can() const override { return search_capabilities(); }
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override {
    return make_search_factor(pattern, settings_, make_rival_search(name_, pattern.n(), pattern.m(), settings_));
  }

 private:
  std::string name_;
  GeneticSettings settings_;
};

}  // namespace

std::unique_ptr<Formulation> make_differential_evolution(const FormulationSettings& settings) {
  return std::make_unique<Rival>("gauss-de", settings);
}

std::unique_ptr<Formulation> make_cmaes(const FormulationSettings& settings) {
  return std::make_unique<Rival>("gauss-cmaes", settings);
}

bool is_rival(const std::string& formulation) { return formulation == "gauss-de" || formulation == "gauss-cmaes"; }

std::string rivals_missing() { return module().missing; }

std::unique_ptr<Search> make_rival_search(const std::string& formulation, int n, int m,
                                          const GeneticSettings& settings) {
  if (!module().make) throw std::runtime_error(formulation + ": " + module().missing);
  return std::unique_ptr<Search>(module().make(formulation == "gauss-cmaes", n, m, settings));
}

}  // namespace mortise::gauss
