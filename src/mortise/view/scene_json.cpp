// scene.json; scene.h has the layout.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "mortise/view/base64.h"
#include "mortise/view/scene.h"

namespace mortise::view {

namespace {

using Json = nlohmann::ordered_json;

// Seven digits: what a picture shows, at half the length.
Json brief(double value) {
  if (!std::isfinite(value)) return nullptr;
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return std::strtod(text, nullptr);
}

Json triple(const Eigen::Vector3d& v) { return Json::array({brief(v.x()), brief(v.y()), brief(v.z())}); }
Json turn(const Eigen::Quaterniond& q) { return Json::array({brief(q.w()), brief(q.x()), brief(q.y()), brief(q.z())}); }

Json span_of(const Eigen::AlignedBox3d& box) { return {{"min", triple(box.min())}, {"max", triple(box.max())}}; }

const char* kind_word(Shape::Kind kind) {
  static constexpr const char* words[] = {"box", "sphere", "cylinder", "capsule", "mesh", "rod", "plate"};
  return words[static_cast<std::size_t>(kind)];
}

Json shape_list(const std::vector<Shape>& shapes) {
  Json out = Json::array();
  for (const Shape& shape : shapes) {
    Json item{{"kind", kind_word(shape.kind)}};
    if (shape.kind != Shape::Kind::rod) item["at"] = triple(shape.at), item["axes"] = turn(shape.axes);
    item["size"] = triple(shape.size);
    if (shape.mesh >= 0) item["mesh"] = shape.mesh;
    for (const Eigen::Vector3d& p : shape.points) item["points"].push_back(triple(p));
    out.push_back(std::move(item));
  }
  return out;
}

template <class T>
std::string_view bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), sizeof(T) * numbers.size()};
}

template <class Ends>
Json ends(const Ends& item) {
  return Json::array({triple(item.at[0]), triple(item.at[1])});
}

Json joint_entry(const SceneJoint& joint) {
  return {{"name", joint.name},
          {"type", joint.type},
          {"driver", joint.driver},
          {"bodies", joint.bodies},
          {"at", ends(joint)},
          {"axes", Json::array({turn(joint.axes[0]), turn(joint.axes[1])})},
          {"placed", joint.placed},
          {"rows", joint.rows},
          {"redundant", joint.redundant},
          {"conflict", joint.conflict},
          {"kept", joint.kept}};
}

Json mode_entry(const SceneMode& mode) {
  Json v = Json::array();
  for (const auto& body : mode.v) {
    Json row = Json::array();
    for (const double value : body) row.push_back(brief(value));
    v.push_back(std::move(row));
  }
  return {{"words", mode.words}, {"v", std::move(v)}};
}

}  // namespace

std::string to_json(const Scene& scene) {
  Json out{{"format", "mortise-scene"},
           {"version", 1},
           {"program", MORTISE_VERSION},
           {"name", scene.name},
           {"facts", scene.facts},
           {"dimension", scene.dimension},
           {"up", triple(scene.up)},
           {"length", brief(scene.length)},
           {"extent", span_of(scene.extent)},
           {"start", span_of(scene.start)},
           {"force", brief(scene.force)}};
  const auto list = [&out](const char* key, const auto& items, const auto& entry) {
    out[key] = Json::array();
    for (const auto& item : items) out[key].push_back(entry(item));
  };
  list("bodies", scene.bodies, [](const SceneBody& body) {
    return Json{{"name", body.name},
                {"particle", body.particle},
                {"mass", brief(body.mass)},
                {"center", triple(body.center)},
                {"kept", body.kept},
                {"colour", body.colour.empty() ? Json(nullptr) : Json(body.colour)},
                {"shapes", shape_list(body.shapes)}};
  });
  out["ground"] = shape_list(scene.ground);
  list("meshes", scene.meshes, [](const SceneMesh& mesh) {
    return Json{{"positions", base64(bytes_of(mesh.positions))}, {"triangles", base64(bytes_of(mesh.triangles))}};
  });
  list("joints", scene.joints, joint_entry);
  list("springs", scene.springs, [](const SceneSpring& spring) {
    return Json{{"name", spring.name}, {"type", spring.type}, {"bodies", spring.bodies}, {"at", ends(spring)}};
  });
  list("tracers", scene.tracers, [](const SceneTracer& tracer) {
    return Json{{"name", tracer.name}, {"body", tracer.body}, {"at", triple(tracer.at)}};
  });
  list("events", scene.events, [](const SceneEvent& event) {
    return Json{{"t", event.t}, {"name", event.name}, {"what", event.what}, {"joints", event.joints}};
  });
  out["diagnosis"] = {
      {"freedoms", scene.freedoms}, {"rank", scene.rank}, {"rows", scene.rows}, {"text", scene.diagnosis}};
  out["notes"] = scene.notes;
  list("modes", scene.modes, mode_entry);
  list("quantities", scene.quantities, [](const auto& q) { return Json{{"name", q.first}, {"unit", q.second}}; });
  Json fields = Json::array();
  for (const FrameField& f : scene.fields)
    fields.push_back({{"name", f.name},
                      {"offset", f.offset},
                      {"items", f.items},
                      {"width", f.width},
                      {"columns", f.columns},
                      {"units", f.units}});
  out["frames"] = {
      {"count", scene.frames}, {"total", scene.total}, {"bytes", scene.frame_bytes}, {"fields", std::move(fields)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mortise::view
