// Names of items: what is allowed, patterns with numbers in them ("link$i", "bar$(i+1)"), and a table that finds the
// item and copy behind a name without listing the copies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mortise/model/name_pattern.h"
#include "mortise/model/scope.h"

namespace mortise::model {

// Of a name, whatever the locale.
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_identifier(std::string_view name);  // [A-Za-z_][A-Za-z0-9_]*: parameters and indices
bool is_item_name(std::string_view name);   // [A-Za-z_][A-Za-z0-9_-]*, at most 100 characters
bool is_reserved(std::string_view name);    // ground, energy, t, …

// Does the name fit a pattern in which * stands for any letters and ? for one?
bool matches(std::string_view pattern, std::string_view name);

// Parses the scalar's text ("link$i.B" too: '.' is just a letter here); mistakes are reported with their place.
std::optional<NamePattern> parse_pattern(const Node& scalar, const Scope& scope, Report& report);

// One name, or the names of all copies of a repeated item.
class NameTable {
 public:
  struct Found {
    int item, copy;
  };
  // Enters all names of an item; a name that is taken is returned (with its owner), and so is nothing on success.
  struct Clash {
    std::string name;
    Found owner;
  };
  // `first`, `step`: the number of copy i is first + step·i (the pattern's first number). A clash without a name means
  // that the patterns are too entangled to be told apart in bearable time.
  std::optional<Clash> add(int item, const NamePattern& pattern, int count, long long first, long long step);
  std::optional<Found> find(const std::string& name) const;
  std::vector<std::string> examples() const;  // to propose the nearest name from
  std::vector<std::string> overview() const;  // "arm", "link0 … link9": to list what exists

 private:
  struct Series {
    int item, count;
    long long first, step;
    NamePattern pattern;
  };
  std::optional<Found> find_in(const Series& series, const std::string& name) const;
  static bool may_clash(const Series& a, const Series& b);
  std::optional<Clash> compare(const Series& series, const Series& other);

  std::unordered_map<std::string, int> single_;
  std::vector<std::string> order_;
  std::vector<Series> series_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_prefix_;
  long long compared_ = 0;  // names compared one by one so far
};

}  // namespace mortise::model
