#include "mortise/cli/view_serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "mortise/cli/child_process.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/view_input.h"
#include "mortise/view/server.h"
#include "mortise/view/site.h"

namespace mortise::cli {

namespace {

// Until the run has put a frame on disk; false: it, or the user, ended first.
bool wait_for_frames(const std::string& path) {
  io::ReadOptions options;
  options.probe = false;  // our own run writes it
  while (signal_received == 0) {
    const io::ResultReader reader(path, options);
    if (reader.frames() > 0 || reader.finished()) return reader.frames() > 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// The system asks us to end when the run does, however it ends.
bool tie_to(int process) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  return ::getppid() == process;
}

void open_browser(const std::string& url) {
  const auto given = [](const char* name) { return std::getenv(name) && *std::getenv(name); };
  if (!given("DISPLAY") && !given("WAYLAND_DISPLAY")) return;
  const std::string opener = find_program({"xdg-open"});
  if (opener.empty()) return;
  const view::Socket nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ChildProcess(opener, {url}, {{1, nowhere.get()}, {2, nowhere.get()}}).let_go();
}

}  // namespace

int serve_view(const std::vector<std::string>& inputs, const ServeOptions& o) {
  catch_signals();
  if (o.beside && (!tie_to(o.beside) || !wait_for_frames(inputs.front()))) return 0;
  std::vector<ViewInput> opened;
  for (const std::string& input : inputs) opened.push_back(open_view(input));
  std::vector<view::SiteResult> results;
  for (ViewInput& in : opened)
    results.push_back({in.mechanism.get(), &in.run, in.reader.get(), in.label, view::to_json(in.scene)});
  view::Site site(std::move(results));

  view::ServerOptions options;
  options.port = o.port;
  options.complain = [](const std::string& text) { fmt::print(stderr, "error: {}\n", text); };
  view::Server server([&](const std::string& name) { return site.find(name); }, options);
  if (!o.beside)
    for (const ViewInput& in : opened) fmt::print("{}\n", headline(*in.mechanism));
  fmt::print("viewer      {}\n            for you on this machine alone; Ctrl-C ends it\n", server.url());
  std::fflush(stdout);
  if (o.browser) open_browser(server.url());
  server.run(signal_received);
  return 0;
}

}  // namespace mortise::cli
