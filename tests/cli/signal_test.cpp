// SIGINT and SIGTERM: a readable file, a summary, exit code 130 or 143 within a second, and a resume to the same bits.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

// What this process must wait for the machine: a second of the program's time is more of ours under load.
double slowness() {
  const Ended end = execute(program(), {"--version"});
  return std::max(1.0, end.seconds / 0.05);
}

struct Interruption {
  std::string integrator;
  int signal;
};

TEST(Signal, EndsWithASummaryAndResumes) {
  const Folder folder;
  const std::string straight = folder / "straight.h5", out = folder / "out.h5";
  for (const Interruption& i : {Interruption{"adams", SIGINT}, {"adams", SIGTERM}, {"rk45", SIGTERM}}) {
    const std::vector<std::string> settings{
        "--set", "analysis.until=150", "--set", "output.every=0.3", "--set", "analysis.integrator=" + i.integrator};
    const auto line = [&](const std::string& path, std::vector<std::string> more) {
      std::vector<std::string> all{"run", example("five-bar"), "-o", path};
      all.insert(all.end(), settings.begin(), settings.end());
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    const Ended whole = execute(program(), line(straight, {"--json"}));
    ASSERT_EQ(whole.code, 0) << shown(whole);
    fs::remove(out);
    Process run(program(), line(out, {}));
    while (!fs::exists(out) && run.running()) ::usleep(200);
    ::usleep(static_cast<useconds_t>(whole.seconds * 2e5));
    const double before = run.seconds();
    run.kill(i.signal);
    const Ended end = run.wait();
    EXPECT_EQ(end.code, 128 + i.signal) << shown(end);
    EXPECT_LT(end.seconds - before, 1.0 * slowness());
    std::printf("%s, signal %d: ended after %.0f ms\n", i.integrator.c_str(), i.signal, 1e3 * (end.seconds - before));
    EXPECT_NE(end.out.find("interrupted"), std::string::npos) << shown(end);
    EXPECT_NE(end.out.find("--resume"), std::string::npos) << shown(end);
    {
      io::ResultReader reader(out, trusted());
      EXPECT_TRUE(reader.finished());
      EXPECT_EQ(reader.summary().status, "interrupted");
      EXPECT_GT(reader.frames(), 0u);
      reader.verify();
    }
    const Ended resumed = execute(program(), line(out, {"--resume", "--json"}));
    ASSERT_EQ(resumed.code, 0) << shown(resumed);
    EXPECT_EQ(difference(straight, out), "") << i.integrator;
    auto a = nlohmann::json::parse(whole.out), b = nlohmann::json::parse(resumed.out);
    for (const char* key : {"frames", "rows", "rank", "degrees_of_freedom", "steps", "evaluations", "energy_drift"})
      EXPECT_EQ(a[key], b[key]) << key;
    EXPECT_FALSE(fs::exists(out + ".ckpt-0") || fs::exists(out + ".ckpt-1"));
    // Nothing is left to do, and it says so.
    const Ended done = execute(program(), line(out, {"--resume"}));
    EXPECT_EQ(done.code, 0);
    EXPECT_NE(done.out.find("nothing to resume"), std::string::npos) << shown(done);
  }
}

TEST(Signal, TwiceEndsAtOnce) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  Process run(program(), {"run", example("n-four-bar"), "-o", out, "--set", "N=150", "--set", "analysis.until=1000"});
  while (!fs::exists(out) && run.running()) ::usleep(200);
  run.kill(SIGINT);
  ::usleep(1000);
  run.kill(SIGINT);
  const Ended end = run.wait();
  EXPECT_TRUE(end.signal == SIGINT || end.code == 130) << shown(end);
  io::ResultReader(out, trusted()).verify();
}

}  // namespace
}  // namespace mortise::test
