#include "support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mortise::test {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string contents(int file) {
  std::string text;
  char block[4096];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(file, block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

Process::Process(const std::string& program, const std::vector<std::string>& arguments, ProcessOptions options)
    : options_(std::move(options)),
      out_(::memfd_create("out", MFD_CLOEXEC)),
      err_(::memfd_create("err", MFD_CLOEXEC)),
      begin_(now()) {
  if (out_ < 0 || err_ < 0) throw std::runtime_error("no file for the output");
  // All that allocates happens before the fork.
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  id_ = ::fork();
  if (id_ < 0) throw std::runtime_error("fork failed");
  if (id_ > 0) return;
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out_, STDOUT_FILENO);
  ::dup2(err_, STDERR_FILENO);
  if (!options_.folder.empty() && ::chdir(options_.folder.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : options_.setting) ::setenv(name.c_str(), value.c_str(), 1);
  if (options_.file_limit > 0) {
    const rlimit limit{static_cast<rlim_t>(options_.file_limit), static_cast<rlim_t>(options_.file_limit)};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

Process::~Process() {
  if (!ended_) {
    kill(SIGKILL);
    reap(true);
  }
  ::close(out_);
  ::close(err_);
}

void Process::reap(bool block) {
  if (ended_ || ::waitpid(id_, &status_, block ? 0 : WNOHANG) != id_) return;
  ended_ = true;
  end_ = now();
}

bool Process::running() {
  reap(false);
  return !ended_;
}

void Process::kill(int signal) {
  if (!ended_) ::kill(id_, signal);
}

double Process::seconds() const { return (ended_ ? end_ : now()) - begin_; }

Ended Process::wait() {
  Ended end;
  while (running()) {
    if (seconds() > options_.patience) {
      end.late = true;
      kill(SIGKILL);
      reap(true);
      break;
    }
    ::usleep(500);
  }
  if (WIFEXITED(status_)) end.code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) end.signal = WTERMSIG(status_);
  end.seconds = seconds();
  end.out = contents(out_);
  end.err = contents(err_);
  return end;
}

Ended execute(const std::string& program, const std::vector<std::string>& arguments, ProcessOptions options) {
  return Process(program, arguments, std::move(options)).wait();
}

std::string program() { return MORTISE_BINARY_DIR "/bin/mortise"; }

Folder::Folder() {
  path_ = (std::filesystem::temp_directory_path() / "mortise-test-XXXXXX").string();
  if (!::mkdtemp(path_.data())) throw std::runtime_error("no temporary folder");
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace mortise::test
