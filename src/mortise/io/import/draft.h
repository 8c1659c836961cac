// A model in the making, as importers write it: items with the places of the foreign file, names made fit, notes.
//
// The tree that comes out goes the way of every model file from there (model::build): what a foreign file says wrong
// about inertias or loops is found by the same checks, and shown in the line of that file.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mortise/geometry/rotation.h"
#include "mortise/model/builder.h"

namespace mortise::io {

// Where a frame stands in another one: x ↦ p + R(q) x.
struct Pose {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  geometry::Quaternion q;

  Eigen::Vector3d turn(const Eigen::Vector3d& direction) const { return geometry::matrix(q) * direction; }
  Eigen::Vector3d operator*(const Eigen::Vector3d& point) const { return p + turn(point); }
  Pose operator*(const Pose& inner) const { return {*this * inner.p, (q * inner.q).normalized()}; }
  Pose inverse() const {
    const Pose back{{}, q.conjugate()};
    return {-back.turn(p), q.conjugate()};
  }
};

model::Value vector_value(const Eigen::Vector3d& v);
model::Value orientation_value(const geometry::Quaternion& q);
bool is_identity(const geometry::Quaternion& q);

class Draft {
 public:
  // A name that fits the model format and is not taken; a note (M721) where it is not the one that was asked for.
  // Bodies, joints, forces and events share one set of names, which links and joints of foreign files do not.
  std::string name(const std::string& wanted, const Place& place);
  // The same inside one body: points and frames.
  std::string point_name(const std::string& body, const std::string& wanted, const Place& place);

  void set(const std::string& key, const model::Value& value, const Place& place);  // a top-level key
  // An entry of a section; `places` are those of single fields.
  void add(const std::string& section, const std::string& item, const model::Map& fields, const Place& place,
           const std::map<std::string, Place>& places = {});
  void add(const std::string& section, const std::string& item, const model::Value& value, const Place& place);
  // An entry of a map inside an item that is there: {points: {tip: …}}.
  void add_inside(const std::string& section, const std::string& item, const std::string& field, const std::string& key,
                  const model::Value& value, const Place& place);

  void note(std::string code, std::string message, const Place& place, std::string hint = {});
  std::vector<Diagnostic>& notes() { return notes_; }
  // The tree with its sections in the usual order.
  model::Node finish();

 private:
  model::Node& section(const std::string& key, const Place& place);

  model::Node root_;
  // Names in use, each with the number that a twin of it gets next.
  using Names = std::unordered_map<std::string, int>;
  static std::string free_name(std::string name, Names& taken);

  Names taken_;
  std::unordered_map<std::string, Names> points_;
  std::unordered_map<std::string, std::size_t> position_;  // of "section.item" in its section
  std::vector<Diagnostic> notes_;
};

}  // namespace mortise::io
