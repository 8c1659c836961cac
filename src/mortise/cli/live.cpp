#include "mortise/cli/live.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "mortise/cli/commands.h"

namespace mortise::cli {

LiveSink::LiveSink(analysis::Sink& file, std::string path, LiveOptions options)
    : file_(file), path_(std::move(path)), options_(options) {}

void LiveSink::begin(const analysis::RunHeader& header) {
  file_.begin(header);
  if (!options_.on) return;
  std::vector<std::string> arguments{"view", "--beside", std::to_string(::getpid())};
  if (!options_.browser) arguments.emplace_back("--no-browser");
  if (options_.port) arguments.insert(arguments.end(), {"--port", std::to_string(options_.port)});
  arguments.insert(arguments.end(), {"--", path_});
  // Its words go to the error stream: what a run prints may be JSON for another program.
  viewer_ = ChildProcess("/proc/self/exe", arguments, {{1, STDERR_FILENO}});
}

void LiveSink::stay() {
  if (!viewer_.running()) return;
  if (signal_received == 0) fmt::print(stderr, "viewer      stays until Ctrl-C\n");
  while (signal_received == 0 && viewer_.running()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  viewer_.kill(SIGTERM);
  viewer_.wait();
}

}  // namespace mortise::cli
