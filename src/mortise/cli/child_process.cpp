#include "mortise/cli/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "mortise/error.h"

extern char** environ;

namespace mortise::cli {

namespace {

constexpr int lowest_pipe = 20;  // above the numbers that children are promised, so that none is overwritten

view::Socket moved_up(int descriptor) {
  view::Socket moved(::fcntl(descriptor, F_DUPFD_CLOEXEC, lowest_pipe));
  ::close(descriptor);
  return moved;
}

}  // namespace

Pipe::Pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw OutputError("a pipe", std::strerror(errno));
  out = moved_up(ends[0]);
  in = moved_up(ends[1]);
}

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                           const std::vector<std::pair<int, int>>& files) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const auto& [there, here] : files) ::posix_spawn_file_actions_adddup2(&actions, here, there);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int error = ::posix_spawnp(&id_, program.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    id_ = -1;
    throw OutputError(program, std::string("cannot be started: ") + std::strerror(error));
  }
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(code_, other.code_);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill(SIGTERM);
  for (int tenth = 0; tenth < 30 && running(); ++tenth) ::usleep(100'000);
  kill(SIGKILL);
  reap(true);
}

bool ChildProcess::reap(bool block) {
  int status = 0;
  if (id_ < 0) return true;
  const pid_t ended = ::waitpid(id_, &status, block ? 0 : WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  id_ = -1;
  return true;
}

bool ChildProcess::running() { return !reap(false); }

int ChildProcess::wait() {
  while (!reap(true)) continue;
  return code_;
}

void ChildProcess::kill(int signal) {
  if (id_ > 0 && running()) ::kill(id_, signal);
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string file = (folder.empty() ? "." : folder) + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return "";
}

}  // namespace mortise::cli
