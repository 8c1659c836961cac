#include "mortise/cli/topics.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mortise/analysis/kinds.h"
#include "mortise/cli/embedded.h"
#include "mortise/formula/expression.h"
#include "mortise/mechanism/pages.h"
#include "mortise/view/method_pages.h"

namespace mortise::cli {

namespace {

std::string_view document(std::string_view name) {
  for (const EmbeddedText& text : reference())
    if (text.name == name) return text.text;
  throw std::logic_error(fmt::format("docs/{}.md is not in the program", name));
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    out.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

// A row of a table in docs/errors.md: "| S402 | 4 | meaning | cure |", M codes without the exit code.
bool is_code(const std::string& word) {
  return word.size() == 4 && word[0] >= 'A' && word[0] <= 'Z' &&
         word.find_first_not_of("0123456789", 1) == std::string::npos;
}

void add_codes(std::vector<Topic>& out) {
  for (const std::string& line : split(document("errors"), '\n')) {
    if (!line.starts_with('|')) continue;
    const std::vector<std::string> cells = split(line.substr(1, line.rfind('|') - 1), '|');
    if (cells.size() < 3 || !is_code(cells[0])) continue;
    const bool has_exit = cells.size() > 3;
    const std::string exit = has_exit ? cells[1] : cells[0].starts_with("M0") ? "0, a note" : "3";
    const std::string text = fmt::format("# {}\n\n{}.\n\nCure: {}.\n\nExit code {}. All codes: docs/errors.md\n",
                                         cells[0], cells[has_exit ? 2 : 1], cells[has_exit ? 3 : 2], exit);
    out.push_back({"error code", cells[0], {}, [text] { return text; }});
  }
}

constexpr const char* exit_section = "## Exit codes of the program";

// Sections "## name (alias, alias)" of a document.
void add_sections(std::vector<Topic>& out, const std::string& kind, std::string_view text) {
  for (std::size_t at = text.find("\n## "); at != std::string_view::npos;) {
    const std::size_t next = text.find("\n## ", at + 1);
    const std::string section = trimmed(text.substr(at, next == std::string_view::npos ? next : next - at)) + "\n";
    const std::string headline = section.substr(3, section.find('\n') - 3);
    const std::size_t bracket = headline.find(" (");
    std::vector<std::string> aliases;
    if (bracket != std::string::npos)
      aliases = split(headline.substr(bracket + 2, headline.rfind(')') - bracket - 2), ',');
    const std::string name = headline.substr(0, bracket);
    const std::string shown = "# " + name + section.substr(section.find('\n'));
    out.push_back({kind, name, aliases, [shown] { return shown; }});
    at = next;
  }
}

void add_analyses(std::vector<Topic>& out) {
  std::vector<Topic> sections;
  add_sections(sections, "analysis", document("analyses"));
  for (const analysis::AnalysisKind& kind : analysis::analyses()) {
    std::string text = fmt::format("# {}\n\n{}.\n\n    analysis: {{type: {}}}\n\nAll analyses: docs/analyses.md\n",
                                   kind.name, kind.help, kind.name);
    for (const Topic& section : sections)
      if (section.name == kind.name) text = section.text();
    out.push_back({"analysis", kind.name, {}, [text] { return text; }});
  }
}

}  // namespace

std::vector<Topic> topics() {
  std::vector<Topic> out;
  for (const mechanism::Part& part : mechanism::parts())
    out.push_back({std::string(model::item_name(part.info.section)), part.info.type, part.info.aliases,
                   [&part] { return mechanism::page(part); }});
  for (const view::MethodKind kind : view::method_kinds())
    for (const view::MethodEntry& entry : view::methods_of(kind)) {
      std::string what = view::section_of(kind);
      if (what.back() == 's' && kind != view::MethodKind::coordinates) what.pop_back();
      out.push_back({what, entry.name, {}, [kind, name = entry.name] { return view::method_text(kind, name); }});
    }
  add_analyses(out);
  for (const formula::FunctionInfo& f : formula::functions())
    out.push_back({"function", f.name, {}, [&f] {
                     return fmt::format("# {}\n\n{}\n\nAll functions: docs/formulas.md\n", f.name, f.help);
                   }});
  add_codes(out);
  add_sections(out, "word", document("words"));
  out.push_back({"word", "exit codes", {"exit code", "exit"}, [] {
                   const std::string_view errors = document("errors");
                   const std::size_t begin = errors.find(exit_section) + std::string_view(exit_section).size();
                   return "# exit codes\n\n" + trimmed(errors.substr(begin)) + "\n";
                 }});
  return out;
}

std::vector<ExitMeaning> exit_codes() {
  const std::string_view errors = document("errors");
  std::vector<ExitMeaning> out;
  for (const std::string& line : split(errors.substr(errors.find(exit_section)), '\n')) {
    if (!line.starts_with("| ") || !std::isdigit(static_cast<unsigned char>(line[2]))) continue;
    const std::vector<std::string> cells = split(line.substr(1, line.rfind('|') - 1), '|');
    out.push_back({cells.at(0), cells.at(1)});
  }
  return out;
}

}  // namespace mortise::cli
