// The ledger of events in result files: whole wherever the frames are, kept by a resume, refused when damaged.
#include <gtest/gtest.h>

#include <sstream>

#include "io/results_samples.h"
#include "mortise/io/results_csv.h"

namespace mortise::io {
namespace {

using namespace samples;
using analysis::EventEntry;

analysis::RunHeader eventful() {
  analysis::RunHeader h = header(2);
  h.events = {"grip", "stop"};
  h.inputs = 3;
  return h;
}

// Frame 2k+1 follows event k.
EventEntry entry(int k) {
  EventEntry e;
  e.t = 0.1 * k, e.event = k % 2, e.what = k % 3 ? "impact" : "sticks", e.joints = "A, B";
  e.impulse = 1.0 / (k + 1), e.work = -0.5 * k, e.kinetic_before = 3 + k, e.kinetic_after = 2.5, e.jump = 0.25;
  e.frame = static_cast<std::uint64_t>(2 * k + 1);
  return e;
}

void give(ResultWriter& writer, const analysis::RunHeader& h, int from, int to) {
  for (int k = from; k < to; ++k) {
    writer.frame(frame(h, static_cast<std::uint64_t>(2 * k)));
    writer.event(entry(k));
    writer.frame(frame(h, static_cast<std::uint64_t>(2 * k + 1)));
  }
}

void expect_entries(const std::vector<EventEntry>& found, int count) {
  ASSERT_EQ(found.size(), static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    const EventEntry &a = found[static_cast<std::size_t>(k)], b = entry(k);
    EXPECT_TRUE(a.t == b.t && a.event == b.event && a.what == b.what && a.joints == b.joints);
    EXPECT_TRUE(a.impulse == b.impulse && a.work == b.work && a.kinetic_before == b.kinetic_before);
    EXPECT_TRUE(a.kinetic_after == b.kinetic_after && a.jump == b.jump && a.frame == b.frame);
  }
}

TEST(ResultEvents, AreReadAsTheyWereWritten) {
  const Folder folder;
  const analysis::RunHeader h = eventful();
  {
    ResultWriter writer(folder / "run.h5");
    writer.begin(h);
    give(writer, h, 0, 5);
    writer.end({"done"});
  }
  ResultReader reader(folder / "run.h5");
  EXPECT_EQ(reader.header().events, h.events);
  EXPECT_EQ(reader.header().inputs, 3);
  expect_entries(reader.events(), 5);
  std::stringstream text;
  export_events(reader, text);
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "t,event,what,joints,impulse,work,kinetic_before,kinetic_after,velocity_jump,frame");
  std::getline(text, line);
  EXPECT_EQ(line, "0,grip,sticks,\"A, B\",1,-0,3,2.5,0.25,1");
}

// A run that is still going on (or was killed): what was flushed counts, an event without its frame does not.
TEST(ResultEvents, CountWithTheFramesThatFollowThem) {
  const Folder folder;
  const analysis::RunHeader h = eventful();
  ResultWriter writer(folder / "run.h5");
  writer.begin(h);
  give(writer, h, 0, 3);
  writer.frame(frame(h, 6));
  writer.event(entry(3));  // its frame never comes
  writer.flush();
  ResultReader reader(folder / "run.h5");
  EXPECT_EQ(reader.frames(), 7u);
  expect_entries(reader.events(), 3);
}

TEST(ResultEvents, AreKeptByAResumeAsFarAsTheCheckpointGoes) {
  const Folder folder;
  const analysis::RunHeader h = eventful();
  {
    ResultWriter writer(folder / "run.h5");
    writer.begin(h);
    give(writer, h, 0, 6);
  }
  {
    ResultWriter writer = ResultWriter::resume(folder / "run.h5", 8);
    writer.begin(h);
    give(writer, h, 4, 7);
    writer.end({"done"});
  }
  ResultReader reader(folder / "run.h5");
  EXPECT_EQ(reader.frames(), 14u);
  expect_entries(reader.events(), 7);
}

// Every number of the ledger stands in the file as eight bytes: a flipped bit in one is noticed.
TEST(ResultEvents, AreRefusedWhenDamaged) {
  const Folder folder;
  const analysis::RunHeader h = eventful();
  {
    ResultWriter writer(folder / "run.h5");
    writer.begin(h);
    give(writer, h, 0, 5);
    writer.end({"done"});
  }
  const std::string path = folder / "run.h5";
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const double work = entry(3).work;
  std::string pattern(reinterpret_cast<const char*>(&work), sizeof work);
  const double next = entry(4).work;
  pattern.append(reinterpret_cast<const char*>(&next), sizeof next);
  const std::size_t at = bytes.find(pattern);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 6] = static_cast<char>(bytes[at + 6] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(ResultReader(path).events(), ResultError);
}

TEST(ResultEvents, LeaveFilesWithoutEventsAsTheyWere) {
  const Folder folder;
  const analysis::RunHeader h = header(2);
  write(folder / "run.h5", h, 3);
  ResultReader reader(folder / "run.h5");
  EXPECT_TRUE(reader.events().empty());
  EXPECT_TRUE(reader.header().events.empty());
}

}  // namespace
}  // namespace mortise::io
