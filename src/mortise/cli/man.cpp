#include "mortise/cli/man.h"

#include <fmt/format.h>

#include "mortise/cli/topics.h"

namespace mortise::cli {

namespace {

// For troff: backslashes, hyphens that are to stay hyphens, and lines that would be requests.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begins = c == '\n';
  }
  return out;
}

std::string option_head(const CLI::Option& option) {
  std::string out;
  for (const std::string& name : option.get_snames())
    out += (out.empty() ? "" : ", ") + ("\\fB\\-" + roff(name) + "\\fR");
  for (const std::string& name : option.get_lnames())
    out += (out.empty() ? "" : ", ") + ("\\fB\\-\\-" + roff(name) + "\\fR");
  if (option.get_positional()) return "\\fI" + roff(option.get_name()) + "\\fR";
  if (option.get_items_expected_max() > 0) out += " \\fIvalue\\fR";
  return out;
}

std::string options_of(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() != "--help")
      out += fmt::format(".TP\n{}\n{}\n", option_head(*option), roff(option->get_description()));
  return out;
}

std::string synopsis_of(const CLI::App& command) {
  std::string out = "\\fBmortise " + roff(command.get_name()) + "\\fR";
  bool options = false;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      const std::string name =
          "\\fI" + roff(option->get_name()) + "\\fR" + (option->get_items_expected_max() > 1 ? " ..." : "");
      out += option->get_required() ? " " + name : " [" + name + "]";
    } else {
      options = options || option->get_name() != "--help";
    }
  }
  return out + (options ? " [\\fIoptions\\fR]" : "");
}

constexpr const char* tail = R"(.SH ENVIRONMENT
.TP
NO_COLOR
set to anything: no colours, on terminals either
.SH EXAMPLES
.nf
mortise new four\-bar
mortise check four\-bar.yaml
mortise run four\-bar.yaml
mortise plot four\-bar.h5
mortise plot four\-bar.h5 motor.effort \-\-against crank_bar.angle \-o torque.png
mortise explain redundant
.fi
)";

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH MORTISE 1 \"\" \"mortise {}\" \"User commands\"\n.SH NAME\nmortise \\- computes how constrained mechanical "
      "systems move\n.SH SYNOPSIS\n",
      MORTISE_VERSION);
  std::string commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += synopsis_of(*command) + "\n.br\n";
    commands += fmt::format(".SS {}\n{}\n{}", roff(command->get_name()), roff(command->get_description()),
                            options_of(*command));
  }
  std::string codes = ".SH EXIT STATUS\n";
  for (const ExitMeaning& code : exit_codes())
    codes += fmt::format(".TP\n{}\n{}\n", roff(code.code), roff(code.meaning));
  return out + ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.SH COMMANDS\n" + commands + codes + tail;
}

}  // namespace mortise::cli
