// Files that are either there and whole, or not there: written under a temporary name `<target>.part-<pid>` in the same
// folder, made durable, then renamed. What a killed run leaves behind is removed by the next run for the same target.
#pragma once

#include <string>

namespace mortise::io {

// The file that `path` means: symbolic links are followed, so that a rename replaces the file and not the link, and
// checkpoints stand beside the file. It need not exist.
std::string follow_links(const std::string& path);
// The same for writing. Throws OutputError when the folder is missing or something that is no regular file stands there
// (a folder, /dev/null).
std::string output_target(const std::string& path);

std::string part_name(const std::string& target);    // "<target>.part-<pid>"
void remove_stale_parts(const std::string& target);  // those whose process is dead
std::string folder_of(const std::string& path);      // "." when there is none

void sync_descriptor(int descriptor, const std::string& path);  // fsync; throws OutputError
void sync_file(const std::string& path);
// rename(part, target) and fsync of the folder that holds both. When it throws, `part` is removed. Allocates nothing.
void publish(const std::string& part, const std::string& target, const std::string& folder);

}  // namespace mortise::io
