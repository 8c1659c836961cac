// mortise explain TOPIC: a joint, a force, a method, an error code, a word, from the same source as the documentation.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mortise/cli/color.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/topics.h"

namespace mortise::cli {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_called(const Topic& topic, const std::string& word) {
  return lower(topic.name) == word || std::any_of(topic.aliases.begin(), topic.aliases.end(),
                                                  [&](const std::string& a) { return lower(a) == word; });
}

void list_topics(const std::vector<Topic>& all, bool json) {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
  for (const Topic& topic : all) kinds[topic.kind].push_back(topic.name);
  if (json) {
    fmt::print("{}\n", kinds.dump(2));
    return;
  }
  for (const auto& [kind, names] : kinds.items()) {
    std::string line = fmt::format("{:<14}", kind);
    std::size_t width = line.size();
    for (const auto& name : names) {
      const std::string word = name.get<std::string>();
      if (width + word.size() + 2 > 110) line += fmt::format("\n{:<14}", ""), width = 14;
      line += word + "  ", width += word.size() + 2;
    }
    fmt::print("{}\n", line);
  }
}

int explain(const std::vector<std::string>& words, bool json) {
  const std::vector<Topic> all = topics();
  if (words.empty()) {
    list_topics(all, json);
    return 0;
  }
  const std::string word = lower(fmt::format("{}", fmt::join(words, " ")));
  std::vector<const Topic*> found;
  std::vector<std::string> names;
  for (const Topic& topic : all) {
    if (is_called(topic, word)) found.push_back(&topic);
    names.push_back(topic.name);
    names.insert(names.end(), topic.aliases.begin(), topic.aliases.end());
  }
  if (found.empty()) {
    const std::string near = nearest_name(word, names);
    throw CLI::ValidationError(fmt::format("nothing is known of '{}'{} (`mortise explain` lists all topics)", word,
                                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  nlohmann::ordered_json j = nlohmann::ordered_json::array();
  for (const Topic* topic : found) {
    if (json)
      j.push_back({{"kind", topic->kind}, {"name", topic->name}, {"text", topic->text()}});
    else
      fmt::print("{}{}", topic == found.front() ? "" : "\n", colored_page(topic->text(), stdout));
  }
  if (json) fmt::print("{}\n", j.dump(2));
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, Outcome& outcome) {
  struct Options {
    std::vector<std::string> words;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("explain", "a joint, a force, a method, an error code or a word, in a page");
  command->add_option("topic", o->words, "revolute, adams, S402, redundant, reactions … (default: list all topics)");
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o, &outcome] { outcome.code = explain(o->words, o->json); });
}

}  // namespace mortise::cli
