#include "mortise/io/import/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "mortise/model/report.h"

namespace mortise::io {

namespace {

bool separates(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Place part_of(const XmlAttribute& attribute, std::size_t offset, std::size_t length) {
  Place place = attribute.place;
  // Escapes and line breaks in the value would move the column: the whole value then.
  if (attribute.value.find_first_of("\n&<>") != std::string::npos ||
      static_cast<int>(attribute.value.size()) != place.length)
    return place;
  place.column += static_cast<int>(offset);
  place.length = static_cast<int>(length);
  return place;
}

}  // namespace

std::vector<double> read_numbers(const XmlAttribute& attribute) {
  std::vector<double> numbers;
  const std::string& text = attribute.value;
  for (std::size_t k = 0; k < text.size();) {
    if (separates(text[k])) {
      ++k;
      continue;
    }
    std::size_t end = k;
    while (end < text.size() && !separates(text[end])) ++end;
    const char* begin = text.data() + k + (text[k] == '+' ? 1 : 0);
    double number = 0;
    const auto [rest, error] = std::from_chars(begin, text.data() + end, number);
    if (error != std::errc{} || rest != text.data() + end || !std::isfinite(number)) {
      const std::string word = text.substr(k, end - k);
      fail_model("M704", fmt::format("expected a number, not {}", model::quote(word)), part_of(attribute, k, end - k),
                 word.find("${") != std::string::npos ? "this is a macro: expand the file with xacro first" : "");
    }
    numbers.push_back(number);
    k = end;
  }
  return numbers;
}

std::vector<double> read_numbers(const XmlAttribute& attribute, std::size_t least, std::size_t most) {
  std::vector<double> numbers = read_numbers(attribute);
  if (numbers.size() < least || numbers.size() > most)
    fail_model("M704",
               fmt::format("expected {} for '{}', not {}",
                           least == most ? fmt::format("{} number{}", least, least == 1 ? "" : "s")
                                         : fmt::format("{} to {} numbers", least, most),
                           attribute.name, numbers.size()),
               attribute.place);
  return numbers;
}

double read_number(const XmlAttribute& attribute) { return read_numbers(attribute, 1, 1).front(); }

Eigen::Vector3d read_vector(const XmlAttribute& attribute) {
  const std::vector<double> x = read_numbers(attribute, 3, 3);
  return {x[0], x[1], x[2]};
}

Eigen::Vector3d read_direction(const XmlAttribute& attribute) {
  const Eigen::Vector3d v = read_vector(attribute);
  const double length = v.stableNorm();
  if (!(length > 0)) fail_model("M704", "expected a direction, not a vector of length zero", attribute.place);
  // Files hold directions with few digits; an exact one keeps its exact components.
  return length == 1 ? v : Eigen::Vector3d(v / length);
}

bool read_flag(const XmlAttribute& attribute) { return read_choice(attribute, {"false", "true", "0", "1"}) % 2 == 1; }

double number_or(const XmlElement& element, std::string_view name, double fallback) {
  const XmlAttribute* found = element.attribute(name);
  return found ? read_number(*found) : fallback;
}

Eigen::Vector3d vector_or(const XmlElement& element, std::string_view name, const Eigen::Vector3d& fallback) {
  const XmlAttribute* found = element.attribute(name);
  return found ? read_vector(*found) : fallback;
}

const XmlAttribute& required_attribute(const XmlElement& element, std::string_view name) {
  if (const XmlAttribute* found = element.attribute(name)) return *found;
  std::vector<std::string> there;
  for (const XmlAttribute& a : element.attributes)
    if (!a.used) there.push_back(a.name);
  const std::string near = nearest_name(std::string(name), there);
  fail_model("M705", fmt::format("<{}> needs the attribute '{}'", element.name, name), element.place,
             near.empty() ? "" : fmt::format("is '{}' meant to be it?", near));
}

const XmlElement& required_child(const XmlElement& element, std::string_view name) {
  if (const XmlElement* found = element.child(name)) return *found;
  std::vector<std::string> there;
  for (const XmlElement& c : element.children)
    if (!c.used) there.push_back(c.name);
  const std::string near = nearest_name(std::string(name), there);
  fail_model("M705", fmt::format("<{}> needs a <{}> in it", element.name, name), element.place,
             near.empty() ? "" : fmt::format("is <{}> meant to be it?", near));
}

std::size_t read_choice(const XmlAttribute& attribute, const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k] == attribute.value) return k;
  fail_model("M707",
             fmt::format("'{}' is one of {}, not {}", attribute.name, model::list_names(words, 16),
                         model::quote(attribute.value)),
             attribute.place, model::did_you_mean(attribute.value, words));
}

void fail_reference(const XmlAttribute& attribute, std::string_view kind, const std::vector<std::string>& names) {
  fail_model("M706",
             fmt::format("there is no {} {}; {}", kind, model::quote(attribute.value),
                         names.empty() ? "the file has none" : "there are: " + model::list_names(names)),
             attribute.place, model::did_you_mean(attribute.value, names));
}

}  // namespace mortise::io
