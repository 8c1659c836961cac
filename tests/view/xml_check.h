// A small check that a text is well-formed XML of the kind that we write: elements, attributes, the five entities.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::view::test {

class XmlCheck {
 public:
  // "" when well-formed, else what is wrong and where.
  static std::string complaint(std::string_view text) {
    XmlCheck check(text);
    check.run();
    return check.complaint_;
  }

 private:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  void fail(const std::string& what) {
    if (complaint_.empty()) complaint_ = what + " at byte " + std::to_string(at_);
  }
  bool done() const { return at_ >= text_.size() || !complaint_.empty(); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void space() {
    while (std::isspace(static_cast<unsigned char>(peek()))) ++at_;
  }
  std::string name() {
    const std::size_t from = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || peek() == ':') ++at_;
    if (at_ == from) fail("a name is missing");
    return std::string(text_.substr(from, at_ - from));
  }

  // Characters up to `end`: no '<', '&' only in entities, no control characters.
  void characters(char end) {
    while (!done() && peek() != end) {
      if (peek() == '<') return fail("'<' in text");
      if (static_cast<unsigned char>(peek()) < 0x20 && peek() != '\n' && peek() != '\t')
        return fail("a control character");
      if (peek() == '&') {
        bool known = false;
        for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) known = known || take(entity);
        if (!known) return fail("'&' that starts no entity");
      } else {
        ++at_;
      }
    }
  }

  void element() {
    const std::string tag = name();
    std::vector<std::string> seen;
    for (space(); !done() && peek() != '>' && peek() != '/'; space()) {
      const std::string attribute = name();
      for (const std::string& other : seen)
        if (other == attribute) fail("attribute '" + attribute + "' twice");
      seen.push_back(attribute);
      if (!take("=\"")) return fail("'=\"' is missing");
      characters('"');
      if (!take("\"")) return fail("an attribute does not end");
    }
    if (take("/>")) return;
    if (!take(">")) return fail("a tag does not end");
    open_.push_back(tag);
  }

  void run() {
    int roots = 0;
    while (!done()) {
      if (take("</")) {
        const std::string tag = name();
        if (open_.empty() || open_.back() != tag) return fail("</" + tag + "> closes nothing");
        open_.pop_back();
        if (!take(">")) fail("a closing tag does not end");
      } else if (take("<")) {
        roots += open_.empty();
        element();
      } else {
        const std::size_t from = at_;
        characters('<');
        for (std::size_t k = from; k < at_ && open_.empty(); ++k)
          if (!std::isspace(static_cast<unsigned char>(text_[k]))) return fail("text outside of the root");
      }
    }
    if (!open_.empty()) fail("<" + open_.back() + "> is not closed");
    if (roots != 1) fail("not one root");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::string complaint_;
};

inline std::size_t occurrences(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

}  // namespace mortise::view::test
