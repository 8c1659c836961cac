// mortise export out.h5 --csv: results as a table.
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
  bool csv = false;
};

int run(const Options& o) {
  io::ResultReader reader(o.input);
  const io::CsvOptions options{',', o.every, o.columns};
  if (o.output.empty() || o.output == "-") {
    io::export_csv(reader, std::cout, options);
    return 0;
  }
  std::ofstream file(o.output);
  if (!file) throw OutputError(o.output, "cannot be created");
  io::export_csv(reader, file, options, o.output);
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
  command->add_option("--every", o->every, "every n-th frame")->check(CLI::PositiveNumber);
  command->callback([o, &outcome] { outcome.code = run(*o); });
}

}  // namespace mortise::cli
