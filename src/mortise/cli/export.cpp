// mortise export out.h5 --csv: results as a table, or with --json; --events: the ledger of events; --paraview FOLDER:
// as moving points and lines.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "mortise/cli/commands.h"
#include "mortise/cli/export_json.h"
#include "mortise/io/fmu/export_fmu.h"
#include "mortise/io/results.h"
#include "mortise/view/paraview.h"

namespace mortise::cli {

namespace {

struct ExportOptions {
  std::string input, output, paraview, fmu, loops;
  std::vector<std::string> columns, outputs, settings;
  std::uint64_t every = 1;
  bool csv = false, events = false, json = false;
};

int run_paraview(const ExportOptions& o, io::ResultReader& reader) {
  const auto m = load_text(reader.header().model_text, o.input + ":model");
  const view::ParaviewReport r =
      view::export_paraview(reader, *m, o.paraview, std::filesystem::path(o.input).stem().string(), o.every);
  fmt::print("written: {}, {}, {} with {} frames of {} points and {} cells\n", r.vtkhdf, r.xdmf, r.pvd, r.frames,
             r.points, r.cells);
  fmt::print("next: open {} in ParaView (5.12 and later; others: {})\n", r.vtkhdf, r.pvd);
  return 0;
}

int run_fmu(const ExportOptions& o) {
  const auto m = load(o.input, o.settings, o.loops);
  std::vector<std::string> outputs = o.outputs;
  if (outputs.empty())
    for (const model::QuantityName& q : m->model().output.quantities) outputs.push_back(q.name);
  if (outputs.empty()) {
    fmt::print(stderr,
               "error: a unit needs outputs: --outputs A.angle,arm.x (mortise list quantities {}), or output: "
               "{{quantities: […]}}\n",
               o.input);
    return static_cast<int>(ExitCode::usage);
  }
  const io::FmuReport r = io::export_fmu(*m, outputs, o.fmu);
  fmt::print("{}\nwritten: {} · FMI 2.0, co-simulation, {} · {}, {}, {}\n", headline(*m), r.file, r.identifier,
             counted(static_cast<long>(r.inputs), "input"), counted(static_cast<long>(r.parameters), "parameter"),
             counted(static_cast<long>(r.outputs), "output"));
  return 0;
}

int write_export(const ExportOptions& o) {
  if (!o.fmu.empty()) return run_fmu(o);
  io::ResultReader reader(o.input);
  if (!o.paraview.empty()) return run_paraview(o, reader);
  const io::CsvOptions options{',', o.every, o.columns};
  const auto write_csv = [&](std::ostream& stream, const std::string& name) {
    o.events ? io::export_events(reader, stream, name) : io::export_csv(reader, stream, options, name);
  };
  const auto write = [&](std::ostream& stream, const std::string& name) {
    if (!o.json) return write_csv(stream, name);
    JsonTable table(stream);
    std::ostream lines(&table);
    write_csv(lines, name);
    table.finish();
  };
  if (o.output.empty() || o.output == "-") {
    write(std::cout, "csv output");
    return 0;
  }
  std::ofstream file(o.output);
  if (!file) throw OutputError(o.output, "cannot be created");
  write(file, o.output);
  file.close();
  if (!file) throw OutputError(o.output, "cannot be written (disk full?)");
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "write results as a table or for ParaView, a model as a unit of FMI");
  command->add_option("results", o->input, "result file; with --fmu a model")->required();
  command->add_flag("--csv", o->csv, "comma-separated values (the default)");
  command->add_option("--paraview", o->paraview, "for ParaView: VTKHDF, XDMF and VTP files in this folder");
  command->add_option("--fmu", o->fmu, "of a model: a unit of FMI 2.0 for co-simulation (.fmu)");
  command->add_option("--outputs", o->outputs, "of a unit: quantities (default: output: quantities of the model)")
      ->delimiter(',');
  command->add_option("--set", o->settings, "of a unit: override a parameter or any path of the model")
      ->allow_extra_args(false);
  add_loops(*command, o->loops);
  command->add_flag("--json", o->json, "columns and rows as JSON")->excludes("--csv");
  command->add_option("-o,--output", o->output, "file (default: standard output)");
  command->add_option("--columns", o->columns, "only these: crank, A.reaction, energy.kinetic")->delimiter(',');
  command->add_flag("--events", o->events, "the ledger of events instead of the frames");
  command->add_option("--every", o->every, "every n-th frame")->check(CLI::PositiveNumber);
  command->callback([o, &outcome] { outcome.code = write_export(*o); });
}

}  // namespace mortise::cli
