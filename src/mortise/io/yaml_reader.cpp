#include "mortise/io/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "mortise/io/yaml.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

using model::Entry;
using model::Node;

// Builds the tree from the parser's events and refuses what a model must not contain, as soon as it appears.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  bool found() const { return documents_ > 0; }
  Node take() { return std::move(root_); }
  Place last_place() const { return last_; }
  Place innermost() const { return frames_.empty() ? Place{} : frames_.back().node.place; }  // list or map being read

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      fail_model("M510", "a model is one YAML document; a second one begins here", at(mark), "remove the line '---'");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    Node node;
    node.place = at(mark);
    finish(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(at(mark)); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = value;
    node.quoted = tag == "!";
    node.place = at(mark);
    check_closed(mark, node);
    measure(mark, node);
    if (!node.quoted) check_special(node);
    finish(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    bool has_key = false;  // of a map: the key is read, the value comes next
    Entry entry;
    std::unordered_map<std::string, std::size_t> keys;  // filled when the map is no longer small
  };

  Place at(const YAML::Mark& mark) {
    Place place{source_, mark.line + 1, mark.column + 1, 1};
    if (mark.line < 0) place.line = 0;
    last_ = place;
    return place;
  }

  [[noreturn]] void refuse_anchor(const Place& place) {
    fail_model("M509", "anchors (&), aliases (*) and merge keys (<<) are not used in models", place,
               "write the value out, or use parameters and repeat");
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) refuse_anchor(at(mark));
    if (!tag.empty() && tag != "?" && tag != "!")
      fail_model("M512", "YAML tags (!…) are not used in models", at(mark), "remove the tag");
    if (++values_ > most_values)
      fail_model("M513", fmt::format("the file has more than {} values", most_values), at(mark), "use repeat");
  }

  void check_special(const Node& node) {
    static constexpr std::array<const char*, 12> words{".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                       "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF"};
    for (const char* word : words)
      if (node.text == word)
        fail_model("M511", fmt::format("'{}' is not a number a model can use", node.text), node.place,
                   "leave the field out if there is no value");
  }

  // The parser lets a quoted text end with the file.
  void check_closed(const YAML::Mark& mark, const Node& node) {
    const std::string& text = source_->text;
    const auto begin = static_cast<std::size_t>(mark.pos);
    if (!node.quoted || mark.pos < 0 || begin >= text.size()) return;
    const char mark_character = text[begin];
    if (mark_character != '"' && mark_character != '\'') return;
    for (std::size_t k = begin + 1; k < text.size(); ++k) {
      if (mark_character == '"' && text[k] == '\\')
        ++k;
      else if (text[k] == mark_character) {
        if (mark_character == '"' || k + 1 >= text.size() || text[k + 1] != '\'') return;
        ++k;  // '' is a quote inside single quotes
      }
    }
    fail_model("M507", "a quoted text is not closed", node.place, "add the closing quote");
  }

  // How many characters to underline, and whether the text stands in the file as it is.
  void measure(const YAML::Mark& mark, Node& node) {
    const std::string& text = source_->text;
    const auto begin = static_cast<std::size_t>(mark.pos);
    const std::size_t open = node.quoted ? 1 : 0;
    node.verbatim = mark.pos >= 0 && begin + open <= text.size() &&
                    text.compare(begin + open, node.text.size(), node.text) == 0 &&
                    node.text.find('\n') == std::string::npos;
    if (node.verbatim && node.quoted) {
      const std::size_t end = begin + 1 + node.text.size();
      node.verbatim = end < text.size() && (text[begin] == '"' || text[begin] == '\'') && text[end] == text[begin];
    }
    if (node.verbatim) node.place.length = static_cast<int>(node.text.size() + 2 * open);
  }

  bool is_closed(const YAML::Mark& mark) const {
    int depth = 0;
    for (std::size_t k = static_cast<std::size_t>(std::max(mark.pos, 0)); k < source_->text.size(); ++k) {
      const char c = source_->text[k];
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (depth <= 0) return true;
    }
    return false;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check(mark, tag, anchor);
    const Place place = at(mark);
    if (std::ssize(frames_) >= deepest_nesting)
      fail_model("M506", fmt::format("lists and maps are nested deeper than {} levels", deepest_nesting), place);
    if (!frames_.empty() && frames_.back().node.kind == Node::Kind::map && !frames_.back().has_key) {
      // An open bracket looks like the beginning of a key to the parser.
      if (!is_closed(mark)) fail_model("M507", "a bracket is opened here and never closed", place, "add ']' or '}'");
      fail_model("M514", "a list or map cannot be a key", place,
                 "names are plain words; texts with brackets need quotes");
    }
    frames_.emplace_back();
    frames_.back().node.kind = kind;
    frames_.back().node.place = place;
  }

  void close() {
    Node node = std::move(frames_.back().node);
    frames_.pop_back();
    finish(std::move(node));
  }

  void finish(Node node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::list) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.has_key) {
      take_key(frame, std::move(node));
    } else {
      // An empty value is marked where the next token stands: its key is the better place.
      if (node.kind == Node::Kind::null) node.place = frame.entry.place;
      frame.entry.value = std::move(node);
      frame.node.entries.push_back(std::move(frame.entry));
      frame.has_key = false;
    }
  }

  void take_key(Frame& frame, Node node) {
    if (node.kind == Node::Kind::null) fail_model("M514", "a key is missing before ':'", node.place);
    if (node.text == "<<" && !node.quoted) refuse_anchor(node.place);
    const std::vector<Entry>& entries = frame.node.entries;
    const Entry* twin = nullptr;
    if (entries.size() < 16) {
      for (const Entry& e : entries)
        if (e.key == node.text) twin = &e;
    } else {
      if (frame.keys.empty())
        for (std::size_t k = 0; k < entries.size(); ++k) frame.keys.emplace(entries[k].key, k);
      const auto [it, fresh] = frame.keys.emplace(node.text, entries.size());
      if (!fresh) twin = &entries[it->second];
    }
    if (twin)
      fail_model("M508",
                 fmt::format("the key {} stands here twice; first in line {}, column {}", model::quote(node.text),
                             twin->place.line, twin->place.column),
                 node.place, "rename or remove one");
    frame.entry = Entry{std::move(node.text), node.place, {}};
    frame.has_key = true;
  }

  std::shared_ptr<const Source> source_;
  std::vector<Frame> frames_;
  Node root_;
  Place last_;
  int documents_ = 0;
  int values_ = 0;
};

}  // namespace

std::size_t first_bad_byte(const std::string& text) {
  for (std::size_t k = 0; k < text.size();) {
    const auto byte = [&](std::size_t n) { return k + n < text.size() ? static_cast<unsigned char>(text[k + n]) : 0u; };
    const unsigned c = byte(0);
    const auto follows = [&](std::size_t n) { return (byte(n) & 0xC0u) == 0x80u; };
    if (c < 0x80) {
      if (c == 127 || (c < 32 && c != '\n' && c != '\r' && c != '\t')) return k;
      ++k;
    } else if (c >= 0xC2 && c < 0xE0 && follows(1)) {
      k += 2;
    } else if (c >= 0xE0 && c < 0xF0 && follows(1) && follows(2)) {
      if ((c == 0xE0 && byte(1) < 0xA0) || (c == 0xED && byte(1) >= 0xA0)) return k;
      k += 3;
    } else if (c >= 0xF0 && c < 0xF5 && follows(1) && follows(2) && follows(3)) {
      if ((c == 0xF0 && byte(1) < 0x90) || (c == 0xF4 && byte(1) >= 0x90)) return k;
      k += 4;
    } else {
      return k;
    }
  }
  return std::string::npos;
}

namespace {

// Where brackets are open a thousand deep: nobody's model, but the parser would take long to say so. npos: nowhere.
std::size_t bracket_bomb(const std::string& text) {
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '[' || text[k] == '{') ++depth;
    if (text[k] == ']' || text[k] == '}') depth = std::max(depth - 1, 0);
    if (depth > 1000) return k;
  }
  return std::string::npos;
}

Place place_of(const std::shared_ptr<const Source>& source, std::size_t offset) {
  int line = 1;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < offset; ++k)
    if (source->text[k] == '\n') ++line, begin = k + 1;
  return {source, line, static_cast<int>(offset - begin) + 1, 1};
}

// A tab in the indentation of some line up to `line`: its place has line 0 when there is none.
Place indentation_tab(const std::shared_ptr<const Source>& source, int line) {
  std::size_t begin = 0;
  Place found;
  for (int k = 1; k <= line + 1 && begin < source->text.size(); ++k) {
    const std::size_t tab = source->text.find_first_not_of(' ', begin);
    if (tab != std::string::npos && source->text[tab] == '\t')
      found = {source, k, static_cast<int>(tab - begin) + 1, 1};
    const std::size_t end = source->text.find('\n', begin);
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return found;
}

// The parser's messages are for people who write parsers.
std::pair<std::string, std::string> reworded(const std::string& message) {
  struct Words {
    const char* theirs;
    const char* ours;
    const char* hint;
  };
  static constexpr std::array<Words, 22> table{{
      {"end of map not found", "this line does not fit into the map above", "check its indentation and the ':'"},
      {"end of map flow not found", "a '{' is not closed, or a ',' is missing before this", "add '}' or ','"},
      {"end of sequence flow not found", "a '[' is not closed, or a ',' is missing before this", "add ']' or ','"},
      {"end of sequence not found", "this line does not fit into the list above", "check its indentation and the '-'"},
      {"illegal EOF in scalar", "a quoted text is not closed", "add the closing quote"},
      {"illegal document indicator in scalar", "a quoted text is not closed", "add the closing quote"},
      {"illegal flow end", "']' or '}' without its beginning", ""},
      {"illegal block entry", "a '- ' cannot stand here", "lists inside {…} are written [a, b]"},
      {"illegal map key", "a key cannot stand here", "one key per line, all with the same indentation"},
      {"illegal map value", "a ':' cannot stand here", "one 'key: value' per line; texts with ': ' need quotes"},
      {"illegal tab when looking for indentation", "a tab stands where spaces must", "indent with spaces"},
      {"unknown token", "this character cannot begin a value", "put the text in quotes"},
      {"unknown escape character", "unknown escape '\\' in a quoted text", "use single quotes, or write \\\\"},
      {"bad character found while scanning hex", "bad number behind '\\x' or '\\u'", ""},
      {"invalid unicode", "no such character", ""},
      {"the referenced anchor", "anchors (&), aliases (*) and merge keys (<<) are not used in models",
       "a text that begins with '*' needs quotes"},
      {"alias not found after", "a '*' cannot begin a value", "put the text in quotes"},
      {"anchor not found after", "a '&' cannot begin a value", "put the text in quotes"},
      {"cannot assign multiple", "two values stand where one is expected", ""},
      {"illegal character found while scanning", "this character cannot stand here", "put the text in quotes"},
      {"cannot set zero indentation", "a '|' or '>' text needs an indentation of at least 1", ""},
      {"bad file", "lists and maps are nested too deeply", ""},
  }};
  for (const Words& words : table)
    if (message.starts_with(words.theirs)) return {words.ours, words.hint};
  return {"this is not valid YAML", "see docs/model.md for the form of a model"};
}

[[noreturn]] void translate(const YAML::Exception& e, const std::shared_ptr<const Source>& source,
                            const TreeBuilder& builder) {
  Place place{source, e.mark.line + 1, e.mark.column + 1, 1};
  if (e.mark.is_null()) place = builder.last_place();
  const bool anchor =
      e.msg.starts_with("the referenced anchor") || e.msg.starts_with("alias not") || e.msg.starts_with("anchor not");
  const Place tab = indentation_tab(source, place.line);
  if (!anchor && tab.line > 0)
    fail_model("M515", "a tab stands in the indentation of this line", tab, "indent with spaces");
  auto [message, hint] = reworded(e.msg);
  if (e.msg.ends_with("flow not found") && builder.innermost().line > 0)
    message = fmt::format("the '{}' of line {}, column {} is not closed, or a ',' is missing before this",
                          e.msg.find("map") != std::string::npos ? '{' : '[', builder.innermost().line,
                          builder.innermost().column);
  if (e.msg.find(" tag") != std::string::npos || e.msg.find("TAG") != std::string::npos || e.msg.find("YAML ") == 0)
    fail_model("M512", "YAML tags (!…) and directives (%…) are not used in models", place, "remove it");
  fail_model(anchor ? "M509" : e.msg == "bad file" ? "M506" : "M507", message, place, hint);
}

}  // namespace

Node parse_yaml(const std::string& text, std::shared_ptr<const Source> source) {
  const Place whole{source, 0, 0, 1};
  if (text.size() > largest_file)
    fail_model("M505", fmt::format("the file has {} MiB; the limit is 64 MiB", text.size() >> 20), whole, "use repeat");
  if (const std::size_t bad = first_bad_byte(text); bad != std::string::npos) {
    const auto c = static_cast<unsigned char>(text[bad]);
    const bool binary = c == 0 || bad == 0;
    if (text.starts_with("\x89HDF"))
      fail_model("M504", "this is not a text file but a result", whole,
                 "a model is a YAML text; mortise view, plot, probe and reproduce take results");
    fail_model("M504", binary ? "this is not a text file" : "this character is not valid in a text file (UTF-8)",
               binary ? whole : place_of(source, bad), binary ? "a model is a YAML text" : "save the file as UTF-8");
  }
  if (const std::size_t bomb = bracket_bomb(text); bomb != std::string::npos)
    fail_model("M506", fmt::format("lists and maps are nested deeper than {} levels", deepest_nesting),
               place_of(source, bomb));
  TreeBuilder builder(source);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    translate(e, source, builder);
  }
  Node root = builder.take();
  if (!builder.found() || root.kind == Node::Kind::null)
    fail_model("M503", "the file is empty", whole, "a model begins with 'mortise: 1'");
  return root;
}

Node read_yaml_text(std::string text, std::string name) {
  // A byte order mark is no part of the text.
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  auto source = std::make_shared<Source>(Source{std::move(name), std::move(text)});
  return parse_yaml(source->text, source);
}

}  // namespace mortise::io
