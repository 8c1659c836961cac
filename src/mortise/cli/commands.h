// The subcommands of the program, one file each. Each adds itself to the parser and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "mortise/analysis/quantity.h"
#include "mortise/io/results_reader.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::cli {

// What a command returns is the exit code; errors travel as exceptions to main.
struct Outcome {
  int code = 0;
};

void add_run(CLI::App& app, Outcome& outcome);
void add_compare(CLI::App& app, Outcome& outcome);
void add_convert(CLI::App& app, Outcome& outcome);
void add_check(CLI::App& app, Outcome& outcome);
void add_probe(CLI::App& app, Outcome& outcome);
void add_linearize(CLI::App& app, Outcome& outcome);
void add_export(CLI::App& app, Outcome& outcome);
void add_plot(CLI::App& app, Outcome& outcome);
void add_view(CLI::App& app, Outcome& outcome);
void add_video(CLI::App& app, Outcome& outcome);
void add_list(CLI::App& app, Outcome& outcome);
void add_schema(CLI::App& app, Outcome& outcome);
void add_new(CLI::App& app, Outcome& outcome);
void add_explain(CLI::App& app, Outcome& outcome);
void add_reproduce(CLI::App& app, Outcome& outcome);
void add_completion(CLI::App& app, Outcome& outcome);

// Loads and compiles; prints the reader's notes on the error stream. `loops`: the sidecar of a robot file.
std::unique_ptr<mechanism::Mechanism> load(const std::string& path, const std::vector<std::string>& settings,
                                           const std::string& loops = "");
// Prints notes, one line each for what an importer did not use; the rest as they stand in the file.
void print_notes(const std::vector<Diagnostic>& notes);
// The option `--loops FILE` of commands that read models.
void add_loops(CLI::App& command, std::string& loops);
// From the text that a result file carries.
std::unique_ptr<mechanism::Mechanism> load_text(const std::string& text, const std::string& name);

// Named quantities of the frames of a result; throws ResultError for one that the file does not tell.
std::vector<analysis::Quantity> find_quantities(const mechanism::Mechanism& mechanism, io::ResultReader& reader,
                                                const std::vector<std::string>& names);
// Throws ResultError when a file that keeps less than all bodies and joints does not tell one of them.
void check_told(const mechanism::Mechanism& mechanism, io::ResultReader& reader,
                const std::vector<analysis::Quantity>& quantities);

// "12 bodies", "1 body"
std::string counted(long count, const std::string& singular, const std::string& plural = "");
// "planar · 4 bodies, 6 joints, 12 coordinates, 12 constraint rows"
std::string headline(const mechanism::Mechanism& mechanism);

// The signal that asked the program to end, or 0. Installed by `catch_signals`; a second one ends it at once.
extern std::atomic<int> signal_received;
void catch_signals();

}  // namespace mortise::cli
