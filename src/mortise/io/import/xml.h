// XML as robot files use it: elements, attributes, the place of each, and a mark on what a reader has used.
//
// Readers ask for attributes and children by name, which marks them as used. What is left without a mark at the end was
// not understood and is listed (`list_unused`): nothing can be passed over silently, whatever a file contains.
//
// Refused: document types and with them entities, more than 64 levels, 500,000 elements or 2 million attributes, what
// is not UTF-8. Places cost one pass over the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mortise/error.h"

namespace mortise::io {

struct XmlAttribute {
  std::string name, value;
  Place place;  // of the value, inside its quotes
  mutable bool used = false;
};

struct XmlElement {
  std::string name;
  Place place;  // of the name
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  mutable bool used = false;

  // Each marks what it finds as used; nullptr when there is none.
  const XmlAttribute* attribute(std::string_view attribute_name) const;
  const XmlElement* child(std::string_view child_name) const;             // the first; others stay unmarked
  std::vector<const XmlElement*> all(std::string_view child_name) const;  // in order
  const XmlAttribute* peek(std::string_view attribute_name) const;        // without a mark
  void use_all() const;                                                   // it and all that is in it
};

// The root element. Throws ModelError: M701 not well-formed, M702 refused for its size, depth or document type.
XmlElement parse_xml(std::string text, std::string name);

// One note (M720) a kind of element or attribute without a mark, with the lines where it stands. `reason(path)` tells
// why in a few words, where a path is "joint/limit@effort"; "" when it is not known, and then the nearest name among
// `known` is proposed.
struct SkipReason {
  std::string_view path, reason;
};
void list_unused(const XmlElement& root, const std::vector<SkipReason>& reasons, const std::vector<std::string>& known,
                 std::vector<Diagnostic>& notes);

}  // namespace mortise::io
