#include "mortise/view/scene_geometry.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>

#include "mortise/error.h"
#include "mortise/model/geometry_keys.h"
#include "mortise/model/scope.h"
#include "mortise/view/mesh_file.h"

namespace mortise::view {

using mechanism::Mechanism;

namespace {

class GeometryReader {
 public:
  GeometryReader(const Mechanism& m, const std::vector<std::string>& folders, Scene& scene)
      : m_(m), folders_(folders), scene_(scene) {}

  void read(std::size_t body);

 private:
  Shape shape(const std::string& kind, const std::vector<double>& numbers, const model::Node& node);
  int mesh(const std::string& name);

  const Mechanism& m_;
  const std::vector<std::string>& folders_;
  Scene& scene_;
  std::map<std::string, int> meshes_;  // file → its number in the scene; −1: cannot be read
};

const model::Field* geometry_of(const model::Item& item) {
  for (const model::Field& field : item.fields)
    if (field.spec->name == "geometry") return &field;
  return nullptr;
}

// "#rrggbb" and nothing else: it goes into a page.
bool is_colour(const std::string& text) {
  if (text.size() != 7 || text[0] != '#') return false;
  for (std::size_t k = 1; k < text.size(); ++k)
    if (!std::isxdigit(static_cast<unsigned char>(text[k]))) return false;
  return true;
}

int numbers_of(const model::GeometryKey& key, int dimension) { return dimension == 2 ? key.planar : key.spatial; }

// How many of the field's formulas tell of sizes: they stand behind those of all frames.
std::size_t size_formulas(const model::Field& field, int dimension) {
  std::size_t count = 0;
  for (const model::Entry& entry : field.node.entries)
    for (const model::GeometryKey& key : model::geometry_keys)
      if (entry.value.find(key.name)) count += static_cast<std::size_t>(numbers_of(key, dimension));
  return count;
}

void GeometryReader::read(std::size_t number) {
  const mechanism::ItemRef& ref = m_.bodies()[number].ref;
  const model::Item& item = m_.model().items[static_cast<std::size_t>(ref.item)];
  const model::Field* field = geometry_of(item);
  if (!field) return;
  SceneBody& body = scene_.bodies[number];
  const auto frames = model::ItemCopy(m_.model(), item, ref.copy).frame_map("geometry");
  std::size_t next = field->formulas.size() - size_formulas(*field, m_.dimension());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const model::Node& node = field->node.entries[k].value;
    std::string kind;
    std::vector<double> numbers;
    for (const model::GeometryKey& key : model::geometry_keys) {
      const model::Node* value = node.find(key.name);
      if (!value) continue;
      if (key.kind) kind = key.name;
      for (int i = 0; i < numbers_of(key, m_.dimension()); ++i)
        numbers.push_back(model::value_at(field->formulas[next++], !item.index.empty(), ref.copy));
      if (key.name != "colour") continue;
      if (is_colour(value->text))
        body.colour = value->text;
      else
        scene_.notes.push_back(fmt::format("'{}' is no colour of '{}': write \"#3a7bd5\"", value->text, body.name));
    }
    Shape out = shape(kind, numbers, node);
    if (out.kind == Shape::Kind::mesh && out.mesh < 0) continue;
    out.at = frames[k].at;
    const geometry::Quaternion& q = frames[k].orientation;
    out.axes = Eigen::Quaterniond(q.w, q.x, q.y, q.z);
    body.shapes.push_back(std::move(out));
  }
}

Shape GeometryReader::shape(const std::string& kind, const std::vector<double>& numbers, const model::Node& node) {
  Shape out;
  if (kind == "mesh") {
    out.kind = Shape::Kind::mesh;
    out.mesh = mesh(node.find("mesh")->text);
    out.size.setConstant(numbers.empty() ? 1 : numbers[0]);
    return out;
  }
  out.kind = kind == "box"        ? Shape::Kind::box
             : kind == "cylinder" ? Shape::Kind::cylinder
             : kind == "capsule"  ? Shape::Kind::capsule
                                  : Shape::Kind::sphere;
  for (std::size_t k = 0; k < std::min<std::size_t>(numbers.size(), 3); ++k)
    out.size[static_cast<Eigen::Index>(k)] = std::abs(numbers[k]);
  if (kind == "box" && m_.dimension() == 2) out.size.z() = 0.08 * scene_.length;
  return out;
}

int GeometryReader::mesh(const std::string& name) {
  const auto [at, fresh] = meshes_.try_emplace(name, -1);
  if (!fresh) return at->second;
  std::string path = name;
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    const std::filesystem::path candidate = std::filesystem::path(*folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored)) path = candidate.string();
  }
  try {
    scene_.meshes.push_back(read_mesh(path));
    at->second = static_cast<int>(scene_.meshes.size()) - 1;
  } catch (const ResultError& error) {
    scene_.notes.push_back(fmt::format("{}; its bodies are drawn from their joint points", error.what()));
  }
  return at->second;
}

}  // namespace

void add_geometry(const Mechanism& m, const std::vector<std::string>& folders, Scene& scene) {
  GeometryReader reader(m, folders, scene);
  for (std::size_t k = 0; k < m.bodies().size(); ++k) reader.read(k);
}

}  // namespace mortise::view
