#include "mortise/io/results_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>

#include "mortise/error.h"

namespace mortise::io {

namespace {

constexpr char fine = 'K', refused = 'E';

void send(int pipe, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(pipe, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void run_child(int pipe, const std::function<void()>& work, double seconds) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto limit = static_cast<rlim_t>(seconds) + 1;
  const rlimit cpu{limit, limit};
  ::setrlimit(RLIMIT_CPU, &cpu);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);  // glibc's and sanitizers' last words
  try {
    work();
    send(pipe, std::string(1, fine));
  } catch (const std::exception& error) {
    send(pipe, refused + std::string(error.what()));
  } catch (...) {
  }
  ::_exit(0);  // no destructors, no exit handlers: they belong to the parent
}

}  // namespace

void probe_in_child(const std::string& path, const std::function<void()>& work, double seconds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw ResultError(path, "cannot be tried in a child process: no pipe left");
  const pid_t child = ::fork();
  if (child == 0) run_child(ends[1], work, seconds);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw ResultError(path, "cannot be tried in a child process: no process left");
  }

  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  std::string answer;
  bool late = false;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wait{ends[0], POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    late = ready <= 0;
    if (late) break;
    char bytes[1024];
    const ssize_t n = ::read(ends[0], bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    answer.append(bytes, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  if (late) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (late) throw ResultError(path, "is damaged or too large: reading it took too long");
  if (answer.empty()) throw ResultError(path, "is damaged: the HDF5 library crashed on it (in a child process)");
  if (answer[0] == fine) return;
  const std::string prefix = path + ": ";
  std::string text = answer.substr(1);
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  throw ResultError(path, text);
}

}  // namespace mortise::io
