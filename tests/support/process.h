// Other programs, started by a test: spawned, killed, waited for, their output captured.
//
//     Process run(program(), {"run", model, "-o", out});
//     run.kill(SIGKILL);
//     const Ended end = run.wait();          // or, in one line:  const Ended end = execute(program(), {…});
//
// Output goes through files without a name, so a program that says much never waits for the test. The destructor kills
// what still runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace mortise::test {

struct Ended {
  int code = -1;      // exit code; −1 when a signal ended it
  int signal = 0;     // which ended it, or 0
  bool late = false;  // `patience` ran out: killed by us
  double seconds = 0;
  std::string out, err;
  std::string text() const { return out + err; }
};

struct ProcessOptions {
  std::string folder;                                        // to run in; "" = here
  std::vector<std::pair<std::string, std::string>> setting;  // of the environment, beside what is inherited
  long file_limit = 0;                                       // bytes that a file may have (RLIMIT_FSIZE); 0 = any
  double patience = 120;                                     // seconds that wait() gives it
};

class Process {
 public:
  Process(const std::string& program, const std::vector<std::string>& arguments, ProcessOptions options = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  bool running();          // not ended yet (reaps it when it has)
  void kill(int signal);   // no effect on one that has ended
  Ended wait();            // for its end
  double seconds() const;  // since the start

 private:
  void reap(bool block);

  ProcessOptions options_;
  pid_t id_ = -1;
  int out_ = -1, err_ = -1;  // files without a name
  int status_ = 0;
  bool ended_ = false;
  double begin_ = 0, end_ = 0;
};

Ended execute(const std::string& program, const std::vector<std::string>& arguments, ProcessOptions options = {});

// The program under test.
std::string program();

// A folder that is removed with all that is in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const;  // returns the path

 private:
  std::string path_;
};

}  // namespace mortise::test
