// The program: parses the command line, runs one subcommand, turns exceptions into messages and exit codes.
//
// Exit codes: 0 done, 2 usage, 3 model, 4 solve, 5 conflict, 6 output, 130 and 143 interrupted by a signal.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "mortise/cli/color.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/completion.h"
#include "mortise/cli/man.h"
#include "mortise/error.h"

namespace {

template <class... Values>
void complain(fmt::format_string<Values...> form, Values&&... values) {
  fmt::print(stderr, "{}", mortise::cli::colored_message(fmt::format(form, std::forward<Values>(values)...), stderr));
}

int report(const mortise::ModelError& error, bool runs) {
  int errors = 0;
  for (const mortise::Diagnostic& d : error.diagnostics()) {
    complain("{}\n", render(d));
    errors += !d.warning;
  }
  fmt::print(stderr, "{}{}\n", mortise::cli::counted(errors, "error"), runs ? ", nothing was run" : "");
  return static_cast<int>(mortise::ExitCode::model);
}

// Whether the command that was called runs models, so that its mistakes kept one from being run.
bool runs_models(const CLI::App& app) {
  if (app.get_subcommands().empty()) return false;
  const std::string name = app.get_subcommands().front()->get_name();
  return name == "run" || name == "check" || name == "compare" || name == "linearize" || name == "convert";
}

// The command or option on a refused command line that does not exist, with the nearest that does; "" when all exist.
std::string unknown_word(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = nullptr;
  for (int k = 1; k < argc && std::string(argv[k]) != "--"; ++k) {
    const std::string word = argv[k];
    std::vector<std::string> known;
    if (!command && !word.starts_with("-")) {
      for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (c->get_name() == word) command = c;
        known.push_back(c->get_name());
      }
      if (command) continue;
    } else if (word.starts_with("--")) {
      for (const CLI::Option* option : (command ? command : &app)->get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      if (std::find(known.begin(), known.end(), word.substr(0, word.find('='))) != known.end()) continue;
    } else {
      continue;
    }
    const std::string near = mortise::nearest_name(word, known);
    return fmt::format("there is no {} '{}'{}", word.starts_with("-") ? "option" : "command", word,
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  return "";
}

// What a refused command line lacks, in the words of the help; "" where the parser's own words are good enough.
std::string lacking(const CLI::App& app, const CLI::ParseError& error) {
  const std::string said = error.what();
  const std::size_t colon = said.find(": "), required = said.find(" required ");
  if (said.ends_with(" missing") && colon < required && required != std::string::npos)
    return said.substr(0, colon) + " needs a value";
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::RequiredError)) return "";
  if (app.get_subcommands().empty()) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      names += (names.empty() ? "" : ", ") + command->get_name();
    return "a command is missing: " + names;
  }
  const CLI::App* command = app.get_subcommands().front();
  for (const CLI::Option* option : command->get_options())
    if (option->get_required() && option->count() == 0)
      return fmt::format("'mortise {}' needs '{}': {}", command->get_name(), option->get_name(),
                         option->get_description());
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mortise;
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the user's limit is then a failed write like a full disk
  CLI::App app{
      "Mortise computes how constrained mechanical systems move: list every constraint you know of, redundant or not.\n"
      "Start with: mortise run examples/five-bar.yaml"};
  app.set_version_flag("--version", std::string("mortise ") + MORTISE_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  cli::Outcome outcome;
  cli::add_new(app, outcome);
  cli::add_run(app, outcome);
  cli::add_compare(app, outcome);
  cli::add_convert(app, outcome);
  cli::add_check(app, outcome);
  cli::add_probe(app, outcome);
  cli::add_linearize(app, outcome);
  cli::add_export(app, outcome);
  cli::add_plot(app, outcome);
  cli::add_view(app, outcome);
  cli::add_reproduce(app, outcome);
  cli::add_video(app, outcome);
  cli::add_list(app, outcome);
  cli::add_explain(app, outcome);
  cli::add_schema(app, outcome);
  cli::add_completion(app, outcome);
  app.add_flag_callback(
      "--man",
      [&app] {
        fmt::print("{}", cli::man_page(app));
        throw CLI::Success();
      },
      "print the manual page");
  if (argc > 1 && std::string(argv[1]) == "__complete") {
    for (const std::string& word : cli::complete(app, {argv + 2, argv + argc})) fmt::print("{}\n", word);
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    std::string message = unknown_word(app, argc, argv);
    if (message.empty()) message = lacking(app, error);
    complain("error: {}\nsee: mortise {}--help\n", message.empty() ? error.what() : message,
             app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ");
    return static_cast<int>(ExitCode::usage);
  } catch (const ModelError& error) {
    return report(error, runs_models(app));
  } catch (const SolveError& error) {
    complain("{}\n", render(error.report()));
    return static_cast<int>(error.report().exit);
  } catch (const OutputError& error) {
    complain("error: {}\n", error.what());
    return static_cast<int>(ExitCode::output);
  } catch (const ResultError& error) {
    complain("error: {}\n", error.what());
    return static_cast<int>(ExitCode::model);
  } catch (const std::bad_alloc&) {
    complain("error: out of memory\n");
    return static_cast<int>(ExitCode::solve);
  } catch (const std::exception& error) {
    complain("error: {} (please report this with the model)\n", error.what());
    return static_cast<int>(ExitCode::solve);
  }
  return outcome.code;
}
