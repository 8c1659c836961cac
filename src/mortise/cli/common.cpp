#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <cstdio>

#include "mortise/analysis/stepper.h"
#include "mortise/cli/commands.h"
#include "mortise/error.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

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

std::unique_ptr<mechanism::Mechanism> compile(model::Model model) {
  print_notes(model.notes);
  analysis::check_settings(model.analysis);
  return mechanism::Mechanism::compile(std::make_shared<const model::Model>(std::move(model)));
}

}  // namespace

std::vector<analysis::Quantity> find_quantities(const mechanism::Mechanism& m, io::ResultReader& reader,
                                                const std::vector<std::string>& names) {
  std::vector<analysis::Quantity> quantities;
  for (const std::string& name : names) quantities.push_back(analysis::find_quantity(m, reader.header(), name));
  check_told(m, reader, quantities);
  return quantities;
}

void check_told(const mechanism::Mechanism& m, io::ResultReader& reader,
                const std::vector<analysis::Quantity>& quantities) {
  if (!reader.header().kept || quantities.empty()) return;
  analysis::Frame frame;
  mechanism::Motions motions;
  reader.read_frame(reader.frames() - 1, frame);
  m.motions(as_span(frame.q), as_span(frame.v), motions);
  for (const analysis::Quantity& q : quantities)
    if (std::isnan(q.value(frame, motions)))
      throw ResultError(reader.path(), fmt::format("does not tell '{0}': it keeps {1}; run again with output: "
                                                   "{{quantities: [{0}]}}, or with its bodies and joints kept",
                                                   q.name, analysis::describe_kept(reader.header())));
}

std::unique_ptr<mechanism::Mechanism> load(const std::string& path, const std::vector<std::string>& settings,
                                           const std::string& loops) {
  return compile(io::load_model(path, mechanism::catalogue(), settings, loops));
}

void print_notes(const std::vector<Diagnostic>& notes) {
  for (const Diagnostic& note : notes) {
    const bool import = note.code == "M720" || note.code == "M721";
    if (!import)
      fmt::print(stderr, "{}\n", render(note));
    else
      fmt::print(stderr, "{}: note {}: {}{}\n", note.place.str(), note.code, note.message,
                 note.hint.empty() ? "" : " · " + note.hint);
  }
}

void add_loops(CLI::App& command, std::string& loops) {
  command.add_option("--loops", loops, "of URDF and MJCF: a YAML file with joints that close loops, and more");
}

std::unique_ptr<mechanism::Mechanism> load_text(const std::string& text, const std::string& name) {
  model::Model model = io::load_model_text(text, name, mechanism::catalogue());
  model.notes.clear();
  return compile(std::move(model));
}

}  // namespace mortise::cli
