#include <fmt/format.h>

#include <csignal>
#include <cstdio>

#include "mortise/cli/commands.h"
#include "mortise/gauss/formulation.h"
#include "mortise/integrate/integrator.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::cli {

std::atomic<int> signal_received{0};

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int number) { signal_received.store(number); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string counted(long count, const std::string& singular, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural.empty() ? singular + "s" : plural);
}

std::string headline(const mechanism::Mechanism& m) {
  const mechanism::Count c = m.count();
  std::string text = fmt::format("{} · {} · {}, {}", m.model().name.empty() ? "model" : m.model().name,
                                 m.dimension() == 2 ? "planar" : "spatial", counted(c.bodies, "body", "bodies"),
                                 counted(c.joints, "joint"));
  if (c.drivers) text += ", " + counted(c.drivers, "driver");
  if (c.forces) text += ", " + counted(c.forces, "force");
  return text + fmt::format(", {}, {}", counted(c.coordinates, "coordinate"), counted(c.rows, "constraint row"));
}

namespace {

template <class Entry>
void check_name(const std::vector<Entry>& entries, const std::string& name, const char* what, const char* list,
                const Place& place) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return;
    names.push_back(entry.name);
  }
  const std::string near = nearest_name(name, names);
  std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'?   ", near);
  throw ModelError(Diagnostic{"M207", fmt::format("unknown {} '{}'", what, name), place,
                              hint + fmt::format("(mortise list {})", list), false});
}

std::unique_ptr<mechanism::Mechanism> compile(model::Model model) {
  for (const Diagnostic& note : model.notes) fmt::print(stderr, "{}\n", render(note));
  check_analysis(model);
  return mechanism::Mechanism::compile(std::make_shared<const model::Model>(std::move(model)));
}

}  // namespace

void check_analysis(const model::Model& model) {
  const model::AnalysisSettings& a = model.analysis;
  check_name(gauss::formulations(), a.formulation, "formulation", "formulations", a.place_formulation);
  check_name(integrate::integrators(), a.integrator, "integrator", "integrators", a.place_integrator);
  check_name(stabilize::stabilizers(), a.stabilize, "stabilisation", "stabilizations", a.place_stabilize);
  for (const integrate::IntegratorEntry& entry : integrate::integrators())
    if (entry.name == a.integrator) {
      if (!entry.make)
        throw ModelError(Diagnostic{"M207", fmt::format("integrator '{}' is not in this build", a.integrator),
                                    a.place_integrator, entry.help, false});
      if (!entry.adaptive && !(a.step > 0))
        throw ModelError(Diagnostic{"M206", fmt::format("integrator '{}' needs a step", a.integrator),
                                    a.place_integrator, "give `step: 0.01`", false});
    }
  if (a.type != "dynamics")
    throw ModelError(Diagnostic{"M207", fmt::format("unknown analysis type '{}'", a.type), a.place,
                                "this version has: dynamics", false});
}

std::unique_ptr<mechanism::Mechanism> load(const std::string& path, const std::vector<std::string>& settings) {
  return compile(io::load_model(path, mechanism::catalogue(), settings));
}

std::unique_ptr<mechanism::Mechanism> load_text(const std::string& text, const std::string& name) {
  model::Model model = io::load_model_text(text, name, mechanism::catalogue());
  model.notes.clear();
  return compile(std::move(model));
}

}  // namespace mortise::cli
