#include "mortise/io/results_csv.h"

#include <gtest/gtest.h>

#include <sstream>

#include "io/results_samples.h"

namespace mortise::io {
namespace {

using namespace samples;

std::vector<std::string> split(const std::string& line, char separator = ',') {
  std::vector<std::string> parts(1);
  for (const char c : line) c == separator ? parts.emplace_back() : parts.back() += std::string(1, c);
  return parts;
}

TEST(Csv, HasOneColumnAQuantityAndEveryBit) {
  for (const int dimension : {2, 3}) {
    const Folder folder;
    const analysis::RunHeader h = header(dimension);
    write(folder / "run.h5", h, 20);
    ResultReader reader(folder / "run.h5");
    std::stringstream text;
    export_csv(reader, text);
    std::string line;
    std::getline(text, line);
    const std::vector<std::string> names = split(line);
    EXPECT_EQ(names, csv_columns(h));
    const auto value = [&](const std::vector<std::string>& row, const std::string& name) {
      const auto at = std::find(names.begin(), names.end(), name);
      EXPECT_NE(at, names.end()) << name;
      return std::stod(row.at(static_cast<std::size_t>(at - names.begin())));
    };
    for (std::uint64_t k = 0; std::getline(text, line); ++k) {
      const std::vector<std::string> row = split(line);
      ASSERT_EQ(row.size(), names.size());
      const analysis::Frame f = frame(h, k);
      EXPECT_EQ(value(row, "t"), f.t);
      EXPECT_EQ(value(row, "energy.kinetic"), f.kinetic);
      EXPECT_EQ(value(row, "constraint.acceleration"), f.acceleration_error);
      if (dimension == 2) {
        EXPECT_EQ(value(row, "body1.angle"), f.pose[5]);
        EXPECT_EQ(value(row, "body2.wz"), f.velocity[8]);
        EXPECT_EQ(value(row, "body0.alphaz"), f.acceleration[2]);
        EXPECT_EQ(value(row, "joint1.reaction.tz"), f.reaction[5]);
      } else {
        EXPECT_EQ(value(row, "body1.qw"), f.pose[10]);
        EXPECT_EQ(value(row, "body2.wx"), f.velocity[15]);
        EXPECT_EQ(value(row, "joint1.reaction.fx"), f.reaction[6]);
      }
    }
  }
}

TEST(Csv, ChoosesColumnsAndFrames) {
  const Folder folder;
  analysis::RunHeader h = header(2, 1, 1);
  h.bodies = {"bar, \"long\""};
  write(folder / "run.h5", h, 10);
  ResultReader reader(folder / "run.h5");
  CsvOptions options;
  options.columns = {"joint0.reaction", "bar, \"long\".x"};
  options.every = 4;
  std::stringstream text;
  export_csv(reader, text, options);
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "t,joint0.reaction.fx,joint0.reaction.fy,joint0.reaction.tz,\"bar, \"\"long\"\".x\"");
  int lines = 0;
  while (std::getline(text, line)) ++lines;
  EXPECT_EQ(lines, 3);
  options.columns = {"energy.kinetik"};
  try {
    export_csv(reader, text, options);
    ADD_FAILURE();
  } catch (const ResultError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'energy.kinetic'?"), std::string::npos) << error.what();
  }
  std::ofstream full("/dev/full");
  EXPECT_THROW(export_csv(reader, full, {}, "/dev/full"), OutputError);
}

}  // namespace
}  // namespace mortise::io
