// Tries something in a child process first, so that a crash of a library on a damaged or hostile file ends the child
// and not the caller.
//
// HDF5 has a record of heap overflows on crafted files. Random damage does not reach them (every structure of the file
// format we write carries a checksum), a crafted file can. The probe therefore contains crashes, endless loops and
// runaway memory; it is no sandbox, since the child has the rights of its parent.
// Forking while another thread is inside HDF5 could leave the child waiting for that thread's lock: it is then ended
// after `seconds` and the file refused. Programs that must not fork (some MPI transports) switch the probe off.
#pragma once

#include <functional>
#include <string>

namespace mortise::io {

// Throws ResultError(path) with the child's own message when `work` throws there, or one that says the file made the
// library crash or took too long.
void probe_in_child(const std::string& path, const std::function<void()>& work, double seconds = 30);

}  // namespace mortise::io
