#include "mortise/cli/picture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "mortise/error.h"
#include "mortise/io/results_files.h"
#include "mortise/view/interactive.h"

namespace mortise::cli {

namespace {

constexpr const char* converter = "rsvg-convert";

std::string ending(const std::string& path) { return std::filesystem::path(path).extension().string(); }

bool has_converter() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + converter).c_str(), X_OK) == 0) return true;
  return false;
}

// A file that is removed unless it was renamed away.
struct Temporary {
  std::string path;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

void put(const std::string& path, const std::string& shown, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!file) throw OutputError(shown, "cannot be created");
  file << text;
  file.close();
  if (!file) throw OutputError(shown, "cannot be written (disk full?)");
}

// No shell: names of files are arguments and nothing else.
void rasterise(const std::string& svg, const std::string& png, const std::string& shown) {
  std::vector<std::string> words{converter, "--zoom", "2", "--format", "png", "--output", png, svg};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, converter, nullptr, nullptr, arguments.data(), environ) != 0)
    throw OutputError(shown, fmt::format("{} cannot be started", converter));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw OutputError(shown, fmt::format("{} failed; write an .svg instead", converter));
}

}  // namespace

void check_picture_name(const std::string& path) {
  const std::string kind = ending(path);
  if (kind != ".svg" && kind != ".png" && kind != ".html")
    throw OutputError(path, "is no picture that can be written; names end in .svg, .png or .html");
  if (kind == ".png" && !has_converter())
    throw OutputError(path,
                      "needs rsvg-convert, which is not installed (Debian: apt install librsvg2-bin); "
                      "or write an .svg or .html");
}

// Under a temporary name first: a picture is whole or not there.
void write_picture(const std::string& path, const std::string& title, const std::string& svg,
                   const view::Readings& readings) {
  check_picture_name(path);
  const std::string target = io::output_target(path);
  const Temporary part{io::part_name(target)};
  const std::string kind = ending(path);
  if (kind == ".png") {
    const Temporary source{part.path + ".svg"};
    put(source.path, path, svg);
    rasterise(source.path, part.path, path);
  } else {
    put(part.path, path, kind == ".html" ? view::html_page(title, svg, readings) : svg);
  }
  io::publish(part.path, target, io::folder_of(target));
}

}  // namespace mortise::cli
