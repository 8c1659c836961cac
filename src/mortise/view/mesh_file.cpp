#include "mortise/view/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mortise/error.h"

namespace mortise::view {

namespace {

constexpr std::uintmax_t most_mesh_bytes = 64'000'000;

// 80 bytes of title, the number of triangles, 50 bytes each: normal, three corners, two bytes more.
bool binary_stl(const std::string& bytes, SceneMesh& mesh) {
  std::uint32_t count = 0;
  if (bytes.size() < 84) return false;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  if (bytes.size() != 84 + 50 * static_cast<std::size_t>(count)) return false;
  mesh.positions.resize(9 * static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < count; ++k)
    std::memcpy(mesh.positions.data() + 9 * k, bytes.data() + 84 + 50 * k + 12, 36);
  return true;
}

void text_stl(const std::string& bytes, SceneMesh& mesh, const std::string& name) {
  std::istringstream in(bytes);
  std::string word;
  while (in >> word) {
    if (word != "vertex") continue;
    float p[3];
    if (!(in >> p[0] >> p[1] >> p[2])) throw ResultError(name, "has a vertex without three numbers");
    mesh.positions.insert(mesh.positions.end(), p, p + 3);
  }
  if (mesh.positions.size() % 9 != 0) throw ResultError(name, "has a facet without three vertices");
}

// "7/2/3" names the seventh vertex, "-1" the last one.
std::uint32_t obj_index(const std::string& word, std::size_t vertices, const std::string& name) {
  char* end = nullptr;
  const long number = std::strtol(word.c_str(), &end, 10);
  const long at = number < 0 ? static_cast<long>(vertices) + number : number - 1;
  if (end == word.c_str() || at < 0 || at >= static_cast<long>(vertices))
    throw ResultError(name, fmt::format("has a face with the vertex '{}' of {}", word, vertices));
  return static_cast<std::uint32_t>(at);
}

void obj(const std::string& bytes, SceneMesh& mesh, const std::string& name) {
  std::istringstream in(bytes);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      float p[3];
      if (!(words >> p[0] >> p[1] >> p[2])) throw ResultError(name, "has a vertex without three numbers");
      mesh.positions.insert(mesh.positions.end(), p, p + 3);
    } else if (word == "f") {
      std::vector<std::uint32_t> corners;
      while (words >> word) corners.push_back(obj_index(word, mesh.positions.size() / 3, name));
      for (std::size_t k = 2; k < corners.size(); ++k)
        mesh.triangles.insert(mesh.triangles.end(), {corners[0], corners[k - 1], corners[k]});
    }
  }
}

}  // namespace

SceneMesh parse_mesh(const std::string& bytes, const std::string& name) {
  SceneMesh mesh;
  std::string ending = std::filesystem::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".obj") {
    obj(bytes, mesh, name);
  } else if (ending == ".stl") {
    if (!binary_stl(bytes, mesh)) text_stl(bytes, mesh, name);
    mesh.triangles.resize(mesh.positions.size() / 3);
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) mesh.triangles[k] = static_cast<std::uint32_t>(k);
  } else {
    throw ResultError(name, "is no mesh that can be read: expected a file that ends in .stl or .obj");
  }
  if (mesh.triangles.empty()) throw ResultError(name, "holds no triangle");
  if (!std::all_of(mesh.positions.begin(), mesh.positions.end(), [](float x) { return std::isfinite(x); }))
    throw ResultError(name, "has a vertex that is not finite");
  return mesh;
}

SceneMesh read_mesh(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) throw ResultError(path, "cannot be read: " + failed.message());
  if (size > most_mesh_bytes)
    throw ResultError(path, fmt::format("is too large for a picture: {} MB of 64", size / 1'000'000));
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) throw ResultError(path, "cannot be read");
  return parse_mesh(bytes, path);
}

}  // namespace mortise::view
