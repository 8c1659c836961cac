// The native half of the Python package `mortise`: thin, without a taste of its own. What users see (names, messages,
// readable reprs) is written in Python, in ../mortise/.
#include "bindings.h"

PYBIND11_MODULE(_mortise, m) {
  using namespace mortise::python;
  m.doc() = "Native half of mortise: use `import mortise`.";
  m.attr("__version__") = MORTISE_VERSION;
  bind_errors(m);
  bind_model(m);
  bind_diagnosis(m);
  bind_results(m);
  bind_run(m);
  bind_simulation(m);
  bind_system(m);
  bind_batch(m);
  bind_show(m);
}
