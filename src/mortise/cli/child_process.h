// Other programs that a command needs: the browser, ffmpeg, a viewer beside a run. Started with the descriptors they
// are to have and no other; asked to end, and waited for, when this object goes.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "mortise/view/listen.h"

namespace mortise::cli {

class ChildProcess {
 public:
  ChildProcess() = default;
  // `program`: a path, or a name that is looked for in PATH. `files`: (number there, descriptor here); 0 is /dev/null
  // where it is not among them. Throws OutputError when it cannot be started.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
               const std::vector<std::pair<int, int>>& files = {});
  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // SIGTERM, and SIGKILL after three seconds

  bool running();         // not ended yet
  int wait();             // for its end; its exit code, 128 + signal when one ended it
  void kill(int signal);  // no effect on one that has ended
  void let_go() { id_ = -1; }

 private:
  bool reap(bool block);

  pid_t id_ = -1;
  int code_ = 0;
};

// A pipe: what is written to `in` comes out of `out`. Neither is handed on to children but by name.
struct Pipe {
  Pipe();
  view::Socket in, out;
};

// The first of these programs that PATH has, with its folder; "" when it has none.
std::string find_program(const std::vector<std::string>& names);

}  // namespace mortise::cli
