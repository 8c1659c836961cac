// `mortise reproduce`, and models that are saved and loaded: the same bits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/result_files.h"
#include "mortise/analysis/kinds.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

using nlohmann::json;

json reproduced(const std::string& result, int code, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"reproduce", result, "--json"});
  const Ended end = execute(program(), more);
  EXPECT_EQ(end.code, code) << shown(end);
  return json::parse(end.out);
}

std::vector<std::string> example_files() {
  std::vector<std::string> out;
  for (const char* folder : {"/examples", "/examples/gallery", "/examples/new"})
    for (const auto& entry : fs::directory_iterator(std::string(MORTISE_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".yaml") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Reproduce, GivesTheSameBits) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  const std::vector<std::vector<std::string>> kinds{
      {example("five-bar"), "--set", "analysis.until=2"},
      {example("slip-to-roll"), "--set", "analysis.until=1"},  // events
      {example("five-bar"), "--set", "analysis.until=1", "--set", "output.bodies=[left]", "--set", "output.joints=[]"},
      {example("kinematics-four-bar")},
      {example("statics-chain")},
      {example("five-bar"), "--set", "analysis.until=0.2", "--set", "analysis.integrator=bdf", "--set",
       "output.checkpoint.steps=10"}};
  for (std::vector<std::string> words : kinds) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"-q", "-o", out});
    const Ended run = execute(program(), words);
    ASSERT_EQ(run.code, 0) << shown(run);
    const json j = reproduced(out, 0);
    EXPECT_EQ(j["same_bits"], true) << words[1] << j.dump(2);
    EXPECT_EQ(j["frames"], j["frames_again"]) << words[1];
    EXPECT_EQ(j["frames_equal"], j["frames"]) << words[1];
  }
}

// A result whose model text was changed: the second run is another one, and that is told.
TEST(Reproduce, TellsWhatDiffersAndSinceWhen) {
  const Folder folder;
  const std::string out = folder / "out.h5", forged = folder / "forged.h5";
  const auto run = [&](const std::string& path, const char* tolerance) {
    const auto m = example_mechanism("five-bar", {"analysis.until=2", std::string("analysis.tolerance=") + tolerance});
    // Writes the frames of one tolerance under the model text of another.
    struct Renamed final : analysis::Sink {
      explicit Renamed(const std::string& p) : writer(p) {}
      void begin(const analysis::RunHeader& h) override {
        analysis::RunHeader header = h;
        if (!text.empty()) header.model_text = text;
        writer.begin(header);
      }
      void frame(const analysis::Frame& f) override { writer.frame(f); }
      void flush() override { writer.flush(); }
      void end(const analysis::RunSummary& s) override { writer.end(s); }
      io::ResultWriter writer;
      std::string text;
    } sink(path);
    if (path == forged) sink.text = io::ResultReader(out).header().model_text;
    analysis::DynamicsOptions options;
    options.sink = &sink;
    analysis::find_analysis("dynamics").run(*m, options);
  };
  run(out, "1e-9");
  run(forged, "1e-5");
  EXPECT_EQ(reproduced(out, 0)["same_bits"], true);
  const json j = reproduced(forged, 4);
  EXPECT_EQ(j["same_bits"], false);
  EXPECT_EQ(j["frames_equal"], 1);  // the start
  EXPECT_NEAR(j["differs_since"].get<double>(), 0.01, 1e-12);
  EXPECT_EQ(j["first_difference"], "q");
  const double apart = j["largest_pose_difference"];
  EXPECT_GT(apart, 1e-9);
  EXPECT_LT(apart, 1e-2);
  EXPECT_EQ(reproduced(forged, 0, {"--within", "1e-2"})["agrees"], true);
  const Ended text = execute(program(), {"reproduce", forged});
  EXPECT_NE(text.out.find("differs since t = 0.01 s"), std::string::npos) << text.out;
}

TEST(Reproduce, GoesAsFarAsAnUnfinishedResult) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  {  // as a killed run leaves it: no end
    const auto m = example_mechanism("five-bar", {"analysis.until=2"});
    io::ResultWriter writer(out);
    struct Half final : analysis::Sink {
      explicit Half(io::ResultWriter& w) : writer(w) {}
      void begin(const analysis::RunHeader& h) override { writer.begin(h); }
      void frame(const analysis::Frame& f) override {
        if (f.t <= 1) writer.frame(f);
      }
      void flush() override { writer.flush(); }
      void end(const analysis::RunSummary&) override {}
      io::ResultWriter& writer;
    } sink(writer);
    analysis::DynamicsOptions options;
    options.sink = &sink;
    analysis::find_analysis("dynamics").run(*m, options);
  }
  const json j = reproduced(out, 0);
  EXPECT_EQ(j["same_bits"], true) << j.dump(2);
  EXPECT_EQ(j["frames"], 101);
  EXPECT_LT(j["frames_again"], 120);
}

TEST(Reproduce, RefusesToReplaceTheResult) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  ASSERT_EQ(execute(program(), {"run", example("five-bar"), "-q", "-o", out, "--set", "analysis.until=0.1"}).code, 0);
  EXPECT_EQ(execute(program(), {"reproduce", out, "-o", out}).code, 6);
  EXPECT_EQ(execute(program(), {"reproduce", out, "-o", folder / "again.h5"}).code, 0);
  EXPECT_EQ(difference(out, folder / "again.h5"), "");
  EXPECT_EQ(execute(program(), {"reproduce", folder / "none.h5"}).code, 3);
}

// load(save(m)) runs to the same bits, for every model of examples/.
TEST(RoundTrip, EveryExampleSavedAndLoadedRunsToTheSameBits) {
  const Folder folder;
  const std::vector<std::string> files = example_files();
  EXPECT_GT(files.size(), 55u);
  int motions = 0;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const model::Model first = io::load_model(file, mechanism::catalogue(), {"analysis.until=0.02"});
    const std::string path = folder / "saved.yaml";
    io::save_model(first, path);
    const model::Model second = io::load_model(path, mechanism::catalogue());
    EXPECT_EQ(first.text, second.text);
    if (file.find("broken") != std::string::npos || !analysis::find_analysis(first.analysis.type).run) continue;
    const Recording a = run(mechanism::Mechanism::compile(std::make_shared<const model::Model>(first)));
    const Recording b = run(mechanism::Mechanism::compile(std::make_shared<const model::Model>(second)));
    ASSERT_EQ(a.frames.size(), b.frames.size());
    for (std::size_t k = 0; k < a.frames.size(); ++k) ASSERT_EQ(difference(a.frames[k], b.frames[k]), "") << k;
    ++motions;
  }
  EXPECT_GT(motions, 40);
}

}  // namespace
}  // namespace mortise::test
