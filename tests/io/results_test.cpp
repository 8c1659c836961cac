// What a result file promises: bit-exact numbers, a clear word about files that are not whole, h5py can read it.
#include "mortise/io/results.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <random>

#include "io/results_samples.h"
#include "mortise/io/checkpoint.h"

namespace mortise::io {
namespace {

using namespace samples;

template <class Error, class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return "nothing thrown";
}

TEST(Results, GiveBackEveryBit) {
  for (const int dimension : {2, 3}) {
    const Folder folder;
    const std::string path = folder / "run.h5";
    const analysis::RunHeader h = header(dimension);
    constexpr std::uint64_t frames = 20000;  // several batches and chunks
    write(path, h, frames);

    ResultReader reader(path);
    EXPECT_EQ(reader.frames(), frames);
    EXPECT_TRUE(reader.finished());
    EXPECT_EQ(reader.summary().status, "done");
    EXPECT_EQ(reader.summary().evaluations, 1234);
    EXPECT_EQ(reader.summary().worst_velocity, 2e-12);
    EXPECT_EQ(reader.header().bodies, h.bodies);
    EXPECT_EQ(reader.header().row_names, h.row_names);
    EXPECT_EQ(reader.header().model_text, h.model_text);
    EXPECT_EQ(reader.header().options, h.options);
    analysis::Frame f;
    for (std::uint64_t k = 0; k < frames; ++k) {
      reader.read_frame(k, f);
      ASSERT_TRUE(same(f, frame(h, k))) << "dimension " << dimension << ", frame " << k;
    }
    for (const std::uint64_t k : {19999U, 0U, 7777U, 8192U, 8191U}) {  // any order
      reader.read_frame(k, f);
      ASSERT_TRUE(same(f, frame(h, k)));
    }
    EXPECT_EQ(reader.times().back(), 199.99);
    EXPECT_NE(message_of<ResultError>([&] { reader.read_frame(frames, f); }).find("no frame 20000"), std::string::npos);
  }
}

TEST(Results, HoldModelsWithoutBodiesJointsOrRows) {
  const Folder folder;
  const analysis::RunHeader h = header(3, 0, 0);
  write(folder / "empty.h5", h, 50);
  ResultReader reader(folder / "empty.h5");
  reader.verify();
  analysis::Frame f;
  reader.read_frame(49, f);
  EXPECT_TRUE(same(f, frame(h, 49)));
}

TEST(Results, HoldLargeModelTextsAndFramesLargerThanTheBuffer) {
  const Folder folder;
  analysis::RunHeader h = header(3, 4000, 3000);
  h.model_text = std::string(300000, 'x') + "ü";
  write(folder / "large.h5", h, 5);
  ResultReader reader(folder / "large.h5");
  EXPECT_EQ(reader.header().model_text, h.model_text);
  EXPECT_EQ(reader.header().joints.back(), "joint2999");
  analysis::Frame f;
  reader.read_frame(4, f);
  EXPECT_TRUE(same(f, frame(h, 4)));
}

TEST(Results, MarkWhatWasNotComputedWithNaN) {
  const Folder folder;
  const analysis::RunHeader h = header(2);
  ResultWriter writer(folder / "run.h5");
  writer.begin(h);
  analysis::Frame f = frame(h, 0);
  f.reaction.resize(0);
  writer.frame(f);
  f.reaction.resize(5);
  EXPECT_THROW(writer.frame(f), std::invalid_argument);
  writer.end(summary());
  ResultReader reader(folder / "run.h5");
  EXPECT_EQ(reader.frames(), 1U);
  reader.read_frame(0, f);
  EXPECT_TRUE(f.reaction.array().isNaN().all());
}

TEST(Results, AreReadableWhileTheRunGoesOn) {
  const Folder folder;
  const analysis::RunHeader h = header(2);
  const std::string path = folder / "run.h5";
  ResultWriterOptions options;
  options.write_interval = 1e9;  // only flush() writes, however slow this machine is
  ResultWriter writer(path, options);
  writer.begin(h);
  const auto look = [&] {
    ResultReader reader(path);
    reader.verify();
    return reader.finished() ? 98 : static_cast<int>(reader.frames());
  };
  const auto expect_seen = [&](int frames) {
    EXPECT_EQ(look(), frames);                       // in the process that writes
    EXPECT_EQ(WEXITSTATUS(in_child(look)), frames);  // and in another
  };
  ResultReader follower(path);
  expect_seen(0);
  for (std::uint64_t k = 0; k < 10; ++k) writer.frame(frame(h, k));
  writer.flush();
  expect_seen(10);
  for (std::uint64_t k = 10; k < 20; ++k) writer.frame(frame(h, k));
  expect_seen(10);
  EXPECT_EQ(writer.frames(), 20U);
  EXPECT_EQ(follower.frames(), 0U);
  EXPECT_TRUE(follower.refresh());
  EXPECT_EQ(follower.frames(), 10U);
  follower.verify();
  writer.end(summary());
  EXPECT_TRUE(follower.refresh());
  EXPECT_EQ(follower.frames(), 20U);
  follower.verify();
  expect_seen(98);
}

TEST(Results, TellTheTimesWithoutReadingFrames) {
  const Folder folder;
  const analysis::RunHeader h = header(3);
  const auto write = [&](const std::string& path, double last) {
    ResultWriter writer(path);
    writer.begin(h);
    for (std::uint64_t k = 0; k < 700; ++k) writer.frame(frame(h, k));
    analysis::Frame f = frame(h, 700);
    f.t = last;
    writer.frame(f);
    writer.end(summary());
  };
  write(folder / "run.h5", 1e9);
  ResultReader reader(folder / "run.h5");
  EXPECT_EQ(reader.clock(), reader.times());
  EXPECT_EQ(reader.clock().size(), 701U);
  for (const double wrong : {-1.0, static_cast<double>(NAN)}) {
    write(folder / "wrong.h5", wrong);
    EXPECT_THROW(ResultReader(folder / "wrong.h5").clock(), ResultError) << wrong;
  }
}

TEST(Results, WithoutEndCountAsUnfinished) {
  const Folder folder;
  const analysis::RunHeader h = header(2);
  {
    ResultWriter writer(folder / "run.h5");
    writer.begin(h);
    writer.frame(frame(h, 0));
  }
  ResultReader reader(folder / "run.h5");
  EXPECT_FALSE(reader.finished());
  EXPECT_EQ(reader.summary().status, "unfinished");
  EXPECT_EQ(reader.frames(), 1U);
}

TEST(Results, RefuseFilesThatAreNotOurs) {
  const Folder folder;
  const auto text = [&](const char* name) {
    return message_of<ResultError>([&] { ResultReader reader(folder / name); });
  };
  EXPECT_NE(text("missing.h5").find("missing.h5: No such file"), std::string::npos) << text("missing.h5");
  write_bytes(folder / "empty.h5", {});
  EXPECT_NE(text("empty.h5").find("is empty"), std::string::npos);
  write_bytes(folder / "text.h5", std::vector<char>(5000, 'x'));
  EXPECT_NE(text("text.h5").find("not a result file of Mortise"), std::string::npos);
  fs::create_directory(folder / "folder.h5");
  EXPECT_NE(text("folder.h5").find("not a regular file"), std::string::npos);
  write(folder / "run.h5", header(2), 100);
  fs::resize_file(folder / "run.h5", fs::file_size(folder / "run.h5") - 1000);
  EXPECT_NE(text("run.h5").find("truncated"), std::string::npos) << text("run.h5");
}

TEST(Results, SayWhyTheyCannotBeWritten) {
  const Folder folder;
  const auto text = [&](const std::string& path) {
    return message_of<OutputError>([&] {
      ResultWriter writer(path);
      writer.begin(header(2));
    });
  };
  EXPECT_NE(text(folder / "no/run.h5").find("no' does not exist"), std::string::npos) << text(folder / "no/run.h5");
  EXPECT_NE(text(folder.path() + "/").find("is a folder"), std::string::npos);
  EXPECT_NE(text("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(text("/proc/run.h5").find("/proc/run.h5: "), std::string::npos);
  EXPECT_NE(text("/proc/run.h5").find("No such file or directory"), std::string::npos) << text("/proc/run.h5");
  EXPECT_EQ(OutputError::exit, ExitCode::output);
}

TEST(Results, FollowASymbolicLinkToItsFile) {
  const Folder folder;
  fs::create_directory(folder / "disk");
  fs::create_symlink("disk/run.h5", folder / "run.h5");
  write(folder / "run.h5", header(2), 3);
  EXPECT_TRUE(fs::is_symlink(folder / "run.h5"));
  CheckpointWriter(folder / "run.h5", {}).write(State{}, 3);
  EXPECT_TRUE(fs::exists(folder / "disk/run.h5.ckpt-0"));
  EXPECT_TRUE(read_newest(folder / "run.h5"));
  EXPECT_EQ(ResultReader(folder / "disk/run.h5").frames(), 3U);
}

std::string python_with_h5py() {
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (std::system((std::string(python) + " -c 'import h5py' >/dev/null 2>&1").c_str()) == 0) return python;
  return "";
}

std::string output_of(const std::string& python, const std::string& program) {
  std::string out;
  FILE* pipe = ::popen((python + " -c \"" + program + "\" 2>&1").c_str(), "r");
  for (char bytes[256]; std::fgets(bytes, sizeof bytes, pipe);) out += bytes;
  ::pclose(pipe);
  return out;
}

TEST(Results, OpenInH5pyFinishedAndKilled) {
  const std::string python = python_with_h5py();
  if (python.empty()) GTEST_SKIP() << "python3-h5py is not installed";
  const Folder folder;
  const analysis::RunHeader h = header(3);
  write(folder / "done.h5", h, 100);
  EXPECT_EQ(output_of(python, "import h5py; f = h5py.File('" + folder / "done.h5" +
                                  "', 'r'); n = int(f['frames'][()]); q = f['bodies/quaternion_wxyz']; "
                                  "print(n, q.shape, q.attrs['columns'].decode(), f['time'].attrs['unit'].decode(), "
                                  "f['bodies/names'][1].decode(), f['run/status'][()].decode(), f['time'][99])"),
            "100 (100, 3, 4) w,x,y,z s body1 done 0.99\n");
  const int status = in_child([&]() -> int {
    ResultWriter writer(folder / "killed.h5");
    writer.begin(h);
    for (std::uint64_t k = 0; k < 37; ++k) writer.frame(frame(h, k));
    writer.flush();
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(output_of(python, "import h5py; f = h5py.File('" + folder / "killed.h5" +
                                  "', 'r', swmr=True); n = int(f['frames'][()]); print(n, f['time'][:n][-1])"),
            "37 0.36\n");
}

}  // namespace
}  // namespace mortise::io
