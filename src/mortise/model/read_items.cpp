#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/model/build_parts.h"
#include "mortise/model/read_field.h"

namespace mortise::model {

namespace {

class ItemReader {
 public:
  ItemReader(Section section, const Catalogue& catalogue, const Parameters& parameters, int dimension, Report& report)
      : section_(section), catalogue_(catalogue), parameters_(parameters), dimension_(dimension), report_(report) {}

  std::optional<Item> read(const Entry& entry);

 private:
  bool read_repeat(const Node& node, Item& item);
  bool read_name(const Entry& entry, Item& item);
  const PartInfo* find_part(const Entry& entry);
  void read_fields(const Entry& entry, Item& item);

  std::string kind() const { return std::string(item_name(section_)); }

  Section section_;
  const Catalogue& catalogue_;
  const Parameters& parameters_;
  int dimension_;
  Report& report_;
};

bool ItemReader::read_repeat(const Node& node, Item& item) {
  if (node.kind != Node::Kind::map || node.entries.size() != 1) {
    report_.error("M113", "expected an index and a count, repeat: {i: 10}", node.place);
    return false;
  }
  const Entry& entry = node.entries.front();
  if (!is_identifier(entry.key) || is_formula_word(entry.key)) {
    report_.error(
        "M113", fmt::format("{} cannot be an index: use a word of letters, digits and '_' such as i", quote(entry.key)),
        entry.place);
    return false;
  }
  const bool table = std::any_of(parameters_.tables.begin(), parameters_.tables.end(),
                                 [&](const formula::Table& t) { return t.name == entry.key; });
  if (table || parameters_.number.count(entry.key)) {
    report_.error("M405", fmt::format("the index '{}' has the name of a {}", entry.key, table ? "table" : "parameter"),
                  entry.place, "choose another letter");
    return false;
  }
  item.index = entry.key;
  const auto count = read_number(entry.value, parameters_, {false, false, false, "a count"}, report_);
  if (!count) return false;
  if (parameters_.broken) return true;
  const double whole = std::round(*count);
  if (std::abs(*count - whole) > 1e-9 || whole < 0 || whole > static_cast<double>(most_copies)) {
    report_.error("M114", fmt::format("the count is {:.9g}; it must be a whole number from 0 to 10 million", *count),
                  entry.value.place);
    return false;
  }
  item.count = static_cast<int>(whole);
  return true;
}

bool ItemReader::read_name(const Entry& entry, Item& item) {
  item.pattern = entry.key;
  Node key;  // the key as a scalar, so that places inside it can be shown
  key.kind = Node::Kind::scalar;
  key.text = entry.key;
  key.place = entry.place;
  key.verbatim = entry.place.length == static_cast<int>(entry.key.size());
  auto pattern = parse_pattern(key, {&parameters_, item.index}, report_);
  if (!pattern) return false;
  item.name = std::move(*pattern);
  if (!item.index.empty() && item.count > 1 && item.name.fixed()) {
    report_.error("M115", fmt::format("all copies of '{}' would have the same name", entry.key), entry.place,
                  fmt::format("write {}${} in the name", entry.key, item.index));
    return false;
  }
  if (parameters_.broken || item.count == 0) return true;
  const auto name = item.name.at(0);
  if (!name) {
    report_.error("M115", "the number in a name must be whole", entry.place);
    return false;
  }
  if (!is_item_name(*name)) {
    report_.error(
        "M110",
        fmt::format("{} cannot name a {}: use letters, digits, '_' and '-', a letter first", quote(*name), kind()),
        entry.place);
    return false;
  }
  if (is_reserved(*name)) {
    report_.error("M111", fmt::format("'{}' has a meaning of its own and cannot name a {}", *name, kind()),
                  entry.place);
    return false;
  }
  return true;
}

const PartInfo* ItemReader::find_part(const Entry& entry) {
  const Node* type = entry.value.find("type");
  if (!type) {
    if (section_ == Section::body)
      if (const PartInfo* rigid = catalogue_.find(section_, "rigid")) return rigid;
    report_.error(
        "M201", fmt::format("{} '{}' has no type", kind(), entry.key), entry.place,
        fmt::format("type: {}   (mortise list {})", list_names(catalogue_.types(section_), 6), section_name(section_)));
    return nullptr;
  }
  if (type->kind != Node::Kind::scalar) {
    report_.error("M104", fmt::format("expected a word for 'type', found {}", kind_name(*type)), type->place);
    return nullptr;
  }
  const PartInfo* part = catalogue_.find(section_, type->text);
  if (!part) {
    std::vector<std::string> known;
    for (const PartInfo& p : catalogue_.parts())
      if (p.section == section_) {
        known.push_back(p.type);
        known.insert(known.end(), p.aliases.begin(), p.aliases.end());
      }
    std::string hint = did_you_mean(type->text, known);
    if (!hint.empty()) hint += "   ";
    report_.error("M203", fmt::format("unknown {} type {}", kind(), quote(type->text)), type->place,
                  fmt::format("{}(mortise list {})", hint, section_name(section_)));
    return nullptr;
  }
  if (part->type != type->text)
    report_.note("M001", fmt::format("'{}' is called '{}' here", type->text, part->type), type->place);
  if (dimension_ == 2 ? !part->planar : !part->spatial) {
    report_.error(
        "M204",
        fmt::format("{} type '{}' exists only in {} models", kind(), part->type, part->planar ? "planar" : "spatial"),
        type->place);
    return nullptr;
  }
  return part;
}

void ItemReader::read_fields(const Entry& entry, Item& item) {
  const Scope scope{&parameters_, item.index, section_ == Section::force || section_ == Section::event};
  const auto here = [&](const FieldSpec& f) {
    return dimension_ == 2 ? f.planar && f.kind != FieldKind::orientation : f.spatial;
  };
  std::vector<std::string> known;
  for (const FieldSpec& f : item.part->fields)
    if (here(f)) known.push_back(f.name);
  known.insert(known.end(), {"type", "repeat"});
  for (const Entry& given : entry.value.entries) {
    if (given.key == "type" || given.key == "repeat") continue;
    const auto spec = std::find_if(item.part->fields.begin(), item.part->fields.end(),
                                   [&](const FieldSpec& f) { return f.name == given.key; });
    if (spec == item.part->fields.end()) {
      const std::string hint = did_you_mean(given.key, known);
      report_.error("M205", fmt::format("{} is not a field of {} '{}'", quote(given.key), item.part->type, entry.key),
                    given.place, hint.empty() ? "fields: " + list_names(known, 20) : hint);
    } else if (!here(*spec)) {
      report_.error("M208",
                    fmt::format("'{}' exists only in {} models", spec->name,
                                spec->planar && dimension_ == 3 ? "planar" : "spatial"),
                    given.place, dimension_ == 2 ? "planar bodies turn by 'angle'" : "");
    } else if (auto field = read_field(*spec, given.value, dimension_, scope, report_)) {
      item.fields.push_back(std::move(*field));
    }
  }
  for (const FieldSpec& f : item.part->fields)
    if (f.required && here(f) && !entry.value.find(f.name))
      report_.error(
          "M206",
          fmt::format("{} '{}' needs '{}'{}", kind(), entry.key, f.name, f.help.empty() ? "" : " (" + f.help + ")"),
          entry.place);
}

std::optional<Item> ItemReader::read(const Entry& entry) {
  Item item;
  item.section = section_;
  item.place = entry.place;
  const Node& node = entry.value;
  if (node.kind != Node::Kind::map && node.kind != Node::Kind::null) {
    report_.error("M104",
                  fmt::format("expected the fields {{…}} of {} '{}', found {}", kind(), entry.key, kind_name(node)),
                  node.place, entry.key.find('{') == std::string::npos ? "" : "a ':' is missing before '{'");
    return std::nullopt;
  }
  const Node* repeat = node.find("repeat");
  const bool counted = !repeat || read_repeat(*repeat, item);
  const bool named = counted && read_name(entry, item);
  item.part = find_part(entry);
  if (!item.part) return std::nullopt;
  if (counted) read_fields(entry, item);  // without its index, every formula would be wrong
  if (!named) return std::nullopt;
  return item;
}

}  // namespace

void read_items(Section section, const Node* node, const Catalogue& catalogue, const Parameters& parameters,
                Model& model, long long& copies, Report& report) {
  if (!node || node->kind == Node::Kind::null) return;
  if (node->kind != Node::Kind::map) {
    report.error("M104",
                 fmt::format("expected a map of names under '{}', found {}", section_name(section), kind_name(*node)),
                 node->place);
    return;
  }
  ItemReader reader(section, catalogue, parameters, model.dimension, report);
  for (const Entry& entry : node->entries) {
    if (report.full()) return;
    auto item = reader.read(entry);
    if (!item) continue;
    copies += item->count;
    if (copies > most_copies) {
      report.error("M116", "the model has more than 10 million items", entry.place);
      copies = 0;
      item->count = 0;
    }
    model.items.push_back(std::move(*item));
  }
}

}  // namespace mortise::model
