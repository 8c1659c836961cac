#include "mortise/model/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mortise::model {

void Report::error(std::string code, std::string message, const Place& place, std::string hint) {
  errors_.push_back({std::move(code), std::move(message), place, std::move(hint), false});
}

void Report::note(std::string code, std::string message, const Place& place, std::string hint) {
  notes_.push_back({std::move(code), std::move(message), place, std::move(hint), true});
}

void Report::add(const ModelError& error) {
  errors_.insert(errors_.end(), error.diagnostics().begin(), error.diagnostics().end());
}

void Report::throw_if_any() {
  if (errors_.empty()) return;
  std::map<const Source*, int> order;
  for (const Diagnostic& d : errors_) order.emplace(d.place.source.get(), static_cast<int>(order.size()));
  std::stable_sort(errors_.begin(), errors_.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const auto key = [&](const Diagnostic& d) {
      return std::tuple(order.at(d.place.source.get()), d.place.line, d.place.column);
    };
    return key(a) < key(b);
  });
  constexpr std::size_t shown = 20;
  if (errors_.size() > shown) {
    const std::string more = fmt::format("… and {}{} more", full() ? "at least " : "", errors_.size() - shown);
    errors_.resize(shown);
    errors_.push_back({"M009", more, {}, "", false});
  }
  throw ModelError(std::move(errors_));
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  // The same letters in another order are nearer than anything else: yx for xy.
  const auto sorted = [](std::string text) {
    std::sort(text.begin(), text.end());
    return text;
  };
  std::string nearest;
  if (word.size() <= 64)
    for (const std::string& name : names)
      if (name.size() == word.size() && name != word && nearest.empty() && sorted(name) == sorted(word)) nearest = name;
  if (nearest.empty()) nearest = nearest_name(word, names);
  if (nearest.empty() && word.size() <= 64) {
    // Endings are guessed wrong more often than beginnings: bodys, spring.
    std::size_t longest = std::max<std::size_t>(2, word.size() / 2);
    for (const std::string& name : names) {
      const auto [end, unused] = std::mismatch(word.begin(), word.end(), name.begin(), name.end());
      const auto common = static_cast<std::size_t>(end - word.begin());
      if (common > longest) longest = common, nearest = name;
    }
  }
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

std::string list_names(const std::vector<std::string>& names, std::size_t most) {
  std::string out;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) out += (k ? ", " : "") + names[k];
  return names.size() > most ? out + ", …" : out;
}

std::string quote(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= 60) return "'" + out + "…'";
    out += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  }
  return "'" + out + "'";
}

}  // namespace mortise::model
