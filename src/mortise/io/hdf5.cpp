#include "mortise/io/hdf5.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mortise::io::hdf5 {

namespace {

// The innermost entry says what happened ("errno = 28, error message = 'No space left on device'").
std::string reason() {
  std::string text;
  const auto keep_first = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  H5Eclear2(H5E_DEFAULT);
  const std::string mark = "error message = '";
  if (const auto begin = text.find(mark); begin != std::string::npos) {
    const auto end = text.find('\'', begin + mark.size());
    if (end != std::string::npos) return text.substr(begin + mark.size(), end - begin - mark.size());
  }
  return text.empty() ? "unknown HDF5 error" : text;
}

[[noreturn]] void fail(const char* what) { throw Failure(std::string(what) + ": " + reason()); }

Handle properties(hid_t kind) { return {check(H5Pcreate(kind), "properties"), H5Pclose}; }
Handle space_of(hid_t dataset) { return {check(H5Dget_space(dataset), "dataspace"), H5Sclose}; }
Handle scalar_space() { return {check(H5Screate(H5S_SCALAR), "dataspace"), H5Sclose}; }

Handle simple_space(std::span<const hsize_t> shape, const hsize_t* limits = nullptr) {
  return {check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), limits), "dataspace"), H5Sclose};
}

// Missing groups on the way are an error: the writer creates them with their attributes first.
Handle create_dataset(hid_t parent, const std::string& path, hid_t type, const Handle& space, const Handle& creation,
                      const Handle& access) {
  return {check(H5Dcreate2(parent, path.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), access.id()),
                "cannot create a dataset"),
          H5Dclose};
}

Handle no_chunk_cache() {
  Handle access = properties(H5P_DATASET_ACCESS);
  check_status(H5Pset_chunk_cache(access.id(), 0, 0, 1.0), "chunk cache");
  return access;
}

void require_hard_links(hid_t parent, const std::string& path) {
  for (std::size_t end = path.find('/'); true; end = path.find('/', end + 1)) {
    H5L_info_t info{};
    const std::string step = path.substr(0, end);
    check_status(H5Lget_info(parent, step.c_str(), &info, H5P_DEFAULT), ("'" + step + "' is missing").c_str());
    if (info.type != H5L_TYPE_HARD) throw Failure("'" + step + "' is a link to elsewhere");
    if (end == std::string::npos) return;
  }
}

std::string without_padding(std::string text) {
  text.erase(std::find_if(text.rbegin(), text.rend(), [](char c) { return c != '\0'; }).base(), text.end());
  return text;
}

}  // namespace

QuietScope::QuietScope() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLget_loading_state(&plugins_);
  H5PLset_loading_state(0);
}

QuietScope::~QuietScope() {
  H5PLset_loading_state(plugins_);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    close_ = other.close_;
  }
  return *this;
}

bool Handle::close() noexcept {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  return id < 0 || close_(id) >= 0;
}

hid_t check(hid_t id, const char* what) {
  if (id < 0) fail(what);
  return id;
}

void check_status(herr_t status, const char* what) {
  if (status < 0) fail(what);
}

Handle file_access() {
  Handle access = properties(H5P_FILE_ACCESS);
  check_status(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), "file format");
  // Said here and again for each dataset: a refreshed dataset (SWMR) is reopened with the file's setting.
  check_status(H5Pset_cache(access.id(), 0, 0, 0, 1.0), "chunk cache");
  return access;
}

Handle open_file(const std::string& path, bool swmr) {
  const Handle access = file_access();
  // Locks where the file system has them; a cluster's without them must not stop a reader.
  check_status(H5Pset_file_locking(access.id(), true, true), "file locking");
  // A reader beside a living writer may meet a half-written structure and tries again; HDF5 doubles its pause at each
  // attempt, and its default of 100 attempts would wait for ever on a damaged file. 22 are some milliseconds.
  if (swmr) check_status(H5Pset_metadata_read_attempts(access.id(), 22), "read attempts");
  const unsigned flags = H5F_ACC_RDONLY | (swmr ? H5F_ACC_SWMR_READ : 0U);
  return {check(H5Fopen(path.c_str(), flags, access.id()), "cannot open the file"), H5Fclose};
}

Handle create_group(hid_t parent, const char* name) {
  return {check(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "cannot create a group"), H5Gclose};
}

Handle open_group(hid_t parent, const std::string& path) {
  require_hard_links(parent, path);
  return {check(H5Gopen2(parent, path.c_str(), H5P_DEFAULT), "cannot open a group"), H5Gclose};
}

Handle create_growing(hid_t parent, const std::string& path, hid_t type, std::span<const hsize_t> rest,
                      hsize_t chunk_frames) {
  std::vector<hsize_t> shape{0}, limits{H5S_UNLIMITED}, chunk{chunk_frames};
  for (const hsize_t n : rest) {
    shape.push_back(n);
    limits.push_back(n == 0 ? H5S_UNLIMITED : n);  // a chunk may not be larger than a fixed side, nor empty
    chunk.push_back(std::max<hsize_t>(n, 1));
  }
  Handle creation = properties(H5P_DATASET_CREATE);
  check_status(H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()), "chunk size");
  check_status(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), "fill time");
  return create_dataset(parent, path, type, simple_space(shape, limits.data()), creation, no_chunk_cache());
}

void write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void* data) {
  std::vector<hsize_t> shape = extent(dataset);
  shape.at(0) = first + count;
  check_status(H5Dset_extent(dataset, shape.data()), "cannot extend a dataset");
  std::vector<hsize_t> start(shape.size(), 0);
  start[0] = first, shape[0] = count;
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return;
  const Handle in_file = space_of(dataset);
  check_status(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr), "rows");
  const Handle in_memory = simple_space(shape);
  check_status(H5Dwrite(dataset, type, in_memory.id(), in_file.id(), H5P_DEFAULT, data), "cannot write");
}

void read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void* data) {
  const Handle in_file = space_of(dataset);
  std::vector<hsize_t> shape = extent(dataset);
  std::vector<hsize_t> start(shape.size(), 0);
  if (shape.empty() || first + count > shape[0]) throw Failure("a dataset is shorter than the number of frames");
  start[0] = first, shape[0] = count;
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return;
  check_status(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr), "rows");
  const Handle in_memory = simple_space(shape);
  check_status(H5Dread(dataset, type, in_memory.id(), in_file.id(), H5P_DEFAULT, data), "cannot read");
}

Handle open_dataset(hid_t parent, const std::string& path, H5T_class_t kind, std::size_t bytes) {
  require_hard_links(parent, path);
  Handle dataset{check(H5Dopen2(parent, path.c_str(), no_chunk_cache().id()), "cannot open a dataset"), H5Dclose};
  const Handle type{check(H5Dget_type(dataset.id()), "type"), H5Tclose};
  const Handle creation{check(H5Dget_create_plist(dataset.id()), "properties"), H5Pclose};
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (H5Tget_class(type.id()) != kind || (bytes > 0 && H5Tget_size(type.id()) != bytes) ||
      (kind == H5T_STRING && H5Tis_variable_str(type.id()) != 0))
    throw Failure(path + " has an unexpected type");
  if ((layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) ||
      H5Pget_nfilters(creation.id()) != 0 || (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation.id()) != 0))
    throw Failure(path + " is stored in an unexpected way");
  return dataset;
}

std::vector<hsize_t> extent(hid_t dataset) {
  const Handle space = space_of(dataset);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  check_status(rank, "dataspace");
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  check_status(H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr), "dataspace");
  return shape;
}

Handle create_scalar(hid_t parent, const std::string& path, hid_t type, const void* initial) {
  Handle creation = properties(H5P_DATASET_CREATE);
  check_status(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "allocation time");
  Handle dataset = create_dataset(parent, path, type, scalar_space(), creation, properties(H5P_DATASET_ACCESS));
  write_scalar(dataset.id(), type, initial);
  return dataset;
}

void write_scalar(hid_t dataset, hid_t type, const void* value) {
  check_status(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value), "cannot write");
  check_status(H5Dflush(dataset), "cannot write");
}

void read_scalar(hid_t dataset, hid_t type, void* value) {
  if (!extent(dataset).empty()) throw Failure("a dataset that should hold one value does not");
  check_status(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value), "cannot read");
}

Handle text_type(std::size_t bytes) {
  Handle type{check(H5Tcopy(H5T_C_S1), "text type"), H5Tclose};
  check_status(H5Tset_size(type.id(), std::max<std::size_t>(bytes, 1)), "text type");
  check_status(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "text type");
  check_status(H5Tset_cset(type.id(), H5T_CSET_UTF8), "text type");
  return type;
}

void write_text_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type = text_type(text.size());
  const Handle attribute{check(H5Acreate2(object, name, type.id(), scalar_space().id(), H5P_DEFAULT, H5P_DEFAULT),
                               "cannot create an attribute"),
                         H5Aclose};
  check_status(H5Awrite(attribute.id(), type.id(), text.c_str()), "cannot write an attribute");
}

std::string read_text_attribute(hid_t object, const char* name, std::size_t limit) {
  const Handle attribute{check(H5Aopen(object, name, H5P_DEFAULT), "cannot open an attribute"), H5Aclose};
  const Handle stored{check(H5Aget_type(attribute.id()), "type"), H5Tclose};
  const Handle space{check(H5Aget_space(attribute.id()), "dataspace"), H5Sclose};
  const std::size_t size = H5Tget_size(stored.id());
  if (H5Tget_class(stored.id()) != H5T_STRING || H5Tis_variable_str(stored.id()) != 0 ||
      H5Sget_simple_extent_npoints(space.id()) != 1 || size == 0 || size > limit)
    throw Failure(std::string("attribute '") + name + "' is not a text");
  std::string text(size, '\0');
  check_status(H5Aread(attribute.id(), text_type(size).id(), text.data()), "cannot read an attribute");
  return without_padding(std::move(text));
}

void write_integer_attribute(hid_t object, const char* name, std::uint64_t value) {
  const Handle attribute{check(H5Acreate2(object, name, H5T_STD_U64LE, scalar_space().id(), H5P_DEFAULT, H5P_DEFAULT),
                               "cannot create an attribute"),
                         H5Aclose};
  check_status(H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &value), "cannot write an attribute");
}

std::uint64_t read_integer_attribute(hid_t object, const char* name) {
  const Handle attribute{check(H5Aopen(object, name, H5P_DEFAULT), "cannot open an attribute"), H5Aclose};
  const Handle stored{check(H5Aget_type(attribute.id()), "type"), H5Tclose};
  const Handle space{check(H5Aget_space(attribute.id()), "dataspace"), H5Sclose};
  if (H5Tget_class(stored.id()) != H5T_INTEGER || H5Tget_size(stored.id()) != 8 ||
      H5Sget_simple_extent_npoints(space.id()) != 1)
    throw Failure(std::string("attribute '") + name + "' is not an integer");
  std::uint64_t value = 0;
  check_status(H5Aread(attribute.id(), H5T_NATIVE_UINT64, &value), "cannot read an attribute");
  return value;
}

namespace {

void write_list(hid_t parent, const std::string& path, hid_t type, hsize_t count, const void* data) {
  const Handle dataset = create_dataset(parent, path, type, simple_space({&count, 1}), properties(H5P_DATASET_CREATE),
                                        properties(H5P_DATASET_ACCESS));
  if (count > 0) check_status(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "cannot write a list");
}

}  // namespace

void write_names(hid_t parent, const std::string& path, const std::vector<std::string>& names) {
  std::size_t width = 1;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string table(width * names.size(), '\0');
  for (std::size_t k = 0; k < names.size(); ++k) std::memcpy(&table[k * width], names[k].data(), names[k].size());
  write_list(parent, path, text_type(width).id(), names.size(), table.data());
}

void write_numbers(hid_t parent, const std::string& path, const std::vector<std::uint32_t>& numbers) {
  write_list(parent, path, H5T_NATIVE_UINT32, numbers.size(), numbers.data());
}

std::vector<std::uint32_t> read_numbers(hid_t parent, const std::string& path, std::size_t limit) {
  const Handle dataset = open_dataset(parent, path, H5T_INTEGER, sizeof(std::uint32_t));
  const std::vector<hsize_t> shape = extent(dataset.id());
  if (shape.size() != 1 || shape[0] > limit / sizeof(std::uint32_t)) throw Failure(path + " is not a list of numbers");
  std::vector<std::uint32_t> numbers(shape[0]);
  if (!numbers.empty())
    check_status(H5Dread(dataset.id(), H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
                 "cannot read numbers");
  return numbers;
}

std::vector<std::string> read_names(hid_t parent, const std::string& path, std::size_t limit) {
  const Handle dataset = open_dataset(parent, path, H5T_STRING);
  const Handle stored{check(H5Dget_type(dataset.id()), "type"), H5Tclose};
  const std::vector<hsize_t> shape = extent(dataset.id());
  const std::size_t width = H5Tget_size(stored.id());
  if (shape.size() != 1 || width == 0 || shape[0] > limit / width) throw Failure(path + " is not a list of names");
  std::string table(width * shape[0], '\0');
  if (!table.empty())
    check_status(H5Dread(dataset.id(), text_type(width).id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data()),
                 "cannot read names");
  std::vector<std::string> names;
  names.reserve(shape[0]);
  for (std::size_t k = 0; k < shape[0]; ++k) names.push_back(without_padding(table.substr(k * width, width)));
  return names;
}

}  // namespace mortise::io::hdf5
