// Geometry of the user's: shapes in the model, meshes from files, and what is said when they cannot be read.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "mortise/analysis/checkup.h"
#include "mortise/error.h"
#include "mortise/view/mesh_file.h"
#include "mortise/view/scene.h"
#include "support/compile.h"

namespace mortise::view {
namespace {

std::string with_geometry(const std::string& geometry, const std::string& more = "") {
  return "mortise: 1\ndimension: spatial\nparameters: {d: 0.5}\nbodies:\n  part: {mass: 1, inertia: [1, 1, 1], "
         "geometry: " +
         geometry + "}\n" + more + "analysis: {until: 1}\n";
}

Scene scene_with(const std::string& geometry, const std::vector<std::string>& folders = {"."}) {
  const auto m = mortise::test::compile(with_geometry(geometry));
  return make_scene(*m, view::Run{}, analysis::check_up(*m).diagnosis, {}, folders);
}

std::string complaint(const std::string& geometry) {
  try {
    mortise::test::compile(with_geometry(geometry));
  } catch (const ModelError& error) {
    return render(error.diagnostics().front());
  }
  return "";
}

const char* const cube_corner = R"(solid corner
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 2 0
 endloop
endfacet
endsolid
)";

TEST(Geometry, HasTheSizesPlacesAndColoursOfTheModel) {
  const Scene scene = scene_with(
      "{a: {box: [1, 2*d, 3], at: [0, 0, d], colour: \"#ff8800\"}, b: {sphere: 0.25, at: [1, 2, 3]}, "
      "c: {cylinder: [0.1, 4], orientation: {rpy: [90 deg, 0, 0]}}, e: {capsule: [0.2, d]}}");
  const auto& shapes = scene.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].kind, Shape::Kind::box);
  EXPECT_EQ(shapes[0].size, Eigen::Vector3d(1, 1, 3));
  EXPECT_EQ(shapes[0].at, Eigen::Vector3d(0, 0, 0.5));
  EXPECT_EQ(shapes[1].kind, Shape::Kind::sphere);
  EXPECT_EQ(shapes[1].size.x(), 0.25);
  EXPECT_EQ(shapes[1].at, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(shapes[2].kind, Shape::Kind::cylinder);
  EXPECT_LT((shapes[2].axes * Eigen::Vector3d::UnitZ() + Eigen::Vector3d::UnitY()).norm(), 1e-12);
  EXPECT_EQ(shapes[3].kind, Shape::Kind::capsule);
  EXPECT_EQ(shapes[3].size.y(), 0.5);
  EXPECT_EQ(scene.bodies[0].colour, "#ff8800");
  EXPECT_TRUE(scene.notes.empty());
}

TEST(Geometry, OfRepeatedBodiesFollowsTheIndex) {
  const auto m = mortise::test::compile(
      "mortise: 1\ndimension: planar\nbodies:\n  disc$i: {repeat: {i: 3}, mass: 1, inertia: 1, at: [i, 0],\n"
      "           geometry: {rim: {sphere: 0.1*(i + 1), angle: 30 deg}}}\nanalysis: {until: 1}\n");
  const Scene scene = make_scene(*m, view::Run{}, analysis::check_up(*m).diagnosis);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(scene.bodies[k].shapes.at(0).size.x(), 0.1 * static_cast<double>(k + 1), 1e-15);
}

TEST(Geometry, SaysWhatAShapeNeeds) {
  EXPECT_NE(complaint("{a: {at: [0, 0, 0]}}").find("M206"), std::string::npos);
  EXPECT_NE(complaint("{a: {box: [1, 1, 1], sphere: 2}}").find("several"), std::string::npos);
  EXPECT_NE(complaint("{a: {box: [1, 1]}}").find("M105"), std::string::npos);
  EXPECT_NE(complaint("{a: {spere: 1}}").find("sphere"), std::string::npos);
}

TEST(Geometry, IsNoPlaceForAJoint) {
  EXPECT_THROW(mortise::test::compile(
                   with_geometry("{a: {sphere: 1}}", "joints:\n  J: {type: spherical, between: [ground, part.a]}\n")),
               ModelError);
}

TEST(Geometry, TellsOfAMeshThatIsNotThereAndDrawsTheBodyAllTheSame) {
  const Scene scene = scene_with("{a: {mesh: no-such-file.stl}}");
  ASSERT_EQ(scene.notes.size(), 1u);
  EXPECT_NE(scene.notes[0].find("no-such-file.stl"), std::string::npos);
  EXPECT_FALSE(scene.bodies[0].shapes.empty());
  EXPECT_EQ(scene_with("{a: {sphere: 1, colour: \"red; }\"}}").notes.size(), 1u);
}

TEST(Geometry, FindsMeshesBesideTheFile) {
  const auto folder = std::filesystem::temp_directory_path() / "mortise-geometry-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "corner.stl") << cube_corner;
  const Scene scene =
      scene_with("{a: {mesh: corner.stl, scale: 0.001}, b: {mesh: corner.stl, at: [1, 0, 0]}}", {folder.string(), "."});
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(scene.notes.empty());
  ASSERT_EQ(scene.meshes.size(), 1u);  // read once
  ASSERT_EQ(scene.bodies[0].shapes.size(), 2u);
  EXPECT_EQ(scene.bodies[0].shapes[0].size.x(), 0.001);
  EXPECT_EQ(scene.bodies[0].shapes[1].mesh, 0);
}

TEST(MeshFile, ReadsStlInTextAndInBytesAlike) {
  const SceneMesh text = parse_mesh(cube_corner, "corner.stl");
  EXPECT_EQ(text.positions, (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 2, 0}));
  std::string bytes(80, ' ');
  const std::uint32_t count = 1;
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  const float numbers[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0};
  bytes.append(reinterpret_cast<const char*>(numbers), 48);
  bytes.append(2, '\0');
  const SceneMesh binary = parse_mesh(bytes, "corner.STL");
  EXPECT_EQ(binary.positions, text.positions);
  EXPECT_EQ(binary.triangles, text.triangles);
}

TEST(MeshFile, ReadsPolygonsOfObj) {
  const SceneMesh mesh =
      parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -1 -2 -3\n", "a.obj");
  EXPECT_EQ(mesh.triangles, (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 3, 2, 1}));
}

TEST(MeshFile, RefusesWhatIsNoMesh) {
  for (const auto& [bytes, name] : std::vector<std::pair<std::string, std::string>>{{"", "a.stl"},
                                                                                    {"hello", "a.stl"},
                                                                                    {"vertex 1 2", "a.stl"},
                                                                                    {"vertex 1 2 3", "a.stl"},
                                                                                    {"v 0 0 0\nf 1 2 3", "a.obj"},
                                                                                    {"v 0 0 0\nf 0 0 0", "a.obj"},
                                                                                    {"v 0 0\n", "a.obj"},
                                                                                    {"x", "a.dae"},
                                                                                    {std::string(84, '\xff'), "a.stl"},
                                                                                    {"v nan 0 0\nf 1 1 1\n", "a.obj"}})
    EXPECT_THROW(parse_mesh(bytes, name), ResultError) << name << ": " << bytes;
}

}  // namespace
}  // namespace mortise::view
