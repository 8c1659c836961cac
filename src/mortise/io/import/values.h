// Values of attributes: numbers, vectors, words among others. Mistakes are ModelErrors at the value's place.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mortise/io/import/xml.h"

namespace mortise::io {

// All numbers of the text, finite; M704 where something else stands.
std::vector<double> read_numbers(const XmlAttribute& attribute);
// Exactly `count` of them, or from `least` to `most`.
std::vector<double> read_numbers(const XmlAttribute& attribute, std::size_t least, std::size_t most);
double read_number(const XmlAttribute& attribute);
Eigen::Vector3d read_vector(const XmlAttribute& attribute);
// A vector of length 1; M704 for one of length 0.
Eigen::Vector3d read_direction(const XmlAttribute& attribute);
bool read_flag(const XmlAttribute& attribute);  // true | false | 1 | 0

double number_or(const XmlElement& element, std::string_view name, double fallback);
Eigen::Vector3d vector_or(const XmlElement& element, std::string_view name, const Eigen::Vector3d& fallback);

// M705 where it is missing; the nearest attribute that is there but not used yet may be what was meant.
const XmlAttribute& required_attribute(const XmlElement& element, std::string_view name);
const XmlElement& required_child(const XmlElement& element, std::string_view name);

// The position of the value among the words; M707 with the nearest of them.
std::size_t read_choice(const XmlAttribute& attribute, const std::vector<std::string>& words);

// M706: a name that refers to nothing, with the nearest that exists.
[[noreturn]] void fail_reference(const XmlAttribute& attribute, std::string_view kind,
                                 const std::vector<std::string>& names);

}  // namespace mortise::io
