#include "mortise/io/results_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "mortise/error.h"

namespace mortise::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* part_mark = ".part-";

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : value_(::open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string follow_links(const std::string& path) {
  std::error_code ignored;
  fs::path target = path;
  for (int depth = 0; depth < 40 && fs::is_symlink(target, ignored); ++depth)  // by hand: its end need not exist yet
    target = target.parent_path() / fs::read_symlink(target, ignored);
  return target.string();
}

std::string output_target(const std::string& path) {
  std::error_code ignored;
  const std::string target = follow_links(path);
  if (fs::is_symlink(target, ignored)) throw OutputError(path, "is a symbolic link without end");
  if (fs::path(target).filename().empty()) throw OutputError(path, "is a folder, not a file to write results to");
  const std::string folder = folder_of(target);
  if (!fs::exists(folder, ignored)) throw OutputError(path, "the folder '" + folder + "' does not exist");
  if (!fs::is_directory(folder, ignored)) throw OutputError(path, "'" + folder + "' is not a folder");
  if (::access(folder.c_str(), W_OK) != 0)
    throw OutputError(path, "the folder '" + folder + "' is not writable: " + std::strerror(errno));
  const fs::file_status status = fs::status(target, ignored);
  if (fs::is_directory(status)) throw OutputError(path, "is a folder, not a file to write results to");
  if (fs::exists(status) && !fs::is_regular_file(status)) throw OutputError(path, "is not a regular file");
  if (fs::exists(status) && ::access(target.c_str(), W_OK) != 0)
    throw OutputError(path, std::string("is not writable: ") + std::strerror(errno));
  return target;
}

std::string part_name(const std::string& target) { return target + part_mark + std::to_string(::getpid()); }

void remove_stale_parts(const std::string& target) {
  const std::string prefix = fs::path(target).filename().string();
  std::error_code ignored;
  for (fs::directory_iterator it(folder_of(target), ignored), end; it != end; it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    const auto mark = name.rfind(part_mark);
    // "<name>.part-<pid>" of a result, "<name>.ckpt-<k>.part-<pid>" of a checkpoint.
    if (mark == std::string::npos || !name.starts_with(prefix)) continue;
    const std::string middle = name.substr(prefix.size(), mark < prefix.size() ? 0 : mark - prefix.size());
    if (!middle.empty() && middle != ".ckpt-0" && middle != ".ckpt-1") continue;
    const char* first = name.data() + mark + std::strlen(part_mark);
    const char* last = name.data() + name.size();
    pid_t pid = 0;
    const auto [stop, error] = std::from_chars(first, last, pid);
    if (error != std::errc{} || stop != last || pid <= 0) continue;
    const bool dead = ::kill(pid, 0) != 0 && errno == ESRCH;
    if (dead) fs::remove(it->path(), ignored);
  }
}

void sync_descriptor(int descriptor, const std::string& path) {
  // EINVAL: the file system (or pipe) has nothing to synchronise.
  if (::fsync(descriptor) != 0 && errno != EINVAL)
    throw OutputError(path, std::string("cannot be made durable: ") + std::strerror(errno));
}

void sync_file(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.value() < 0) throw OutputError(path, std::string("cannot be made durable: ") + std::strerror(errno));
  sync_descriptor(file.value(), path);
}

void publish(const std::string& part, const std::string& target, const std::string& folder) {
  if (::rename(part.c_str(), target.c_str()) != 0) {
    const int reason = errno;
    ::unlink(part.c_str());
    throw OutputError(target, std::string("cannot be created: ") + std::strerror(reason));
  }
  // So that the rename survives a power cut; a folder that may not be read cannot be synchronised.
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.value() >= 0) sync_descriptor(opened.value(), target);
}

}  // namespace mortise::io
