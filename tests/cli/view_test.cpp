// mortise view and mortise run --live as a user meets them: the address on the terminal, data that agrees with the
// result file, a run that is not disturbed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/result_files.h"
#include "view/web_client.h"

namespace mortise::test {
namespace {

using nlohmann::json;

// A program in the background that serves, its output in a file that can be read while it runs.
class Viewer {
 public:
  Viewer(const Folder& folder, const std::string& command)
      : log_(folder / ("viewer" + std::to_string(++count_) + ".log")),
        process_("/bin/sh", {"-c", "exec " + program() + " " + command + " >" + log_ + " 2>&1"}) {
    std::smatch found;
    const std::regex address("http://127\\.0\\.0\\.1:([0-9]+)/([0-9a-f]{32})/");
    for (int k = 0; k < 1200 && process_.running(); ++k, ::usleep(50'000))
      if (const std::string text = said(); std::regex_search(text, found, address)) {
        port_ = std::stoi(found[1]), token_ = found[2];
        return;
      }
    ADD_FAILURE() << "no address: " << said();
  }
  std::string said() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Answer get(const std::string& name, const std::string& more = "") const {
    WebClient client(port_, "127.0.0.1", 60);
    client.say("GET /" + token_ + "/" + name + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" + more +
               "\r\n");
    return client.hear();
  }
  template <class Number>
  std::vector<Number> numbers(const std::string& name, const std::string& more = "") const {
    const std::string bytes = get(name, more).body;
    std::vector<Number> all(bytes.size() / sizeof(Number));
    std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Number));
    return all;
  }
  Process& process() { return process_; }
  Ended interrupt() {
    process_.kill(SIGINT);
    return process_.wait();
  }

 private:
  static inline int count_ = 0;
  std::string log_;
  Process process_;
  int port_ = 0;
  std::string token_;
};

std::string made_result(const Folder& folder, const std::string& name = "out.h5", const std::string& until = "1") {
  const Ended run =
      execute(program(), {"run", example("five-bar"), "-o", folder / name, "--set", "analysis.until=" + until});
  EXPECT_EQ(run.code, 0) << shown(run);
  return folder / name;
}

TEST(View, ServesWhatTheFileHolds) {
  const Folder folder;
  const std::string path = made_result(folder);
  Viewer viewer(folder, "view " + path + " " + path + " --no-browser");
  io::ResultReader reader(path, trusted());
  EXPECT_EQ(viewer.get("").field("Content-Type"), "text/html; charset=utf-8");
  const json index = json::parse(viewer.get("results.json").body);
  EXPECT_EQ(index["live"], false);
  ASSERT_EQ(index["results"].size(), 2u);
  EXPECT_EQ(index["results"][1]["path"], "data/1/");
  EXPECT_EQ(viewer.numbers<double>("data/0/times.bin"), reader.times());
  const json scene = json::parse(viewer.get("data/1/scene.json").body);
  const std::size_t bytes = scene["frames"]["bytes"];
  EXPECT_EQ(scene["frames"]["count"], reader.frames());
  // Frame 70 alone, by its range.
  analysis::Frame frame;
  reader.read_frame(70, frame);
  const auto packed = viewer.numbers<float>("data/0/frames.bin", "Range: bytes=" + std::to_string(70 * bytes) + "-" +
                                                                     std::to_string(71 * bytes - 1) + "\r\n");
  ASSERT_EQ(packed.size(), bytes / sizeof(float));
  for (Eigen::Index k = 0; k < frame.pose.size(); ++k)
    EXPECT_EQ(packed[static_cast<std::size_t>(k)], static_cast<float>(frame.pose[k]));
  EXPECT_EQ(viewer.get("data/0/frames.bin").body.size(), bytes * reader.frames());
  // Series are what the frames say, and ranges of them too.
  const std::vector<double> x = viewer.numbers<double>("data/0/series/left.x");
  ASSERT_EQ(x.size(), reader.frames());
  EXPECT_EQ(viewer.numbers<double>("data/0/series/energy%2Etotal", "Range: bytes=560-567\r\n"),
            std::vector<double>{frame.kinetic + frame.potential});
  EXPECT_EQ(viewer.get("data/0/series/nothing.x").status, 404);
  for (const char* name : {"data/2/scene.json", "data/0/", "data/0", "data//scene.json", "data/-1/scene.json", "out.h5",
                           "data/0/out.h5", "data/0/../1/scene.json"})
    EXPECT_EQ(viewer.get(name).status, 404) << name;
  const json status = json::parse(viewer.get("data/0/status.json").body);
  EXPECT_EQ(status["finished"], true);
  EXPECT_EQ(status["status"], "done");
  const Ended end = viewer.interrupt();
  EXPECT_EQ(end.code, 0) << shown(end);
  EXPECT_LT(end.seconds, 100.0);
}

TEST(View, SaysWhyItCannotServe) {
  const Folder folder;
  const std::string path = made_result(folder);
  Viewer first(folder, "view " + path + " --no-browser");
  const std::string address = first.said();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(address, found, std::regex("127.0.0.1:([0-9]+)/")));
  const Ended taken = execute(program(), {"view", path, "--no-browser", "--port", found[1]});
  EXPECT_EQ(taken.code, 6);
  EXPECT_NE(taken.err.find("is taken by another program; take another, or leave --port out"), std::string::npos);
  EXPECT_EQ(execute(program(), {"view", path, "--port", "99999"}).code, 2);
  EXPECT_EQ(execute(program(), {"view", folder / "none.h5"}).code, 3);
  // There is no way to let others in.
  for (const char* wish : {"--host", "--bind", "--public", "--address"})
    EXPECT_EQ(execute(program(), {"view", path, wish, "0.0.0.0"}).code, 2) << wish;
}

// Names of a stranger's result reach the page as data: every answer that holds one is JSON, and says so.
TEST(View, KeepsNamesHarmless) {
  const Folder folder;
  const std::string model =
      folder.write("model.yaml",
                   "mortise: 1\nname: '</script><script>alert(1)</script>'\ndimension: planar\n"
                   "bodies: {arm: {mass: 1, inertia: 1, at: [1, 0]}}\n"
                   "joints: {A: {type: revolute, between: [ground, arm], at: [0, 0]}}\nanalysis: {until: 0.1}\n");
  ASSERT_EQ(execute(program(), {"run", model, "-o", folder / "<script>.h5"}).code, 0);
  Viewer viewer(folder, "view '" + folder / "<script>.h5" + "' --no-browser");
  int told = 0;
  for (const char* name : {"", "index.html", "app.js", "style.css", "three.min.js", "icon.svg", "results.json",
                           "data/0/scene.json", "data/0/status.json"}) {
    const Answer a = viewer.get(name);
    ASSERT_EQ(a.status, 200) << name;
    EXPECT_EQ(a.field("X-Content-Type-Options"), "nosniff");
    EXPECT_NE(a.field("Content-Security-Policy").find("default-src 'self'"), std::string::npos);
    if (a.body.find("alert(1)") == std::string::npos && a.body.find("<script>.h5") == std::string::npos) continue;
    EXPECT_EQ(a.field("Content-Type"), "application/json") << name;
    ++told;
  }
  EXPECT_EQ(told, 2);  // results.json and scene.json
}

// A run that has no end of its own, looked at all the time: it grows on the page, and its frames are those of a run
// that nobody watches, to the bit.
TEST(Live, FollowsARunAndDoesNotDisturbIt) {
  const Folder folder;
  const std::string line = "run " + example("n-four-bar") + " --set N=20 --set output.every=0.002 -o ";
  const std::string alone = folder / "alone.h5", out = folder / "out.h5";
  std::ofstream(out) << "an old result that must not be shown";
  Viewer viewer(folder, line + out + " --set analysis.until=1000 --live --no-browser");
  EXPECT_EQ(json::parse(viewer.get("results.json").body)["live"], true);
  std::size_t frames = 0, grown = 0;
  for (int k = 0; k < 1200 && (grown < 3 || frames < 200); ++k, ::usleep(50'000)) {
    const json status = json::parse(viewer.get("data/0/status.json").body);
    EXPECT_EQ(status["finished"], false);
    EXPECT_EQ(status["status"], "running");
    const std::vector<double> times = viewer.numbers<double>("data/0/times.bin");
    EXPECT_EQ(times.size(), status["frames"].get<std::size_t>());
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    grown += times.size() > frames;
    frames = times.size();
  }
  EXPECT_GE(grown, 3u);
  const std::size_t bytes = json::parse(viewer.get("data/0/scene.json").body)["frames"]["bytes"];
  EXPECT_EQ(viewer.get("data/0/frames.bin", "Range: bytes=-" + std::to_string(bytes) + "\r\n").body.size(), bytes);
  EXPECT_EQ(viewer.interrupt().code, 130) << viewer.said();

  // A second more: the last steps of a run are cut to its end.
  const std::string end = fmt::format("{}", 0.002 * static_cast<double>(frames) + 1);
  ASSERT_EQ(execute("/bin/sh", {"-c", program() + " " + line + alone + " -q --set analysis.until=" + end}).code, 0);
  io::ResultReader watched(out, trusted()), lonely(alone, trusted());
  analysis::Frame x, y;
  for (std::uint64_t k = 0; k < frames; ++k) {
    watched.read_frame(k, x);
    lonely.read_frame(k, y);
    ASSERT_EQ(difference(x, y), "") << k;
  }
}

TEST(Live, StaysAfterTheRun) {
  const Folder folder;
  Viewer viewer(folder, "run " + example("five-bar") + " -o " + folder / "out.h5" + " --live --no-browser");
  json status = json::object();
  for (int k = 0; k < 1200 && status.value("finished", false) == false; ++k, ::usleep(50'000))
    status = json::parse(viewer.get("data/0/status.json").body);
  EXPECT_EQ(status["status"], "done");
  EXPECT_EQ(status["frames"], 2001);
  EXPECT_TRUE(viewer.process().running());  // until the user has seen enough
  EXPECT_NE(viewer.said().find("stays until Ctrl-C"), std::string::npos) << viewer.said();
  EXPECT_EQ(viewer.interrupt().code, 0) << viewer.said();
}

TEST(Live, EndsWithTheRun) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  for (const int signal : {SIGTERM, SIGKILL}) {
    Viewer viewer(folder, "run " + example("n-four-bar") + " -o " + out +
                              " --live --no-browser --set N=100 --set analysis.until=1000");
    EXPECT_EQ(viewer.get("results.json").status, 200);
    viewer.process().kill(signal);
    viewer.process().wait();
    int status = 1;
    for (int k = 0; k < 200 && status != 0; ++k, ::usleep(50'000)) status = viewer.get("results.json").status;
    EXPECT_EQ(status, 0) << "signal " << signal;  // nobody listens there
  }
  const Ended wrong = execute(program(), {"run", example("modes-double-pendulum"), "--live"});
  EXPECT_EQ(wrong.code, 2) << shown(wrong);
}

}  // namespace
}  // namespace mortise::test
