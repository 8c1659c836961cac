#include "mortise/view/paraview.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "mortise/io/hdf5.h"
#include "mortise/view/base64.h"
#include "mortise/view/paraview_scene.h"

namespace mortise::view {

namespace {

namespace fs = std::filesystem;
namespace h5 = io::hdf5;

// ---- VTKHDF (version 2.0 of the format): all frames of an array behind one another, and where each step begins

class VtkHdfFile {
 public:
  VtkHdfFile(const std::string& path, const ParaviewScene& scene) : scene_(scene), points_(scene.points.size()) {
    file_ = h5::Handle(h5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create"), H5Fclose);
    root_ = h5::create_group(file_.id(), "VTKHDF");
    const std::array<std::int64_t, 2> version{2, 0};
    attribute(root_.id(), "Version", H5T_NATIVE_INT64, 2, version.data());
    // Readers want plain letters here, without an ending zero.
    const std::string type = "UnstructuredGrid";
    const h5::Handle letters(h5::check(H5Tcopy(H5T_C_S1), "type"), H5Tclose);
    h5::check_status(H5Tset_size(letters.id(), type.size()), "type");
    h5::check_status(H5Tset_strpad(letters.id(), H5T_STR_NULLPAD), "type");
    attribute(root_.id(), "Type", letters.id(), 0, type.data());
    h5::create_group(root_.id(), "PointData");
    h5::create_group(root_.id(), "CellData");

    write(root_.id(), "Connectivity", H5T_NATIVE_INT64, scene.connectivity);
    write(root_.id(), "Offsets", H5T_NATIVE_INT64, scene.offsets);
    write(root_.id(), "Types", H5T_NATIVE_UINT8, scene.types);
    write(root_.id(), "CellData/item", H5T_NATIVE_INT32, scene.cell_item);
    std::vector<std::int32_t> kind, item;
    for (const ParaviewScene::Point& p : scene.points) {
      kind.push_back(p.kind);
      item.push_back(p.item);
    }
    write(root_.id(), "PointData/kind", H5T_NATIVE_INT32, kind);
    write(root_.id(), "PointData/item", H5T_NATIVE_INT32, item);
    const hsize_t three[] = {3};
    for (std::size_t k = 0; k < names_.size(); ++k)
      moving_[k] = h5::create_growing(root_.id(), names_[k], H5T_NATIVE_DOUBLE, three, std::max<hsize_t>(points_, 1));
    // Outside of what VTK reads: the cells as XDMF counts them (2 n a b: a polyline; 1 n a: a polyvertex), and names.
    std::vector<std::int64_t> mixed;
    for (std::size_t c = 0; c < scene.cells(); ++c) {
      const auto begin = scene.offsets[c], end = scene.offsets[c + 1];
      mixed.push_back(end - begin);  // their type has the same number: 1 or 2
      mixed.push_back(end - begin);
      for (auto i = begin; i < end; ++i) mixed.push_back(scene.connectivity[static_cast<std::size_t>(i)]);
    }
    mixed_ = mixed.size();
    write(file_.id(), "xdmf_topology", H5T_NATIVE_INT64, mixed);
  }

  void names(const analysis::RunHeader& header) {
    h5::write_names(file_.id(), "bodies", header.bodies);
    h5::write_names(file_.id(), "joints", header.joints);
  }

  void add(const ParaviewFrame& frame) {
    const std::array<const std::vector<double>*, 4> arrays{&frame.points, &frame.velocity, &frame.force, &frame.torque};
    for (std::size_t k = 0; k < names_.size(); ++k)
      h5::write_rows(moving_[k].id(), H5T_NATIVE_DOUBLE, times_.size() * points_, points_, arrays[k]->data());
    times_.push_back(frame.t);
  }

  void finish() {
    const std::size_t steps = times_.size();
    const std::vector<std::int64_t> zeros(steps, 0), ones(steps, 1);
    std::vector<std::int64_t> parts(steps), begins(steps);
    for (std::size_t k = 0; k < steps; ++k) {
      parts[k] = static_cast<std::int64_t>(k);
      begins[k] = static_cast<std::int64_t>(k * points_);
    }
    const auto repeated = [&](const char* name, std::size_t value) {
      write(root_.id(), name, H5T_NATIVE_INT64, std::vector<std::int64_t>(steps, static_cast<std::int64_t>(value)));
    };
    repeated("NumberOfPoints", points_);
    repeated("NumberOfCells", scene_.cells());
    repeated("NumberOfConnectivityIds", scene_.connectivity.size());
    const h5::Handle group = h5::create_group(root_.id(), "Steps");
    const auto count = static_cast<std::int64_t>(steps);
    attribute(group.id(), "NSteps", H5T_NATIVE_INT64, 0, &count);
    write(group.id(), "Values", H5T_NATIVE_DOUBLE, times_);
    write(group.id(), "PartOffsets", H5T_NATIVE_INT64, parts);
    write(group.id(), "NumberOfParts", H5T_NATIVE_INT64, ones);
    write(group.id(), "PointOffsets", H5T_NATIVE_INT64, begins);
    write(group.id(), "CellOffsets", H5T_NATIVE_INT64, zeros);
    write(group.id(), "ConnectivityIdOffsets", H5T_NATIVE_INT64, zeros);
    const h5::Handle on_points = h5::create_group(group.id(), "PointDataOffsets");
    for (const char* name : {"velocity", "force", "torque"}) write(on_points.id(), name, H5T_NATIVE_INT64, begins);
    for (const char* name : {"kind", "item"}) write(on_points.id(), name, H5T_NATIVE_INT64, zeros);
    const h5::Handle on_cells = h5::create_group(group.id(), "CellDataOffsets");
    write(on_cells.id(), "item", H5T_NATIVE_INT64, zeros);
    for (h5::Handle& dataset : moving_) dataset.close();
    root_.close();
    h5::check_status(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write");
    if (!file_.close()) throw h5::Failure("close: the disk may be full");
  }

  // The same numbers for readers of XDMF.
  std::string xdmf(const std::string& file) const {
    const std::size_t all = times_.size() * points_;
    const auto slab = [&](const char* path, std::size_t step) {
      return fmt::format(
          "<DataItem ItemType=\"HyperSlab\" Dimensions=\"{0} 3\"><DataItem Dimensions=\"3 2\" Format=\"XML\">{1} 0 1 1 "
          "{0} 3"
          "</DataItem><DataItem Dimensions=\"{2} 3\" NumberType=\"Float\" Precision=\"8\" "
          "Format=\"HDF\">{3}:/VTKHDF/{4}"
          "</DataItem></DataItem>",
          points_, step * points_, all, file, path);
    };
    std::string out =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"motion\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t k = 0; k < times_.size(); ++k) {
      out += fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n", k, times_[k]);
      out += fmt::format(
          "<Topology TopologyType=\"Mixed\" NumberOfElements=\"{}\"><DataItem Dimensions=\"{}\" NumberType=\"Int\" "
          "Precision=\"8\" Format=\"HDF\">{}:/xdmf_topology</DataItem></Topology>\n",
          scene_.cells(), mixed_, file);
      out += fmt::format("<Geometry GeometryType=\"XYZ\">{}</Geometry>\n", slab("Points", k));
      for (const char* name : {"velocity", "force", "torque"})
        out += fmt::format("<Attribute Name=\"{0}\" AttributeType=\"Vector\" Center=\"Node\">{1}</Attribute>\n", name,
                           slab(fmt::format("PointData/{}", name).c_str(), k));
      for (const char* name : {"kind", "item"})
        out += fmt::format(
            "<Attribute Name=\"{0}\" AttributeType=\"Scalar\" Center=\"Node\"><DataItem Dimensions=\"{1}\" "
            "NumberType=\"Int\" Precision=\"4\" Format=\"HDF\">{2}:/VTKHDF/PointData/{0}</DataItem></Attribute>\n",
            name, points_, file);
      out += "</Grid>\n";
    }
    return out + "</Grid>\n</Domain>\n</Xdmf>\n";
  }
  const std::vector<double>& times() const { return times_; }

 private:
  static void attribute(hid_t object, const char* name, hid_t type, hsize_t count, const void* value) {
    const h5::Handle space(h5::check(count ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR), "attribute"),
                           H5Sclose);
    const h5::Handle a(h5::check(H5Acreate2(object, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), name), H5Aclose);
    h5::check_status(H5Awrite(a.id(), type, value), name);
  }
  template <class T>
  static void write(hid_t parent, const std::string& name, hid_t type, const std::vector<T>& values) {
    const hsize_t count = values.size();
    const h5::Handle space(h5::check(H5Screate_simple(1, &count, nullptr), "dataset"), H5Sclose);
    const h5::Handle dataset(
        h5::check(H5Dcreate2(parent, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                  name.c_str()),
        H5Dclose);
    if (count)
      h5::check_status(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name.c_str());
  }

  const ParaviewScene& scene_;
  std::size_t points_, mixed_ = 0;
  std::vector<double> times_;
  h5::Handle file_, root_;
  static constexpr std::array<const char*, 4> names_{"Points", "PointData/velocity", "PointData/force",
                                                     "PointData/torque"};
  std::array<h5::Handle, 4> moving_;
};

// ---- one text file a frame: arrays in base64, as not every number of a run is one that readers take in letters (nan)

// The length of the numbers in bytes, then the numbers.
std::string with_length(const void* data, std::size_t size) {
  const std::uint64_t head = size;
  std::string bytes(sizeof head + size, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  if (size) std::memcpy(bytes.data() + sizeof head, data, size);
  return bytes;
}

template <class T>
std::string array_element(const char* type, const char* name, int components, const std::vector<T>& values) {
  return fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}</DataArray>\n",
                     type, name, components, base64(with_length(values.data(), values.size() * sizeof(T))));
}

// Cells of PolyData come by kinds: first all vertices, then all lines.
class VtpWriter {
 public:
  explicit VtpWriter(const ParaviewScene& scene) {
    std::vector<std::int32_t> item, kind, cell_item;
    for (const ParaviewScene::Point& p : scene.points) {
      item.push_back(p.item);
      kind.push_back(p.kind);
    }
    std::string cells;
    std::array<std::size_t, 2> count{};
    for (const std::uint8_t type : {1, 3}) {
      std::vector<std::int64_t> connectivity, offsets;
      for (std::size_t c = 0; c < scene.cells(); ++c) {
        if (scene.types[c] != type) continue;
        for (auto i = scene.offsets[c]; i < scene.offsets[c + 1]; ++i)
          connectivity.push_back(scene.connectivity[static_cast<std::size_t>(i)]);
        offsets.push_back(std::ssize(connectivity));
        cell_item.push_back(scene.cell_item[c]);
      }
      count[type == 3] = offsets.size();
      const char* tag = type == 1 ? "Verts" : "Lines";
      cells += fmt::format("<{0}>\n{1}{2}</{0}>\n", tag, array_element("Int64", "connectivity", 1, connectivity),
                           array_element("Int64", "offsets", 1, offsets));
    }
    head_ = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<CellData>\n{}</CellData>\n{}<PointData>\n{}{}",
        scene.points.size(), count[0], count[1], array_element("Int32", "item", 1, cell_item), cells,
        array_element("Int32", "kind", 1, kind), array_element("Int32", "item", 1, item));
  }
  std::string text(const ParaviewFrame& frame) const {
    return head_ + array_element("Float64", "velocity", 3, frame.velocity) +
           array_element("Float64", "force", 3, frame.force) + array_element("Float64", "torque", 3, frame.torque) +
           "</PointData>\n<Points>\n" + array_element("Float64", "points", 3, frame.points) +
           "</Points>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  }

 private:
  std::string head_;
};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) throw OutputError(path, "cannot be created");
  file << text;
  file.close();
  if (!file) throw OutputError(path, "cannot be written (disk full?)");
}

}  // namespace

ParaviewReport export_paraview(io::ResultReader& reader, const mechanism::Mechanism& m, const std::string& folder,
                               const std::string& name, std::uint64_t every) {
  const ParaviewScene scene = make_scene(m, reader.header());
  std::error_code error;
  const fs::path base = fs::path(folder) / name;
  fs::create_directories(base, error);
  if (error) throw OutputError(base.string(), "the folder cannot be created: " + error.message());
  ParaviewReport report{base.string() + ".vtkhdf", base.string() + ".xdmf",
                        base.string() + ".pvd",    0,
                        scene.points.size(),       scene.cells()};
  const h5::QuietScope quiet;
  try {
    VtkHdfFile file(report.vtkhdf, scene);
    file.names(reader.header());
    const VtpWriter vtp(scene);
    std::string pvd =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
        "byte_order=\"LittleEndian\">\n<Collection>\n";
    analysis::Frame frame;
    ParaviewFrame numbers;
    for (std::uint64_t k = 0; k < reader.frames(); k += every, ++report.frames) {
      reader.read_frame(k, frame);
      fill(scene, m, frame, numbers);
      file.add(numbers);
      const std::string piece = fmt::format("{}/{:06}.vtp", name, report.frames);
      write_text((fs::path(folder) / piece).string(), vtp.text(numbers));
      pvd += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", numbers.t, piece);
    }
    file.finish();
    write_text(report.xdmf, file.xdmf(name + ".vtkhdf"));
    write_text(report.pvd, pvd + "</Collection>\n</VTKFile>\n");
  } catch (const h5::Failure& failure) {
    throw OutputError(report.vtkhdf, failure.what());
  }
  return report;
}

}  // namespace mortise::view
