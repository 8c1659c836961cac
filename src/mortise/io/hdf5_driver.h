// How HDF5 reaches the disk when we write: a file driver that freezes the file at the first refused write.
//
// HDF5 1.10 does not survive a refused write: closing the file fails, and the library's exit handler crashes. It would
// also go on writing some parts and not others. This driver takes the failure away from the library: the first write
// that the system refuses (disk full, input/output error, limit of the file size) is remembered, and from then on
// nothing reaches the disk; HDF5 sees its writes succeed (they are kept in memory in case it reads them back) and
// closes in peace. What is on disk then is what a kill at that moment would have left, and single-writer mode keeps
// that readable. Whoever writes asks `DiskShield::error` before it trusts anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mortise/io/hdf5.h"

namespace mortise::io::hdf5 {

struct DiskShield {
  int descriptor = -1;
  int error = 0;       // errno of the first refused write or resize; the file is frozen when it is not 0
  int open_error = 0;  // errno of the last attempt to open
  std::vector<std::pair<haddr_t, std::vector<std::byte>>> kept;  // writes after the freeze, in order

  void check() const;  // throws Failure with the system's reason when frozen
};

// As create_file of hdf5.h, behind `shield`, which must outlive the file. No file locks: the name is ours alone.
Handle create_file(const std::string& path, DiskShield& shield);

}  // namespace mortise::io::hdf5
