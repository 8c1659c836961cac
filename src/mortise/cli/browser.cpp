#include "mortise/cli/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mortise/cli/child_process.h"
#include "mortise/cli/commands.h"
#include "mortise/error.h"

namespace mortise::cli {

using nlohmann::json;

namespace {

constexpr double patience = 60;  // seconds for any one answer

std::string decoded_base64(const std::string& text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) break;  // the padding
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

std::vector<std::string> browser_arguments(const std::string& profile, int width, int height) {
  std::vector<std::string> words{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile,
                                 fmt::format("--window-size={},{}", width, height), "--hide-scrollbars", "--mute-audio",
                                 "--no-first-run", "--no-default-browser-check", "--disable-extensions",
                                 "--force-device-scale-factor=1",
                                 // The page of this machine, and nothing else of the world.
                                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"};
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");  // Chromium has no sandbox for root
  words.emplace_back("about:blank");
  return words;
}

}  // namespace

// A profile of its own, gone with the browser.
class BrowserProfile {
 public:
  BrowserProfile() : path_((std::filesystem::temp_directory_path() / "mortise-browser-XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw OutputError(path_, "cannot be created");
  }
  ~BrowserProfile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  BrowserProfile(const BrowserProfile&) = delete;
  BrowserProfile& operator=(const BrowserProfile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Browser::State {
  std::string for_what;
  BrowserProfile profile;
  Pipe commands, answers;
  ChildProcess process;
  std::string session, pending;
  int last = 0;

  [[noreturn]] void fail(const std::string& why) const { throw OutputError(for_what, why); }
  void say(const std::string& text);
  json hear(std::chrono::steady_clock::time_point deadline);
  json call(const std::string& method, const json& parameters);
};

void Browser::State::say(const std::string& text) {
  const std::string message = text + '\0';
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t n = ::write(commands.in.get(), message.data() + done, message.size() - done);
    if (n < 0 && errno != EINTR) fail("the browser has ended unexpectedly");
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

// The next message: they end with a zero byte.
json Browser::State::hear(std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    if (const std::size_t end = pending.find('\0'); end != std::string::npos) {
      json message = json::parse(pending.substr(0, end), nullptr, false);
      pending.erase(0, end + 1);
      if (message.is_discarded()) fail("the browser said something that cannot be understood");
      return message;
    }
    if (signal_received != 0) fail("interrupted");
    if (std::chrono::steady_clock::now() > deadline)
      fail(fmt::format("the browser did not answer in {:g} s", patience));
    pollfd wait{answers.out.get(), POLLIN, 0};
    if (::poll(&wait, 1, 250) <= 0) continue;
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(answers.out.get(), buffer.data(), buffer.size());
    if (n == 0) fail("the browser has ended unexpectedly");
    if (n > 0) pending.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

json Browser::State::call(const std::string& method, const json& parameters) {
  json message{{"id", ++last}, {"method", method}, {"params", parameters}};
  if (!session.empty()) message["sessionId"] = session;
  say(message.dump());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(static_cast<int>(patience));
  for (;;) {
    json answer = hear(deadline);
    if (answer.value("id", 0) != last) continue;  // an event
    if (answer.contains("error")) fail(fmt::format("{}: {}", method, answer["error"].value("message", "failed")));
    return answer["result"];
  }
}

Browser::Browser(std::string for_what, int width, int height) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.for_what = std::move(for_what);
  const std::string program = find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"});
  if (program.empty())
    s.fail("needs Chromium to draw, which is not installed (Debian: apt install chromium; or mortise view --html)");
  const view::Socket nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  s.process =
      ChildProcess(program, browser_arguments(s.profile.path(), width, height),
                   {{1, nowhere.get()}, {2, nowhere.get()}, {3, s.commands.out.get()}, {4, s.answers.in.get()}});
  s.commands.out = view::Socket();  // its own now: when it ends, we hear it
  s.answers.in = view::Socket();
  const json target = s.call("Target.createTarget", {{"url", "about:blank"}});
  s.session = s.call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}}).at("sessionId");
  s.call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

Browser::~Browser() = default;

void Browser::open(const std::string& url) {
  const json answer = state_->call("Page.navigate", {{"url", url}});
  if (answer.contains("errorText")) state_->fail("the page does not open: " + answer["errorText"].get<std::string>());
}

std::string Browser::evaluate(const std::string& expression) {
  const json answer =
      state_->call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) {
    const json& details = answer["exceptionDetails"];
    state_->fail("the page fails: " + (details.contains("exception")
                                           ? details["exception"].value("description", "error")
                                           : details.value("text", "error")));
  }
  return answer["result"].contains("value") ? answer["result"]["value"].dump() : "null";
}

std::string Browser::picture() {
  const json answer = state_->call("Page.captureScreenshot", {{"format", "png"}, {"optimizeForSpeed", true}});
  return decoded_base64(answer.at("data").get<std::string>());
}

}  // namespace mortise::cli
