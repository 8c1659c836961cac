// Typed access to the fields of one copy of an item. The values are checked here, so that every copy is, whichever of
// them `build` looked at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "mortise/model/inertia.h"
#include "mortise/model/model.h"
#include "mortise/model/read_field.h"

namespace mortise::model {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using geometry::Quaternion;

// Delivers a field's numbers one after the other.
class Values {
 public:
  Values(const ItemCopy& copy, const Item& item, const Field& field)
      : copy_(copy), field_(field), indexed_(!item.index.empty()) {}

  double next() {
    const std::size_t k = next_++;
    const double value = value_at(field_.formulas.at(k), indexed_, copy_.copy());
    if (!std::isfinite(value))
      fail_model("M301", fmt::format("'{}' of '{}' is not a finite number", field_.spec->name, copy_.name()),
                 field_.places.at(k));
    return value;
  }
  Vector3d vector(int dimension) {
    Vector3d v = Vector3d::Zero();
    for (int k = 0; k < dimension; ++k) v[k] = next();
    return v;
  }
  // A quaternion from an orientation node whose numbers come next.
  Quaternion orientation(const Node& node) {
    switch (orientation_form(node)) {
      case OrientationForm::rpy: {
        const Vector3d a = vector(3);
        return geometry::from_rpy(a[0], a[1], a[2]);
      }
      case OrientationForm::quaternion: {
        Quaternion q;
        q.w = next(), q.x = next(), q.y = next(), q.z = next();
        if (!(std::abs(q.norm() - 1) <= 1e-6))
          fail_model("M305", fmt::format("the quaternion's length is {:.9g}, not 1", q.norm()), node.place,
                     q.norm() > 1e-6 && std::isfinite(q.norm())
                         ? fmt::format("{{w: {:.9g}, x: {:.9g}, y: {:.9g}, z: {:.9g}}} has length 1", q.w / q.norm(),
                                       q.x / q.norm(), q.y / q.norm(), q.z / q.norm())
                         : "");
        return q.normalized();
      }
      case OrientationForm::axis_angle: {
        const Vector3d axis = unit(vector(3), node.place);
        return geometry::from_axis_angle(axis, next());
      }
      case OrientationForm::euler: {
        const Node& euler = *node.find("euler");
        return geometry::from_euler(euler.find("sequence")->text.c_str(), euler.find("intrinsic")->text == "true",
                                    vector(3));
      }
      case OrientationForm::none:
        break;
    }
    return {};
  }
  Vector3d unit(const Vector3d& v, const Place& place) const {
    const double largest = v.cwiseAbs().maxCoeff();
    if (largest < 1e-12)
      fail_model("M306", fmt::format("'{}' of '{}' is a direction and cannot be zero", field_.spec->name, copy_.name()),
                 place);
    return (v / largest).normalized();
  }

 private:
  const ItemCopy& copy_;
  const Field& field_;
  bool indexed_;
  std::size_t next_ = 0;
};

// A caller that asks for the wrong kind of field is a mistake in the program, not in the model.
void expect(const Field& field, std::initializer_list<FieldKind> kinds) {
  for (const FieldKind kind : kinds)
    if (field.spec->kind == kind) return;
  throw std::logic_error("field '" + field.spec->name + "' is read as another kind than the catalogue says");
}

Attachment split(std::string name, const Place& place) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {std::move(name), "", place};
  return {name.substr(0, dot), name.substr(dot + 1), place};
}

std::string reference(const ItemCopy& copy, const Field& field, std::size_t k) {
  auto name = field.names.at(k).at(copy.copy());
  if (!name)
    fail_model("M115", fmt::format("a number in this name is not whole for '{}'", copy.name()), field.places.at(k));
  return std::move(*name);
}

// A formula of (t, coordinates): the index of a repeated item is put in.
formula::Expression of_copy(const Item& item, int copy, const Field& field, const formula::Expression& formula) {
  if (item.index.empty() || formula.is_constant()) return formula;
  const std::size_t count = 2 + field.variables.size();
  std::vector<double> values(count, 0.0);
  values[0] = copy;
  const std::unique_ptr<bool[]> bound(new bool[count]{true});
  return formula.bind(values, std::span<const bool>(bound.get(), count));
}

}  // namespace

const Field* ItemCopy::find(std::string_view field) const {
  for (const Field& f : item_->fields)
    if (f.spec->name == field) return &f;
  return nullptr;
}

const Field& ItemCopy::require(std::string_view field) const {
  if (const Field* f = find(field)) return *f;
  fail_model("M206", fmt::format("{} '{}' needs '{}'", item_name(item_->section), name(), field), item_->place);
}

std::string ItemCopy::name() const { return item_->name.at(copy_).value_or(item_->pattern); }
const PartInfo& ItemCopy::part() const { return *item_->part; }
bool ItemCopy::has(std::string_view field) const { return find(field) != nullptr; }
Place ItemCopy::place() const { return item_->place; }

Place ItemCopy::place(std::string_view field) const {
  const Field* f = find(field);
  return f ? f->node.place : item_->place;
}

double ItemCopy::number(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::number, FieldKind::angle, FieldKind::spin});
  const double value = Values(*this, *item_, f).next();
  if (item_->section == Section::body && field == "mass" && value < 0)
    fail_model("M302", fmt::format("the mass of '{}' is {:.6g} kg; a mass cannot be negative", name(), value),
               f.node.place);
  if (value < f.spec->minimum)
    fail_model("M302",
               fmt::format("'{}' of '{}' is {:.6g}; it must be at least {:.6g}", field, name(), value, f.spec->minimum),
               f.node.place);
  return value;
}

double ItemCopy::number(std::string_view field, double fallback) const { return has(field) ? number(field) : fallback; }

bool ItemCopy::flag(std::string_view field, bool fallback) const {
  const Field* f = find(field);
  if (!f) return fallback;
  expect(*f, {FieldKind::flag});
  return f->node.text == "true";
}

std::string ItemCopy::text(std::string_view field, std::string_view fallback) const {
  const Field* f = find(field);
  if (!f) return std::string(fallback);
  expect(*f, {FieldKind::text, FieldKind::choice, FieldKind::body, FieldKind::joint});
  return f->names.empty() ? f->node.text : reference(*this, *f, 0);
}

Vector3d ItemCopy::vector(std::string_view field) const {
  const Field& f = require(field);
  if (f.spec->kind == FieldKind::spin) return spin(field);
  expect(f, {FieldKind::vector, FieldKind::direction});
  return Values(*this, *item_, f).vector(model_->dimension);
}

Vector3d ItemCopy::vector(std::string_view field, const Vector3d& fallback) const {
  return has(field) ? vector(field) : fallback;
}

Vector3d ItemCopy::direction(std::string_view field, const Vector3d& fallback) const {
  const Field* f = find(field);
  if (!f) return fallback;
  expect(*f, {FieldKind::direction, FieldKind::vector});
  Values values(*this, *item_, *f);
  const Vector3d v = values.vector(model_->dimension);
  return values.unit(v, f->node.place);
}

Vector3d ItemCopy::spin(std::string_view field) const {
  const Field* f = find(field);
  if (!f) return Vector3d::Zero();
  expect(*f, {FieldKind::spin});
  Values values(*this, *item_, *f);
  if (model_->dimension == 3) return values.vector(3);
  return {0, 0, values.next()};
}

Quaternion ItemCopy::orientation(std::string_view field) const {
  const Field* f = find(field);
  if (!f) return {};
  expect(*f, {FieldKind::orientation});
  return Values(*this, *item_, *f).orientation(f->node);
}

Matrix3d ItemCopy::inertia(std::string_view field) const {
  const Field* f = find(field);
  Matrix3d J = Matrix3d::Zero();
  if (!f) return J;
  expect(*f, {FieldKind::inertia});
  Values values(*this, *item_, *f);
  if (model_->dimension == 2) {
    J(2, 2) = values.next();
    if (J(2, 2) < 0)
      fail_model("M303", fmt::format("the inertia of '{}' is {:.6g} kg m²; it cannot be negative", name(), J(2, 2)),
                 f->node.place);
    return J;
  }
  const Vector3d diagonal = values.vector(3);
  const double xy = values.next(), xz = values.next(), yz = values.next();
  J << diagonal[0], xy, xz, xy, diagonal[1], yz, xz, yz, diagonal[2];
  switch (judge_inertia(J)) {
    case InertiaVerdict::physical:
      break;
    case InertiaVerdict::negative:
      fail_model("M303",
                 fmt::format("no body has this inertia: '{}' would have a negative moment about some axis", name()),
                 f->node.place, inertia_cure(J));
    case InertiaVerdict::triangle:
      fail_model(
          "M304",
          fmt::format("no body has this inertia: of the principal moments of '{}' one exceeds the sum of the others",
                      name()),
          f->node.place, inertia_cure(J));
  }
  return J;
}

std::vector<formula::Expression> ItemCopy::functions(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::function, FieldKind::function_vector, FieldKind::function_spin, FieldKind::curve,
             FieldKind::number, FieldKind::angle});
  if (item_->index.empty()) return f.formulas;
  std::size_t most = 0;
  for (const auto& list : f.quantities) most = std::max(most, list.size());
  const std::size_t count = 2 + f.spec->variables.size() + most;
  std::vector<double> values(count);
  values[0] = copy_;
  const std::unique_ptr<bool[]> bound(new bool[count]());
  bound[0] = true;
  std::vector<formula::Expression> out;
  for (const formula::Expression& e : f.formulas)
    out.push_back(e.is_constant() ? e : e.bind(values, std::span<const bool>(bound.get(), count)));
  return out;
}

std::vector<Function> ItemCopy::formulas(std::string_view field) const {
  const Field& f = require(field);
  const std::vector<formula::Expression> expressions = functions(field);
  std::vector<Function> out;
  for (std::size_t k = 0; k < expressions.size(); ++k) {
    out.push_back({expressions[k], {}, f.places[k]});
    if (k >= f.quantities.size()) continue;
    for (const QuantityPattern& pattern : f.quantities[k]) {
      auto name = pattern.name.at(copy_);
      if (!name)
        fail_model("M115", fmt::format("a number in this name is not whole for '{}'", this->name()), pattern.place);
      out.back().quantities.push_back({std::move(*name), pattern.place});
    }
  }
  return out;
}

Eigen::MatrixXd ItemCopy::matrix(std::string_view field) const {
  const int n = model_->dimension == 2 ? 3 : 6;
  const Field* f = find(field);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  if (!f) return out;
  expect(*f, {FieldKind::matrix});
  Values values(*this, *item_, *f);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out(i, j) = values.next();
  return out;
}

formula::Expression ItemCopy::function(std::string_view field) const { return functions(field).front(); }

Attachment ItemCopy::attachment(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::attachment, FieldKind::body});
  return split(reference(*this, f, 0), f.places[0]);
}

std::array<Attachment, 2> ItemCopy::attachments(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::attachments});
  return {split(reference(*this, f, 0), f.places[0]), split(reference(*this, f, 1), f.places[1])};
}

std::array<std::string, 2> ItemCopy::joints(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::joints});
  return {reference(*this, f, 0), reference(*this, f, 1)};
}

std::vector<std::string> ItemCopy::constraints(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::constraints});
  std::vector<std::string> names;
  for (std::size_t k = 0; k < f.names.size(); ++k) names.push_back(reference(*this, f, k));
  return names;
}

std::array<double, 2> ItemCopy::pair(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::pair});
  Values values(*this, *item_, f);
  const double first = values.next();
  return {first, values.next()};
}

std::vector<Term> ItemCopy::terms(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::terms});
  Values values(*this, *item_, f);
  std::vector<Term> out;
  for (std::size_t k = 0; k < f.names.size(); ++k) out.push_back({reference(*this, f, k), values.next(), f.places[k]});
  return out;
}

std::vector<RowTerm> ItemCopy::row_terms(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::row_terms});
  std::vector<RowTerm> out;
  for (std::size_t k = 0; k < f.names.size(); ++k)
    out.push_back({reference(*this, f, k),
                   {of_copy(*item_, copy_, f, f.formulas[k]), f.node.entries[k].value.place},
                   f.places[k]});
  return out;
}

RowFunction ItemCopy::row_function(std::string_view field) const {
  const Field* f = find(field);
  if (!f) return {};
  expect(*f, {FieldKind::row_function});
  return {of_copy(*item_, copy_, *f, f->formulas[0]), f->places[0]};
}

std::vector<RowVariable> ItemCopy::row_variables(std::string_view field) const {
  std::vector<RowVariable> out;
  const Field* f = find(field);
  if (!f) return out;
  expect(*f, {FieldKind::row_terms, FieldKind::row_function});
  for (std::size_t k = 0; k < f->variables.size(); ++k) {
    const auto name = f->variables[k].at(copy_);
    if (!name)
      fail_model("M115", fmt::format("a number in this name is not whole for '{}'", this->name()),
                 f->variable_places[k]);
    out.push_back({*name, f->variable_places[k]});
  }
  return out;
}

std::array<Vector3d, 2> ItemCopy::points(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::points});
  Values values(*this, *item_, f);
  const Vector3d first = values.vector(model_->dimension);
  return {first, values.vector(model_->dimension)};
}

std::vector<Vector3d> ItemCopy::point_list(std::string_view field) const {
  const Field& f = require(field);
  expect(f, {FieldKind::point_list});
  Values values(*this, *item_, f);
  std::vector<Vector3d> out(f.node.items.size());
  for (Vector3d& point : out) point = values.vector(model_->dimension);
  return out;
}

std::vector<PointOnBody> ItemCopy::point_map(std::string_view field) const {
  std::vector<PointOnBody> out;
  const Field* f = find(field);
  if (!f) return out;
  expect(*f, {FieldKind::point_map});
  Values values(*this, *item_, *f);
  for (const Entry& entry : f->node.entries) out.push_back({entry.key, values.vector(model_->dimension), entry.place});
  return out;
}

std::vector<FrameOnBody> ItemCopy::frame_map(std::string_view field) const {
  std::vector<FrameOnBody> out;
  const Field* f = find(field);
  if (!f) return out;
  expect(*f, {FieldKind::frame_map});
  Values values(*this, *item_, *f);
  for (const Entry& entry : f->node.entries) {
    const Vector3d at = values.vector(model_->dimension);
    Quaternion turn;
    if (model_->dimension == 2)
      turn = geometry::from_axis_angle(Vector3d::UnitZ(), values.next());
    else if (const Node* node = entry.value.find("orientation"))
      turn = values.orientation(*node);
    out.push_back({entry.key, at, turn, entry.place});
  }
  return out;
}

}  // namespace mortise::model
