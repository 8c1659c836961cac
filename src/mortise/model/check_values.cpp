#include "mortise/model/build_parts.h"

namespace mortise::model {

namespace {

// Reads a field as its kind asks; the getters check what they deliver.
void check_field(const ItemCopy& copy, const FieldSpec& spec) {
  const std::string& name = spec.name;
  switch (spec.kind) {
    case FieldKind::number:
    case FieldKind::angle:
      copy.number(name);
      break;
    case FieldKind::vector:
      copy.vector(name);
      break;
    case FieldKind::direction:
      copy.direction(name, Eigen::Vector3d::UnitX());
      break;
    case FieldKind::spin:
      copy.spin(name);
      break;
    case FieldKind::orientation:
      copy.orientation(name);
      break;
    case FieldKind::inertia:
      copy.inertia(name);
      break;
    case FieldKind::points:
      copy.points(name);
      break;
    case FieldKind::point_list:
      copy.point_list(name);
      break;
    case FieldKind::point_map:
      copy.point_map(name);
      break;
    case FieldKind::frame_map:
      copy.frame_map(name);
      break;
    case FieldKind::matrix:
      copy.matrix(name);
      break;
    case FieldKind::pair:
      copy.pair(name);
      break;
    case FieldKind::terms:
      copy.terms(name);
      break;
    case FieldKind::function:  // what they give at t > 0 is the run's business
    case FieldKind::function_vector:
    case FieldKind::function_spin:
    case FieldKind::curve:
    case FieldKind::flag:
    case FieldKind::text:
    case FieldKind::choice:
    case FieldKind::body:
    case FieldKind::attachment:
    case FieldKind::attachments:
    case FieldKind::joint:
    case FieldKind::joints:
    case FieldKind::constraints:
    case FieldKind::row_terms:
    case FieldKind::row_function:
      break;
  }
}

}  // namespace

void check_values(const Model& model, Report& report) {
  for (const Item& item : model.items)
    for (const Field& field : item.fields) {
      if (report.full()) return;
      try {
        if (item.count > 0) check_field(ItemCopy(model, item, 0), *field.spec);
        if (item.count > 1) check_field(ItemCopy(model, item, item.count - 1), *field.spec);
      } catch (const ModelError& e) {
        report.add(e);
      }
    }
}

}  // namespace mortise::model
