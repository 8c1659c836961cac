#include "mortise/mechanism/contact/contact_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/model/geometry_keys.h"
#include "mortise/model/names.h"
#include "mortise/model/scope.h"

namespace mortise::mechanism {

namespace {

const model::Field* shapes_of(const model::Item& item, std::string_view name) {
  for (const model::Field& field : item.fields)
    if (field.spec->name == name) return &field;
  return nullptr;
}

int numbers_of(const model::GeometryKey& key, bool planar) { return planar ? key.planar : key.spatial; }

// Formulas of sizes stand behind those of all frames (geometry_keys.h).
std::size_t size_formulas(const model::Field& field, bool planar) {
  std::size_t count = 0;
  for (const model::Entry& entry : field.node.entries)
    for (const model::GeometryKey& key : model::geometry_keys)
      if (entry.value.find(key.name)) count += static_cast<std::size_t>(numbers_of(key, planar));
  return count;
}

struct Named {
  PlacedShape at;
  std::string name;
};

// The shapes of a field that can touch; `others` counts those that cannot.
std::vector<Named> read_shapes(const model::Model& m, const model::Item& item, int copy, std::string_view name,
                               int& others) {
  std::vector<Named> out;
  const model::Field* field = shapes_of(item, name);
  if (!field) return out;
  const bool planar = m.dimension == 2;
  const auto frames = ItemCopy(m, item, copy).frame_map(name);
  std::size_t next = field->formulas.size() - size_formulas(*field, planar);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const model::Node& node = field->node.entries[k].value;
    std::string_view kind;
    std::vector<double> numbers;
    for (const model::GeometryKey& key : model::geometry_keys) {
      if (!node.find(key.name)) continue;
      if (key.kind) kind = key.name;
      for (int i = 0; i < numbers_of(key, planar); ++i) {
        const double value = model::value_at(field->formulas[next++], !item.index.empty(), copy);
        if (key.kind) numbers.push_back(value);
      }
    }
    Named shape{{}, frames[k].name};
    PlacedShape& at = shape.at;
    at.p = frames[k].at;
    at.R = geometry::matrix(frames[k].orientation);
    at.shape.flat = planar;
    const auto require = [&](bool good) {
      if (!good)
        Builder::fail("M496", fmt::format("the shape '{}' has no extent", frames[k].name), frames[k].place,
                      "radii, lengths and edges must be above zero, a normal must have a length");
    };
    if (kind == "sphere" || (planar && (kind == "capsule" || kind == "cylinder"))) {
      at.shape.kind = ShapeKind::sphere;
      at.shape.radius = numbers[0];
      require(numbers[0] > 0);
    } else if (kind == "capsule") {
      at.shape.kind = ShapeKind::capsule;
      at.shape.radius = numbers[0];
      at.shape.half_length = 0.5 * numbers[1];
      require(numbers[0] > 0 && numbers[1] >= 0);
    } else if (kind == "box") {
      at.shape.kind = ShapeKind::box;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        at.shape.half[static_cast<Eigen::Index>(i)] = 0.5 * numbers[i];
        require(numbers[i] > 0);
      }
    } else if (kind == "plane") {
      at.shape.kind = ShapeKind::plane;
      Eigen::Vector3d n(numbers[0], numbers[1], planar ? 0 : numbers[2]), x, y;
      require(n.norm() > 0);
      n = (at.R * n).normalized();
      geometry::complete_triad(n, x, y);
      at.R << x, y, n;
    } else {
      ++others;
      continue;
    }
    out.push_back(std::move(shape));
  }
  return out;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + ",")
    if (c == ',' || c == ' ') {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  return out;
}

// Which bodies a field names.
std::vector<unsigned char> chosen(const ItemCopy& item, const Builder& builder, const char* field) {
  const Mechanism& m = builder.mechanism();
  std::vector<unsigned char> out(m.bodies().size(), 0);
  std::vector<std::string> names;
  for (const Body& body : m.bodies()) names.push_back(m.name(body.ref));
  for (const std::string& word : words(item.text(field, "*"))) {
    bool found = false;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (model::matches(word, names[k])) out[k] = found = true;
    if (found) continue;
    const std::string near = nearest_name(word, names);
    Builder::fail(
        "M490", fmt::format("'{}' of '{}': no body is called '{}'", field, item.name(), word), item.place(field),
        near.empty() ? "names with commas between; * stands for any letters" : fmt::format("did you mean '{}'?", near));
  }
  return out;
}

}  // namespace

bool ContactSet::may_touch(int i, int j) const {
  const ContactPiece &a = pieces[static_cast<std::size_t>(i)], &b = pieces[static_cast<std::size_t>(j)];
  if (a.body == b.body) return false;
  if (!((a.first && b.second) || (a.second && b.first))) return false;
  return !std::binary_search(joined.begin(), joined.end(),
                             std::pair(std::min(a.body, b.body), std::max(a.body, b.body)));
}

ContactSet read_contact_set(const ItemCopy& item, const Builder& builder) {
  const Mechanism& m = builder.mechanism();
  const model::Model& model = m.model();
  ContactSet set;
  set.restitution = item.number("restitution", 0);
  if (set.restitution > 1)
    Builder::fail("M464", fmt::format("a restitution of {:.9g}: it lies between 0 and 1", set.restitution),
                  item.place("restitution"));
  set.friction = item.number("friction", 0);
  set.rest_speed = item.number("rest_speed", 0);

  const std::vector<unsigned char> one = chosen(item, builder, "bodies");
  const bool two_groups = item.has("with");
  const std::vector<unsigned char> other = two_groups ? chosen(item, builder, "with") : one;
  for (std::size_t k = 0; k < m.bodies().size(); ++k) {
    if (!one[k] && !other[k]) continue;
    const Body& body = m.bodies()[k];
    const model::Item& of = model.items[static_cast<std::size_t>(body.ref.item)];
    int others = 0;
    const std::vector<Named> shapes = read_shapes(model, of, body.ref.copy, "geometry", others);
    if (shapes.empty() && (others > 0 || (one[k] ? item.has("bodies") : two_groups)))
      Builder::fail("M491",
                    fmt::format("body '{}' of '{}' has no shape that can touch{}", m.name(body.ref), item.name(),
                                others > 0 ? ": cylinders in space and meshes are drawn only" : ""),
                    item.place(one[k] && item.has("bodies") ? "bodies"
                               : two_groups                 ? "with"
                                                            : ""),
                    builder.planar() ? "geometry: {a: {sphere: 0.1}} or {box: [1, 0.2]}"
                                     : "geometry: {a: {sphere: 0.1}}, {capsule: [0.1, 1]} or {box: [1, 0.2, 0.2]}");
    for (const Named& shape : shapes) {
      ContactPiece piece;
      piece.body = static_cast<int>(k);
      piece.at = shape.at;
      piece.at.p -= body.center;
      piece.first = one[k], piece.second = other[k];
      piece.size = shape.at.shape.reach();
      set.pieces.push_back(std::move(piece));
    }
  }
  int others = 0;
  const model::Item& own = model.items[static_cast<std::size_t>(builder.current().item)];
  for (const Named& shape : read_shapes(model, own, item.copy(), "ground", others)) {
    ContactPiece piece;
    piece.at = shape.at;
    if (shape.at.shape.kind != ShapeKind::plane) piece.size = shape.at.shape.reach();
    set.pieces.push_back(std::move(piece));
  }
  if (!item.flag("joined", false)) {
    for (const Constraint& c : m.constraints()) {
      std::vector<int> bodies;
      if (c.over_several())
        for (const Involved& in : c.bodies) bodies.push_back(in.body);
      else
        bodies = {c.a.body, c.b.body};
      // What a joint fixes to the ground may still run into shapes of the ground: a pendulum into a wall.
      for (const int a : bodies)
        for (const int b : bodies)
          if (a != ground && a < b) set.joined.emplace_back(a, b);
    }
    std::sort(set.joined.begin(), set.joined.end());
    set.joined.erase(std::unique(set.joined.begin(), set.joined.end()), set.joined.end());
  }
  bool any = false;
  for (std::size_t i = 0; i < set.pieces.size() && !any; ++i)
    for (std::size_t j = i + 1; j < set.pieces.size() && !any; ++j)
      any = set.may_touch(static_cast<int>(i), static_cast<int>(j));
  if (!any)
    Builder::fail("M492", fmt::format("'{}' has nothing that could touch", item.name()), item.place(),
                  "two bodies with a `geometry`, or one and a shape of the `ground`, that no joint connects");
  return set;
}

ContactGround contact_ground(const Mechanism& m, const ItemRef& force) {
  const model::Item& item = m.model().items[static_cast<std::size_t>(force.item)];
  ContactGround out;
  int others = 0;
  for (const Named& shape : read_shapes(m.model(), item, force.copy, "ground", others)) out.shapes.push_back(shape.at);
  const std::vector<std::string> wanted = words(ItemCopy(m.model(), item, force.copy).text("bodies", "*"));
  for (std::size_t k = 0; k < m.bodies().size(); ++k) {
    const std::string name = m.name(m.bodies()[k].ref);
    if (std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) { return model::matches(word, name); }))
      out.bodies.push_back(static_cast<int>(k));
  }
  return out;
}

PlacedShape placed(const ContactPiece& piece, const Motions& motions, bool planar) {
  if (piece.body == ground) return piece.at;
  PlacedShape out;
  out.shape = piece.at.shape;
  if (planar) {
    const Motion2<double>& m = motions.at2(piece.body);
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    R(0, 0) = R(1, 1) = m.cos;
    R(1, 0) = m.sin;
    R(0, 1) = -m.sin;
    out.R.noalias() = R * piece.at.R;
    out.p.noalias() = R * piece.at.p;
    out.p.head<2>() += m.r;
    return out;
  }
  const Motion3<double>& m = motions.at3(piece.body);
  out.R.noalias() = m.R * piece.at.R;
  out.p.noalias() = m.R * piece.at.p;
  out.p += m.r;
  return out;
}

std::vector<model::FieldSpec> contact_fields() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"bodies",
       FieldKind::text,
       false,
       "\"*\": all with a shape",
       "",
       "names of bodies with commas between, * and ? stand for letters: \"ball*, wedge\"",
       {}},
      {"with",
       FieldKind::text,
       false,
       "",
       "",
       "the others: each of `bodies` with each of these, instead of `bodies` among themselves",
       {}},
      {"ground",
       FieldKind::frame_map,
       false,
       "",
       "m",
       "shapes that stand still: {plane: normal}, {box: …}, {sphere: r} or {capsule: [r, l]}, each with at, "
       "orientation "
       "(planar: angle)",
       {"plane", "box", "sphere", "capsule"}},
      {"joined", FieldKind::flag, false, "false", "", "whether bodies that a joint connects may touch", {}},
      {"restitution", FieldKind::number, false, "0", "", "speed after an impact over that before it, 0 to 1", {}}};
  fields.back().minimum = 0;
  return fields;
}

}  // namespace mortise::mechanism
