// mortise export out.h5 --csv: results as a table; --events: the ledger of events.
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "mortise/cli/commands.h"
#include "mortise/io/results.h"

namespace mortise::cli {

namespace {

struct Options {
  std::string input, output;
  std::vector<std::string> columns;
  std::uint64_t every = 1;
  bool csv = false, events = false;
};

int run(const Options& o) {
  io::ResultReader reader(o.input);
  const io::CsvOptions options{',', o.every, o.columns};
  const auto write = [&](std::ostream& stream, const std::string& name) {
    o.events ? io::export_events(reader, stream, name) : io::export_csv(reader, stream, options, name);
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
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("export", "write results as a table");
  command->add_option("results", o->input, "result file")->required();
  command->add_flag("--csv", o->csv, "comma-separated values (the default and only format)");
  command->add_option("-o,--output", o->output, "file (default: standard output)");
  command->add_option("--columns", o->columns, "only these: crank, A.reaction, energy.kinetic")->delimiter(',');
  command->add_flag("--events", o->events, "the ledger of events instead of the frames");
  command->add_option("--every", o->every, "every n-th frame")->check(CLI::PositiveNumber);
  command->callback([o, &outcome] { outcome.code = run(*o); });
}

}  // namespace mortise::cli
