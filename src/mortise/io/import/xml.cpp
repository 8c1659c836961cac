#include "mortise/io/import/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <pugixml.hpp>

#include "mortise/io/yaml.h"
#include "mortise/io/yaml_reader.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

constexpr int most_elements = 500'000;
constexpr int most_attributes = 2'000'000;

// Lines and columns of offsets that come in rising order.
class Lines {
 public:
  explicit Lines(std::shared_ptr<const Source> source) : source_(std::move(source)) {}
  Place at(std::size_t offset, std::size_t length) {
    const std::string& text = source_->text;
    if (offset < seen_) seen_ = begin_ = 0, line_ = 1;
    for (offset = std::min(offset, text.size()); seen_ < offset; ++seen_)
      if (text[seen_] == '\n') ++line_, begin_ = seen_ + 1;
    return {source_, line_, static_cast<int>(offset - begin_) + 1, static_cast<int>(std::max<std::size_t>(length, 1))};
  }

 private:
  std::shared_ptr<const Source> source_;
  std::size_t seen_ = 0, begin_ = 0;
  int line_ = 1;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Copies the parsed tree and finds the place of every attribute, which the parser does not keep, in the source.
class Copier {
 public:
  explicit Copier(const std::shared_ptr<const Source>& source) : text_(source->text), lines_(source) {}

  XmlElement copy(const pugi::xml_node& node, int depth) {
    XmlElement element;
    element.name = node.name();
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    element.place = lines_.at(offset, element.name.size());
    if (depth > deepest_nesting)
      fail_model("M702", fmt::format("elements are nested deeper than {} levels", deepest_nesting), element.place);
    std::size_t at = offset + element.name.size();
    for (const pugi::xml_attribute& a : node.attributes()) element.attributes.push_back(attribute(a, at));
    if (element.attributes.size() > 1000)
      fail_model("M702", fmt::format("<{}> has more than 1000 attributes", element.name), element.place);
    for (std::size_t k = 0; k < element.attributes.size(); ++k)
      for (std::size_t j = 0; j < k; ++j)
        if (element.attributes[j].name == element.attributes[k].name)
          fail_model("M701",
                     fmt::format("the attribute {} stands in <{}> twice", model::quote(element.attributes[k].name),
                                 element.name),
                     element.attributes[k].place, "remove one");
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) {
        element.children.push_back(copy(child, depth + 1));
      } else if (child.type() == pugi::node_doctype) {
        refuse_doctype(child);
      } else {
        XmlElement text;  // letters between elements: never understood, so that they are listed
        text.name = "#text";
        text.place = lines_.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(child.offset_debug(), 0)), 1);
        element.children.push_back(std::move(text));
      }
    }
    return element;
  }

  [[noreturn]] void refuse_doctype(const pugi::xml_node& node) {
    fail_model("M702", "document types (<!DOCTYPE>) and entities are not used in robot files",
               lines_.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)), 1),
               "remove the declaration");
  }

 private:
  // The next attribute from `at` on: name, '=', and a quoted value.
  XmlAttribute attribute(const pugi::xml_attribute& a, std::size_t& at) {
    XmlAttribute out{a.name(), a.value(), {}, false};
    while (at < text_.size() && is_blank(text_[at])) ++at;
    at += out.name.size();
    while (at < text_.size() && text_[at] != '"' && text_[at] != '\'') ++at;
    const char quote = at < text_.size() ? text_[at] : '"';
    const std::size_t begin = std::min(at + 1, text_.size());
    at = std::min(text_.find(quote, begin), text_.size());
    out.place = lines_.at(begin, at - begin);
    if (at < text_.size()) ++at;
    return out;
  }

  const std::string& text_;
  Lines lines_;
};

std::string_view in_our_words(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_bad_start_element:
      return "this tag is not well-formed";
    case pugi::status_bad_attribute:
      return "an attribute is not of the form name=\"value\"";
    case pugi::status_bad_end_element:
      return "this closing tag is not well-formed";
    case pugi::status_end_element_mismatch:
      return "this closing tag does not fit the element that is open";
    case pugi::status_bad_comment:
      return "a comment is not closed with -->";
    case pugi::status_bad_doctype:
      return "the document type is not well-formed";
    case pugi::status_no_document_element:
      return "there is no element in this file";
    default:
      return "this is not well-formed XML";
  }
}

}  // namespace

const XmlAttribute* XmlElement::peek(std::string_view attribute_name) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute_name) return &a;
  return nullptr;
}

const XmlAttribute* XmlElement::attribute(std::string_view attribute_name) const {
  const XmlAttribute* found = peek(attribute_name);
  if (found) found->used = true;
  return found;
}

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const XmlElement& c : children)
    if (c.name == child_name) {
      c.used = true;
      return &c;
    }
  return nullptr;
}

std::vector<const XmlElement*> XmlElement::all(std::string_view child_name) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement& c : children)
    if (c.name == child_name) {
      c.used = true;
      found.push_back(&c);
    }
  return found;
}

void XmlElement::use_all() const {
  used = true;
  for (const XmlAttribute& a : attributes) a.used = true;
  for (const XmlElement& c : children) c.use_all();
}

XmlElement parse_xml(std::string text, std::string name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a mark of byte order
  const auto source = std::make_shared<const Source>(Source{std::move(name), std::move(text)});
  const std::string& bytes = source->text;
  Lines lines(source);
  const std::size_t bad = first_bad_byte(bytes);
  if (bad != std::string::npos)
    fail_model("M702", "this byte is neither UTF-8 text nor a line break", lines.at(bad, 1), "save the file as UTF-8");
  if (std::count(bytes.begin(), bytes.end(), '<') > 3 * most_elements ||
      std::count(bytes.begin(), bytes.end(), '=') > most_attributes)
    fail_model("M702",
               fmt::format("the file has more than {} elements or {} attributes", most_elements, most_attributes),
               {source, 0, 0, 1});
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(bytes.data(), bytes.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result)
    fail_model("M701", std::string(in_our_words(result.status)),
               lines.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), 1));
  Copier copier(source);
  for (const pugi::xml_node& node : document.children())
    if (node.type() == pugi::node_doctype) copier.refuse_doctype(node);
  const pugi::xml_node root = document.document_element();
  for (const pugi::xml_node& node : document.children())
    if (node.type() == pugi::node_element && node != root)
      fail_model("M701", fmt::format("a second element <{}> stands beside the first", node.name()),
                 lines.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)), 1),
                 "one element holds the whole file");
  XmlElement tree = copier.copy(root, 1);
  tree.used = true;
  return tree;
}

namespace {

struct SkippedKind {
  std::vector<int> lines;
  Place first;
};

void collect_unused(const XmlElement& element, std::map<std::string, SkippedKind>& kinds,
                    std::vector<std::string>& order) {
  const auto add = [&](const std::string& path, const Place& place) {
    const auto [it, fresh] = kinds.try_emplace(path);
    if (fresh) {
      it->second.first = place;
      order.push_back(path);
    }
    it->second.lines.push_back(place.line);
  };
  for (const XmlAttribute& a : element.attributes)
    if (!a.used) add(element.name + "@" + a.name, a.place);
  for (const XmlElement& c : element.children) {
    if (!c.used)
      add(element.name + "/" + c.name, c.place);
    else
      collect_unused(c, kinds, order);
  }
}

std::string list_lines(const std::vector<int>& lines) {
  std::string out = lines.size() == 1 ? "line " : "lines ";
  for (std::size_t k = 0; k < lines.size() && k < 12; ++k) out += fmt::format("{}{}", k ? ", " : "", lines[k]);
  if (lines.size() > 12) out += fmt::format(" and {} more", lines.size() - 12);
  return out;
}

}  // namespace

void list_unused(const XmlElement& root, const std::vector<SkipReason>& reasons, const std::vector<std::string>& known,
                 std::vector<Diagnostic>& notes) {
  std::map<std::string, SkippedKind> kinds;
  std::vector<std::string> order;
  collect_unused(root, kinds, order);
  for (const std::string& path : order) {
    const SkippedKind& kind = kinds.at(path);
    const std::size_t cut = path.find_first_of("@/");
    const bool is_attribute = path[cut] == '@';
    const std::string last = path.substr(cut + 1);
    std::string_view reason;
    for (const SkipReason& r : reasons)
      if (r.path == path || r.path == path.substr(cut)) reason = r.reason;
    const std::string what = last == "#text" ? fmt::format("text inside <{}>", path.substr(0, cut))
                             : is_attribute  ? fmt::format("attribute '{}' of <{}>", last, path.substr(0, cut))
                                             : fmt::format("<{}>", last);
    Diagnostic note{"M720", fmt::format("not used: {} ({})", what, list_lines(kind.lines)), kind.first,
                    std::string(reason), true};
    if (reason.empty()) note.hint = model::did_you_mean(last, known);
    if (note.hint.empty()) note.hint = "unknown here";
    notes.push_back(std::move(note));
  }
}

}  // namespace mortise::io
