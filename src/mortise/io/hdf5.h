// A small layer over HDF5's C interface: handles that close themselves, failures that carry the library's reason, and a
// scope in which the library neither prints its error stack nor loads plugins. Only the result files use it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace mortise::io::hdf5 {

// An HDF5 call that failed. `what()` is "what was tried: reason"; the caller adds the file's name.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// While one lives in a thread, HDF5 prints nothing and loads no plugin (a file could name a filter in a shared
// library). Restores the former settings at its end, because Python's h5py may live in the same process.
class QuietScope {
 public:
  QuietScope();
  ~QuietScope();
  QuietScope(const QuietScope&) = delete;
  QuietScope& operator=(const QuietScope&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
  unsigned plugins_ = 0;
};

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { close(); }
  explicit operator bool() const { return id_ >= 0; }
  hid_t id() const { return id_; }
  bool close() noexcept;  // false when HDF5 could not (a full disk); the handle is empty afterwards

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// Throws `Failure` with the innermost reason of HDF5's error stack when a call returned a negative value.
hid_t check(hid_t id, const char* what);
void check_status(herr_t status, const char* what);

Handle file_access();                                  // newest format of HDF5 1.10, as SWMR needs; no chunk cache
Handle open_file(const std::string& path, bool swmr);  // read only
Handle create_group(hid_t parent, const char* name);
Handle open_group(hid_t parent, const std::string& path);

// Growing in time: shape [0, rest...], chunks of `chunk_frames`. HDF5 keeps no copy of its chunks: a batch goes
// straight to the file, and the part of a chunk that is not written yet takes no disk space.
Handle create_growing(hid_t parent, const std::string& path, hid_t type, std::span<const hsize_t> rest,
                      hsize_t chunk_frames);
// Rows [first, first + count) of a growing dataset; `write_rows` extends it to first + count first.
void write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void* data);
void read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void* data);
// Opens for reading what a result file of ours consists of, and nothing else: reached by hard links, stored in this
// file, without filters, of numbers or fixed texts. A foreign file could point elsewhere or hold a decompression bomb.
Handle open_dataset(hid_t parent, const std::string& path, H5T_class_t kind, std::size_t bytes = 0);
std::vector<hsize_t> extent(hid_t dataset);

// One value whose place in the file is fixed at creation, so that it can be overwritten in SWMR mode.
Handle create_scalar(hid_t parent, const std::string& path, hid_t type, const void* initial);
void write_scalar(hid_t dataset, hid_t type, const void* value);
void read_scalar(hid_t dataset, hid_t type, void* value);

// Texts have fixed length (UTF-8, padded with zeros): SWMR forbids texts of variable length, and their heap has no
// checksum. `limit` bounds what a reader is ready to allocate.
Handle text_type(std::size_t bytes);
void write_text_attribute(hid_t object, const char* name, const std::string& text);
std::string read_text_attribute(hid_t object, const char* name, std::size_t limit);
void write_integer_attribute(hid_t object, const char* name, std::uint64_t value);
std::uint64_t read_integer_attribute(hid_t object, const char* name);
void write_names(hid_t parent, const std::string& path, const std::vector<std::string>& names);
std::vector<std::string> read_names(hid_t parent, const std::string& path, std::size_t limit);
void write_numbers(hid_t parent, const std::string& path, const std::vector<std::uint32_t>& numbers);
std::vector<std::uint32_t> read_numbers(hid_t parent, const std::string& path, std::size_t limit);

}  // namespace mortise::io::hdf5
