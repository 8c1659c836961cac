#include "mortise/io/hdf5_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <compare>
#include <cstring>
#include <limits>
#include <memory>

#include "mortise/io/results_faults.h"

namespace mortise::io::hdf5 {

namespace {

struct Configuration {
  DiskShield* shield;
};

struct File {
  H5FD_t base;  // must be first: HDF5 fills it
  int descriptor;
  haddr_t allocated, end;  // as HDF5 sees them
  dev_t device;
  ino_t inode;
  DiskShield* shield;
};

File* self(H5FD_t* file) { return reinterpret_cast<File*>(file); }
const File* self(const H5FD_t* file) { return reinterpret_cast<const File*>(file); }

H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* configuration = static_cast<const Configuration*>(H5Pget_driver_info(access));
  if (!configuration) return nullptr;
  DiskShield& shield = *configuration->shield;
  const int mode = ((flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_TRUNC) ? O_TRUNC : 0) |
                   ((flags & H5F_ACC_CREAT) ? O_CREAT : 0) | ((flags & H5F_ACC_EXCL) ? O_EXCL : 0) | O_CLOEXEC;
  const int descriptor = ::open(name, mode, 0666);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    shield.open_error = errno;
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  shield.descriptor = descriptor;
  shield.open_error = 0;
  auto file = std::make_unique<File>();
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(status.st_size);
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->shield = &shield;
  return &file.release()->base;
}

herr_t close(H5FD_t* file) {
  const std::unique_ptr<File> f(self(file));
  if (::close(f->descriptor) != 0 && f->shield->error == 0) f->shield->error = errno;
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto order = std::pair(self(a)->device, self(a)->inode) <=> std::pair(self(b)->device, self(b)->inode);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return self(file)->allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file)->allocated = address;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return self(file)->end; }

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = &self(file)->descriptor;
  return 0;
}

// What lies behind the end of the file reads as zeros, as in HDF5's own POSIX driver.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  const File& f = *self(file);
  auto* to = static_cast<std::byte*>(buffer);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(f.descriptor, to + done, size - done, static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::memset(to + done, 0, size - done);
  for (const auto& [at, bytes] : f.shield->kept) {
    const haddr_t first = std::max(at, address), last = std::min(at + bytes.size(), address + size);
    if (first < last) std::memcpy(to + (first - address), bytes.data() + (first - at), last - first);
  }
  return 0;
}

// 0, or the errno that refused it.
int write_all(int descriptor, const std::byte* from, std::size_t size, haddr_t address) {
  const int injected = faults::before_write(size);
  constexpr haddr_t page = 4096;
  const haddr_t half = (address + size / 2) / page * page;
  const std::size_t wanted = injected == 0 ? size : half > address ? half - address : 0;
  for (std::size_t done = 0; done < wanted;) {
    const ssize_t n = ::pwrite(descriptor, from + done, wanted - done, static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(n);
  }
  return injected;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  File& f = *self(file);
  const auto* from = static_cast<const std::byte*>(buffer);
  if (f.shield->error == 0) f.shield->error = write_all(f.descriptor, from, size, address);
  if (f.shield->error != 0) f.shield->kept.emplace_back(address, std::vector<std::byte>(from, from + size));
  f.end = std::max(f.end, address + size);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  File& f = *self(file);
  if (f.end == f.allocated) return 0;
  if (f.shield->error == 0 && ::ftruncate(f.descriptor, static_cast<off_t>(f.allocated)) != 0) f.shield->error = errno;
  f.end = f.allocated;
  return 0;
}

// HDF5 marks a file as being written only when its driver can lock; nobody else knows our temporary name, so nothing is
// locked.
herr_t lock(H5FD_t*, hbool_t) { return 0; }
herr_t unlock(H5FD_t*) { return 0; }

const H5FD_class_t& driver_class() {
  static const H5FD_class_t instance = [] {
    H5FD_class_t c{};
    c.name = "mortise-shield";
    c.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
    c.fc_degree = H5F_CLOSE_WEAK;
    c.fapl_size = sizeof(Configuration);
    c.open = open;
    c.close = close;
    c.cmp = compare;
    c.query = query;
    c.get_eoa = get_allocated;
    c.set_eoa = set_allocated;
    c.get_eof = get_end;
    c.get_handle = get_handle;
    c.read = read;
    c.write = write;
    c.truncate = truncate;
    c.lock = lock;
    c.unlock = unlock;
    constexpr H5FD_mem_t pools[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(pools), std::end(pools), c.fl_map);
    return c;
  }();
  return instance;
}

// HDF5 may have been shut down and started again in between (H5close), hence the look.
hid_t driver() {
  static hid_t id = H5I_INVALID_HID;
  if (H5Iis_valid(id) <= 0) id = check(H5FDregister(&driver_class()), "file driver");
  return id;
}

}  // namespace

void DiskShield::check() const {
  if (error != 0) throw Failure(std::strerror(error));
}

Handle create_file(const std::string& path, DiskShield& shield) {
  const Handle access = file_access();
  const Configuration configuration{&shield};
  check_status(H5Pset_driver(access.id(), driver(), &configuration), "file driver");
  // No small structure crosses a page: a kill stops a write between two pages of memory only, so a structure that is
  // overwritten in place is the old one or the new one.
  const Handle creation{hdf5::check(H5Pcreate(H5P_FILE_CREATE), "properties"), H5Pclose};
  check_status(H5Pset_file_space_strategy(creation.id(), H5F_FSPACE_STRATEGY_PAGE, false, 1), "file space");
  check_status(H5Pset_file_space_page_size(creation.id(), 4096), "file space");
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id());
  if (id < 0 && shield.open_error != 0) throw Failure(std::strerror(shield.open_error));
  return {hdf5::check(id, "cannot create the file"), H5Fclose};
}

}  // namespace mortise::io::hdf5
