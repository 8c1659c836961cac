#include "mortise/io/import/sidecar.h"

#include <fmt/format.h>

#include <algorithm>

#include "mortise/model/build_parts.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

using model::Entry;
using model::Node;

constexpr std::string_view not_here[] = {"mortise", "dimension", "include"};

double read_plain_number(const Node& node) {
  model::Report report;
  const model::Parameters none;
  const auto number = model::read_number(node, none, {.angle = true, .what = "a position"}, report);
  report.throw_if_any();
  return *number;
}

bool read_plain_flag(const Node& node) {
  if (node.text != "true" && node.text != "false") fail_model("M709", "expected true or false", node.place);
  return node.text == "true";
}

}  // namespace

Sidecar read_sidecar(const Node& root) {
  Sidecar sidecar;
  sidecar.sections.kind = Node::Kind::map;
  if (root.kind == Node::Kind::null) return sidecar;
  if (root.kind != Node::Kind::map) fail_model("M709", "expected sections such as joints: in a sidecar", root.place);
  std::vector<std::string> known = model::model_keys();
  std::erase_if(known, [](const std::string& key) {
    return std::find(std::begin(not_here), std::end(not_here), key) != std::end(not_here);
  });
  for (const char* key : {"base", "positions", "limits"}) known.emplace_back(key);
  for (const Entry& entry : root.entries) {
    if (entry.key == "base") {
      if (entry.value.text != "fixed" && entry.value.text != "floating")
        fail_model("M709", "expected base: fixed or base: floating", entry.value.place,
                   model::did_you_mean(entry.value.text, {"fixed", "floating"}));
      sidecar.floating_base = entry.value.text == "floating";
    } else if (entry.key == "limits") {
      sidecar.limits = read_plain_flag(entry.value);
    } else if (entry.key == "positions") {
      if (entry.value.kind != Node::Kind::map)
        fail_model("M709", "expected positions: {joint: value}", entry.value.place);
      for (const Entry& p : entry.value.entries)
        sidecar.positions[p.key] = {read_plain_number(p.value), p.place, false};
    } else if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
      sidecar.sections.entries.push_back(entry);
    } else {
      fail_model("M709",
                 fmt::format("a sidecar has no {}; it has: {}", model::quote(entry.key), model::list_names(known, 20)),
                 entry.place, model::did_you_mean(entry.key, known));
    }
  }
  return sidecar;
}

void merge_sidecar(const Sidecar& sidecar, Node& root) {
  for (const Entry& entry : sidecar.sections.entries) {
    Node* there = root.find(entry.key);
    if (!there) {
      root.entries.push_back(entry);
    } else if (there->kind != Node::Kind::map || entry.value.kind != Node::Kind::map) {
      *there = entry.value;  // gravity, a name
    } else {
      for (const Entry& item : entry.value.entries) {
        // What the importer only assumed may be said otherwise; items of the robot file may not.
        Node* twin = there->find(item.key);
        if (twin && entry.key != "analysis" && entry.key != "output")
          fail_model(
              "M709",
              fmt::format("{} is a name of the robot file already ({})", model::quote(item.key), twin->place.str()),
              item.place, "choose another name");
        if (twin)
          *twin = item.value;
        else
          there->entries.push_back(item);
      }
    }
  }
}

}  // namespace mortise::io
