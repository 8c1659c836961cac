// Typical mistakes in models and command lines: the exit code, what the message names, and that nothing crashes.
#include "cli/mistakes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

void expect(const Ended& end, int code, const std::vector<std::string>& says, const std::string& what) {
  EXPECT_EQ(end.signal, 0) << what << " crashes\n" << end.text();
  EXPECT_FALSE(end.late) << what << " hangs\n" << end.text();
  EXPECT_EQ(end.code, code) << what << "\n" << end.text();
  for (const std::string& fragment : says)
    EXPECT_NE(end.err.find(fragment), std::string::npos) << what << " does not say: " << fragment << "\n" << end.text();
  for (const char* inside : {"std::", "what():", "please report", "terminate called", "Assertion"})
    EXPECT_EQ(end.text().find(inside), std::string::npos) << what << "\n" << end.text();
}

ProcessOptions patient(double seconds) {
  ProcessOptions options;
  options.patience = seconds;
  return options;
}

TEST(Mistakes, InModels) {
  const Folder folder;
  int counts[7] = {};
  for (const Mistake& m : mistakes()) {
    const std::string model = folder.write("model.yaml", m.text), out = folder / "out.h5";
    fs::remove(out);
    expect(execute(program(), {"run", model, "-o", out}, patient(60)), m.code, m.says, m.name);
    ++counts[m.code];
    if (!m.keeps) continue;
    io::ResultReader reader(out, trusted());
    EXPECT_GT(reader.frames(), 0u) << m.name;
    EXPECT_TRUE(reader.finished()) << m.name;
    EXPECT_EQ(reader.summary().status.substr(0, 7), "failed:") << m.name;
    analysis::Frame f;
    for (std::uint64_t k = 0; k < reader.frames(); ++k) {
      reader.read_frame(k, f);
      EXPECT_TRUE(finite(f)) << m.name << ", frame " << k;
    }
  }
  std::printf("%d mistakes in models: exit code 3 %d, 4 %d, 5 %d\n", counts[3] + counts[4] + counts[5], counts[3],
              counts[4], counts[5]);
}

struct Line {
  std::vector<std::string> arguments;
  int code;
  std::vector<std::string> says;
};

TEST(Mistakes, OnCommandLines) {
  const Folder folder;
  const std::string model = folder.write("good.yaml", planar_head + arm + pin + end), out = folder / "good.h5";
  ASSERT_EQ(execute(program(), {"run", model, "-o", out}).code, 0);
  const std::string text = folder.write("text.h5", "no result\n");
  const std::vector<Line> lines{
      {{}, 2, {"a command is missing: new, run, compare", "--help"}},
      {{"rum", model}, 2, {"'rum'", "did you mean 'run'"}},
      {{"run"}, 2, {"'mortise run' needs 'model': model file"}},
      {{"view"}, 2, {"'mortise view' needs 'inputs': a result file"}},
      {{"view", out, "--html"}, 2, {"--html needs a value"}},
      {{"run", model, "--reusme"}, 2, {"'--reusme'", "did you mean '--resume'"}},
      {{"run", "--jsn"}, 2, {"'--jsn'", "did you mean '--json'"}},
      {{"run", model, model}, 2, {"not expected"}},
      {{"run", model, "-o"}, 2, {"--output"}},
      {{"probe", out}, 2, {"quantities"}},
      {{"probe", out, "arm.x", "--at", "noon"}, 2, {"noon"}},
      {{"list", "jonts"}, 2, {"jonts"}},
      {{"export", out, "--every", "0"}, 2, {"every"}},
      {{"export", out, "--columns", "arn"}, 3, {"no column 'arn'", "did you mean 'arm'"}},
      {{"run", folder / "missing.yaml"}, 3, {"M501", "no such file"}},
      {{"run", folder.path()}, 3, {"M502", "folder"}},
      {{"run", out},
       3,
       {"M504", "not a text file but a result", "mortise view, plot, probe and reproduce take results"}},
      {{"list", "joints", "revolut"}, 3, {"M189", "'revolute'"}},
      {{"run", model, "--set", "x"}, 3, {"M610", "NAME=VALUE"}},
      {{"run", model, "--set", "k=3"}, 3, {"M611", "no parameter 'k'"}},
      {{"run", model, "--set", "bodies.arn.mass=2"}, 3, {"M611", "did you mean 'arm'"}},
      {{"run", model, "--set", "bodies.arm.mas=2"}, 3, {"M205", "did you mean 'mass'"}},
      {{"check", model, "--set", "analysis.integrator=adms"}, 3, {"M207", "did you mean 'adams'"}},
      {{"probe", folder / "missing.h5", "arm.x"}, 3, {"missing.h5"}},
      {{"probe", text, "arm.x"}, 3, {"not a result file"}},
      {{"export", text}, 3, {"not a result file"}},
      {{"export", model}, 3, {"not a result file"}},
      {{"export", out, "--columns", "arm.xx"}, 3, {"arm.xx", "did you mean"}},
      {{"probe", out, "arm.xx"}, 3, {"M160", "did you mean 'arm.x'"}},
      {{"probe", out, "arm.x", "--at", "7"}, 3, {"no t = 7", "0 … 1 s"}},
      {{"probe", out, "arm.x", "--at", "nan"}, 3, {"nan"}},
      {{"run", example("five-bar"), "--set", "analysis.formulation=lagrange", "-o", folder / "l.h5"},
       4,
       {"S421", "E.x", "F.y", "formulation: auto"}},
      {{"run", model, "-o", folder / "nowhere/out.h5"}, 6, {"nowhere", "does not exist"}},
      {{"run", model, "-o", folder.path()}, 6, {"folder"}},
      {{"run", model, "-o", "/dev/null"}, 6, {"/dev/null"}},
      {{"run", model, "-o", "/proc/out.h5"}, 6, {"/proc/out.h5"}},
      {{"export", out, "-o", folder / "nowhere/out.csv"}, 6, {"out.csv"}},
      {{"export", out, "-o", "/dev/full"}, 6, {"/dev/full"}},
  };
  for (const Line& line : lines) {
    std::string what = "mortise";
    for (const std::string& argument : line.arguments) what += " " + argument;
    expect(execute(program(), line.arguments, patient(60)), line.code, line.says, what);
  }
  std::printf("%zu mistaken command lines\n", lines.size());
}

TEST(Mistakes, ReadOnlyFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "the super user may write anywhere";
  const Folder folder;
  const std::string model = folder.write("good.yaml", planar_head + arm + pin + end);
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  expect(execute(program(), {"run", model, "-o", folder / "locked/out.h5"}), 6, {"locked"}, "a read-only folder");
}

TEST(Mistakes, FullDisk) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  int kept = 0;
  for (const long limit : {4000L, 1000000L, 5000000L, 9000000L}) {
    fs::remove(out);
    ProcessOptions options = patient(60);
    options.file_limit = limit;
    expect(execute(program(), {"run", example("five-bar"), "-o", out, "--set", "output.every=0.001"}, options), 6,
           {out}, "a full disk at " + std::to_string(limit));
    if (!fs::exists(out)) continue;
    io::ResultReader reader(out, trusted());
    reader.verify();
    kept += reader.frames() > 0;
  }
  EXPECT_GT(kept, 0) << "frames written before the disk was full are kept";
}

TEST(Mistakes, ForeignCheckpoint) {
  const Folder folder;
  const std::string out = folder / "out.h5", model = folder.write("good.yaml", planar_head + arm + pin + end);
  ProcessOptions options;
  const std::vector<std::string> line{"run",   example("five-bar"),         "-o",    out,
                                      "--set", "analysis.until=2000",       "--set", "output.every=1",
                                      "--set", "output.checkpoint.steps=50"};
  {
    Process run(program(), line);
    while (!fs::exists(out + ".ckpt-1") && run.running()) ::usleep(1000);
    run.kill(SIGKILL);
    ASSERT_EQ(run.wait().signal, SIGKILL);
  }
  expect(execute(program(), {"run", model, "-o", out, "--resume"}), 3, {"another model"}, "another model's checkpoint");
  auto other = line;
  other.insert(other.end(), {"--resume", "--set", "analysis.tolerance=1e-6"});
  expect(execute(program(), other), 3, {"checkpoint belongs to"}, "a checkpoint of other options");
  // Both refusals leave the run as it was.
  io::ResultReader(out, trusted()).verify();
  EXPECT_TRUE(io::ResultReader(out, trusted()).frames() > 0);
}

}  // namespace
}  // namespace mortise::test
