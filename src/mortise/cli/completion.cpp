#include "mortise/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mortise/analysis/quantity.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/embedded.h"
#include "mortise/cli/topics.h"
#include "mortise/io/results.h"
#include "mortise/mechanism/parts.h"
#include "mortise/view/method_pages.h"

namespace mortise::cli {

namespace {

using Words = std::vector<std::string>;

constexpr const char* bash_script = R"sh(# mortise: completion for bash. To try it: source <(mortise completion bash)
_mortise() {
  local current=${COMP_WORDS[COMP_CWORD]} line pattern
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files*)
        pattern=${line#:files }
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done \
          < <(compgen -d -- "$current"; compgen -f -X "!$pattern" -- "$current")
        ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *. ]] || compopt -o nospace 2>/dev/null
}
complete -F _mortise mortise
)sh";

constexpr const char* zsh_script = R"sh(#compdef mortise
# mortise: completion for zsh. To try it: source <(mortise completion zsh)
_mortise() {
  local line
  local -a lines
  lines=("${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :files*) _files -g "${line#:files }" ;;
      *.) compadd -S '' -- $line ;;
      *) compadd -- $line ;;
    esac
  done
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _mortise "$@"
else
  compdef _mortise mortise
fi
)sh";

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == name) return command;
  return nullptr;
}

const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
  if (!word.starts_with("-")) return nullptr;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional() && option->check_name(word)) return option;
  return nullptr;
}

bool takes_value(const CLI::Option* option) { return option && option->get_items_expected_max() > 0; }

// "TEXT:{smooth,other}": what a check of the parser allows.
Words choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.rfind('}');
  Words out;
  if (open == std::string::npos || close == std::string::npos) return out;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    out.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Words methods(view::MethodKind kind) {
  Words out;
  for (const view::MethodEntry& entry : view::methods_of(kind)) out.push_back(entry.name);
  return out;
}

// Of the first result on the line that can be read.
Words quantities(const Words& words) {
  for (const std::string& word : words) {
    if (std::filesystem::path(word).extension() != ".h5") continue;
    const io::ResultReader reader(word);
    return analysis::quantity_names(*load_text(reader.header().model_text, word));
  }
  return {};
}

struct Asked {
  std::string command;
  std::string name;   // of the option, without dashes, or of the positional argument
  Words words;        // all of the line before the current one
  Words positionals;  // of these, those that are no options and no values of options
  std::string typed;
};

Words list_names(const Asked& asked) {
  if (asked.positionals.empty()) return {};
  const std::string& topic = asked.positionals[0];
  if (topic == "quantities") return {":files *.yaml"};
  for (const auto section : {model::Section::body, model::Section::joint, model::Section::driver, model::Section::force,
                             model::Section::event})
    if (topic == model::section_name(section)) return mechanism::catalogue().types(section);
  for (const view::MethodKind kind : view::method_kinds())
    if (topic == view::section_of(kind)) return methods(kind);
  return {};
}

Words topic_names() {
  Words out;
  for (const Topic& topic : topics()) out.push_back(topic.name);
  return out;
}

Words starter_names() {
  Words out;
  for (const EmbeddedText& starter : starters()) out.emplace_back(starter.name);
  return out;
}

// Lists with commas: what stands before the last comma stays.
Words after_comma(const std::string& typed, Words names) {
  const auto comma = typed.rfind(',');
  if (comma == std::string::npos) return names;
  for (std::string& name : names) name.insert(0, typed.substr(0, comma + 1));
  return names;
}

// Pairs: what stands before the colon stays.
Words quantity_words(const Asked& asked) {
  const auto colon = asked.typed.rfind(':');
  const std::string kept = colon == std::string::npos ? "" : asked.typed.substr(0, colon + 1);
  Words out = by_levels(quantities(asked.words), asked.typed.substr(kept.size()));
  for (std::string& name : out) name.insert(0, kept);
  return out;
}

// What the parser itself does not know.
Words values(const Asked& asked) {
  const std::string& name = asked.name;
  using view::MethodKind;
  if (name == "formulations") return after_comma(asked.typed, methods(MethodKind::formulation));
  if (name == "pseudoinverses") return after_comma(asked.typed, methods(MethodKind::pseudoinverse));
  if (name == "coordinates") return after_comma(asked.typed, methods(MethodKind::coordinates));
  if (name == "integrators") return after_comma(asked.typed, methods(MethodKind::integrator));
  if (name == "stabilize") return after_comma(asked.typed, methods(MethodKind::stabilization));
  if (name == "quantities" || name == "against") return quantity_words(asked);
  if (asked.command == "list" && name == "name") return list_names(asked);
  if (name == "topic") return topic_names();
  if (name == "starter") return starter_names();
  if (name == "model") return {":files *.yaml"};
  if (name == "results") {
    Words out{":files *.h5"};
    // `plot` takes quantities behind the files.
    if (asked.command == "plot" && !asked.positionals.empty())
      for (std::string& word : quantity_words(asked)) out.push_back(std::move(word));
    return out;
  }
  return {":files *"};
}

Words option_names(const CLI::App& command) {
  Words out;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

Words candidates(const CLI::App& app, const Words& words) {
  Asked asked;
  asked.typed = words.back();
  asked.words.assign(words.begin(), words.end() - 1);
  std::erase(asked.words, "=");  // bash splits `--option=value`
  const CLI::App* command = nullptr;
  const CLI::Option* open = nullptr;  // an option that waits for its value
  for (const std::string& word : asked.words) {
    if (open) {
      open = nullptr;
    } else if (const CLI::Option* option = find_option(command ? *command : app, word)) {
      open = takes_value(option) ? option : nullptr;
    } else if (!command) {
      command = find_command(app, word);
      if (!command) return {};
    } else {
      asked.positionals.push_back(word);
    }
  }
  if (!open && asked.typed.starts_with("-")) return option_names(command ? *command : app);
  if (!command) {
    Words out;
    for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) out.push_back(c->get_name());
    return out;
  }
  asked.command = command->get_name();
  if (!open) {
    std::vector<const CLI::Option*> places;
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional()) places.push_back(option);
    if (places.empty()) return {};
    const std::size_t last = places.size() - 1;
    if (asked.positionals.size() > last && places[last]->get_items_expected_max() <= 1) return {};
    open = places[std::min(asked.positionals.size(), last)];
  }
  if (Words choices = choices_of(*open); !choices.empty()) return choices;
  asked.name = open->get_positional() ? open->get_name() : open->get_lnames().empty() ? "" : open->get_lnames().front();
  return values(asked);
}

}  // namespace

std::vector<std::string> by_levels(const std::vector<std::string>& names, const std::string& typed) {
  Words out;
  for (const std::string& name : names) {
    if (!name.starts_with(typed)) continue;
    const auto dot = name.find('.', typed.size());
    std::string shown = dot == std::string::npos ? name : name.substr(0, dot + 1);
    if (std::find(out.begin(), out.end(), shown) == out.end()) out.push_back(std::move(shown));
  }
  return out;
}

std::vector<std::string> complete(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Words out;
  try {
    out = candidates(app, words);
  } catch (const std::exception&) {  // a result that cannot be read, say: nothing to propose
    return {};
  }
  std::erase_if(out,
                [&](const std::string& word) { return !word.starts_with(':') && !word.starts_with(words.back()); });
  return out;
}

void add_completion(CLI::App& app, Outcome&) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print what teaches a shell to complete commands and names");
  command->add_option("shell", *shell, "source <(mortise completion bash)")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->callback([shell] { fmt::print("{}", *shell == "bash" ? bash_script : zsh_script); });
}

}  // namespace mortise::cli
