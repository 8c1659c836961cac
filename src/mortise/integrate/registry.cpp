// The integrators by name: one line each.
#include <fmt/format.h>

#include <stdexcept>

#include "mortise/error.h"
#include "mortise/integrate/adams.h"
#include "mortise/integrate/alpha/generalized_alpha.h"
#include "mortise/integrate/contact/contact_stepping.h"
#include "mortise/integrate/integrator.h"
#include "mortise/integrate/rk4.h"
#include "mortise/integrate/rk45.h"
#include "mortise/integrate/staggered/staggered.h"
#include "mortise/integrate/tableau_pair.h"
#include "mortise/integrate/trapezoidal/trapezoidal.h"
#ifdef MORTISE_HAVE_SUNDIALS
#include "mortise/integrate/sundials/bdf.h"
#endif

namespace mortise::integrate {

namespace {

template <typename Method>
std::unique_ptr<Integrator> make(const Settings& settings) {
  return std::make_unique<Method>(settings);
}

}  // namespace

const std::vector<IntegratorEntry>& integrators() {
  static const std::vector<IntegratorEntry> entries = {
      {"adams", "multistep, order 1 to 12, variable step: fewest evaluations for smooth motion (default)", true,
       make<Adams>},
      {"rk45", "Dormand-Prince 5(4), variable step: short runs, many events, loose tolerances", true, make<Rk45>},
      {"rkv56", "Verner 6(5), variable step: medium tolerances, 1e-6 to 1e-9", true, make<Rkv56>},
      {"rk78", "Prince-Dormand 8(7), variable step: fine tolerances, restarts that must cost no accuracy", true,
       make<Rk78>},
      {"rk4", "classical Runge-Kutta of order 4, fixed step (set step): comparisons, real time", false, make<Rk4>},
      {"staggered-explicit-implicit",
       "two-stage central difference, multipliers by implicit half steps, order 2, fixed step (set step): no rank is "
       "ever decided",
       false, make<Staggered>, false},
      {"trapezoidal",
       "implicit one-step rule of order 2 with its own multipliers, soft or by Baumgarte's feedback, fixed step (set "
       "step): any rank",
       false, make<Trapezoidal>, false},
      {"backward-euler",
       "the same with the implicit rule of order 1, which damps: compliant steps, stiff rows, any rank (set step)",
       false, make<BackwardEuler>, false},
      {"contact-stepping",
       "rigid contacts with restitution and friction by impulses, fixed step (set step): many bodies that touch", false,
       make<ContactStepping>, false},
      {"generalized-alpha",
       "implicit on the Lie group, order 2, fixed step (set step), rho chooses the damping: stiff systems with "
       "constraints",
       false, make<GeneralizedAlpha>, false},
#ifdef MORTISE_HAVE_SUNDIALS
      {"bdf", "implicit multistep, order 1 to 5, variable step (CVODE): stiff springs and dampers", true, make<Bdf>},
#else
      {"bdf",
       "implicit multistep for stiff models; not in this build: install SUNDIALS (libsundials-dev), configure again",
       true, nullptr},
#endif
  };
  return entries;
}

std::vector<std::string> flow_integrators() {
  std::vector<std::string> names;
  for (const IntegratorEntry& entry : integrators())
    if (entry.make && entry.any_flow) names.push_back(entry.name);
  return names;
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, const Settings& settings) {
  std::vector<std::string> names;
  for (const IntegratorEntry& entry : integrators()) {
    if (entry.name == name) {
      if (!entry.make) throw std::invalid_argument(fmt::format("integrator {}: {}", name, entry.help));
      return entry.make(settings);
    }
    names.push_back(entry.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw std::invalid_argument(fmt::format("unknown integrator '{}'{}; there are {}", name,
                                          nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                                          fmt::join(names, ", ")));
}

}  // namespace mortise::integrate
