// Units of FMI 2.0: exported, moved, loaded by their C interface alone and driven as a master would.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <minizip/unzip.h>

#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "mortise/analysis/simulation.h"
#include "mortise/io/fmu/export_fmu.h"
#include "mortise/io/fmu/fmi2.h"
#include "mortise/io/fmu/plan.h"
#include "mortise/io/import/xml.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::io {
namespace {

namespace fs = std::filesystem;

const char* pendulum_text = R"(
mortise: 1
name: Driven pendulum
dimension: planar
gravity: [0, -9.81]
parameters: {L: 1, m: 2}
inputs: {torque: 0.5, push: 0}
bodies:
  arm: {mass: m, inertia: m*L^2/12, at: [L/2, 0], points: {tip: [L/2, 0]}}
  bob: {mass: 1, inertia: 0.1, at: [1.5*L, 0]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
  B: {type: revolute, between: [arm, bob], at: [L, 0]}
forces:
  motor: {type: torque, body: arm, value: input.torque}
  wind: {type: force, body: bob, value: [input.push, 0]}
events:
  stop: {type: limit, joint: A, minimum: -70 deg, restitution: 0.4}
analysis: {until: 2, tolerance: 1e-9}
)";
const std::vector<std::string> asked{"A.angle", "arm.tip.y", "B.reaction.fx", "energy.total", "bob.vx"};

std::vector<std::string>& log_lines() {
  static std::vector<std::string> lines;
  return lines;
}

void keep_message(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String message, ...) {
  va_list arguments;
  va_start(arguments, message);
  char buffer[2000];
  std::vsnprintf(buffer, sizeof buffer, message, arguments);
  va_end(arguments);
  log_lines().push_back(buffer);
}

void unzip(const fs::path& file, const fs::path& folder) {
  unzFile zip = unzOpen64(file.c_str());
  ASSERT_TRUE(zip);
  for (int more = unzGoToFirstFile(zip); more == UNZ_OK; more = unzGoToNextFile(zip)) {
    char name[500];
    unz_file_info64 info;
    ASSERT_EQ(unzGetCurrentFileInfo64(zip, &info, name, sizeof name, nullptr, 0, nullptr, 0), UNZ_OK);
    std::string bytes(info.uncompressed_size, '\0');
    ASSERT_EQ(unzOpenCurrentFile(zip), UNZ_OK);
    ASSERT_EQ(unzReadCurrentFile(zip, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    unzCloseCurrentFile(zip);
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
  unzClose(zip);
}

std::string shell_output(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[1000];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe)) out += buffer;
  if (pipe) pclose(pipe);
  return out;
}

std::shared_ptr<const model::Model> pendulum_model(const std::vector<std::string>& settings = {}) {
  return std::make_shared<const model::Model>(
      load_model_text(pendulum_text, "pendulum", mechanism::catalogue(), settings));
}

class Fmu : public testing::Test {
 protected:
  Fmu() {
    folder_ = fs::path(MORTISE_BINARY_DIR) / "test-files" /
              ("fmu " + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    log_lines().clear();
    export_fmu(*mechanism::Mechanism::compile(pendulum_model()), asked, (folder_ / "unit.fmu").string());
    unzip(folder_ / "unit.fmu", folder_ / "first");
    fs::rename(folder_ / "first", unit_ = folder_ / "moved");
    std::ifstream file(unit_ / "modelDescription.xml");
    std::ostringstream text;
    text << file.rdbuf();
    description_ = text.str();
    binary_ = (unit_ / "binaries/linux64/Driven_pendulum.so").string();
    library_ = dlopen(binary_.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Fmu() override {
    for (const fmi2Component c : open_) call<decltype(fmi2FreeInstance)>("fmi2FreeInstance")(c);
    if (library_) dlclose(library_);
    fs::remove_all(folder_);
  }
  template <class F>
  F* call(const char* name) const {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }
  std::string guid() const {
    std::smatch found;
    return std::regex_search(description_, found, std::regex("guid=\"([^\"]*)\"")) ? found[1].str() : "";
  }
  std::string resources() const {
    return "file://" + std::regex_replace((unit_ / "resources").string(), std::regex(" "), "%20");
  }
  fmi2Component instance(const std::string& with_guid) {
    static const fmi2CallbackFunctions callbacks{keep_message, nullptr, nullptr, nullptr, nullptr};
    fmi2Component c = call<decltype(fmi2Instantiate)>("fmi2Instantiate")(
        "pendulum", fmi2CoSimulation, with_guid.c_str(), resources().c_str(), &callbacks, 0, 0);
    if (c) open_.push_back(c);
    return c;
  }
  fmi2Component started(double L = 1) {
    fmi2Component c = instance(guid());
    EXPECT_TRUE(c) << (log_lines().empty() ? "" : log_lines().back());
    EXPECT_EQ(call<decltype(fmi2SetupExperiment)>("fmi2SetupExperiment")(c, 0, 0, 0, 1, 2), fmi2OK);
    EXPECT_EQ(set(c, first_parameter, L), fmi2OK);
    EXPECT_EQ(call<decltype(fmi2EnterInitializationMode)>("fmi2EnterInitializationMode")(c), fmi2OK) << last();
    EXPECT_EQ(call<decltype(fmi2ExitInitializationMode)>("fmi2ExitInitializationMode")(c), fmi2OK);
    return c;
  }
  fmi2Status set(fmi2Component c, fmi2ValueReference reference, double value) {
    return call<decltype(fmi2SetReal)>("fmi2SetReal")(c, &reference, 1, &value);
  }
  std::vector<double> outputs(fmi2Component c) {
    std::vector<fmi2ValueReference> references;
    for (std::size_t k = 0; k < asked.size(); ++k) references.push_back(first_output + static_cast<unsigned>(k));
    std::vector<double> values(asked.size());
    EXPECT_EQ(call<decltype(fmi2GetReal)>("fmi2GetReal")(c, references.data(), references.size(), values.data()),
              fmi2OK)
        << last();
    return values;
  }
  fmi2Status step(fmi2Component c, double t, double h) { return call<decltype(fmi2DoStep)>("fmi2DoStep")(c, t, h, 1); }
  // From step `begin` to `end` of 10 ms, the inputs as functions of time; all outputs on the way.
  std::vector<double> drive(fmi2Component c, int begin, int end) {
    std::vector<double> all;
    for (int k = begin; k < end; ++k) {
      EXPECT_EQ(set(c, 0, std::sin(0.3 * k)), fmi2OK);
      EXPECT_EQ(set(c, 1, k % 20 < 10 ? 4 : -4), fmi2OK);
      EXPECT_EQ(step(c, 0.01 * k, 0.01), fmi2OK) << last();
      const std::vector<double> now = outputs(c);
      all.insert(all.end(), now.begin(), now.end());
    }
    return all;
  }
  static std::string last() { return log_lines().empty() ? "" : log_lines().back(); }

  fs::path folder_, unit_;
  std::string description_, binary_;
  void* library_ = nullptr;
  std::vector<fmi2Component> open_;
};

TEST_F(Fmu, LoadsWhereItWasMovedAndShowsOnlyTheInterface) {
  ASSERT_TRUE(library_) << dlerror();
  EXPECT_STREQ(call<decltype(fmi2GetVersion)>("fmi2GetVersion")(), "2.0");
  EXPECT_STREQ(call<decltype(fmi2GetTypesPlatform)>("fmi2GetTypesPlatform")(), "default");
  const std::string symbols = shell_output("nm -D --defined-only '" + binary_ + "'");
  std::istringstream lines(symbols);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_NE(line.find(" T fmi2"), std::string::npos) << line;
  EXPECT_EQ(count, 34) << symbols;  // all functions of FMI 2.0 for co-simulation
  EXPECT_EQ(shell_output("readelf -d '" + binary_ + "'").find("libmortise"), std::string::npos);
}

// What section 2.2 of the standard asks of a description, as far as it can be checked without its schema.
TEST_F(Fmu, DescribesItselfByTheRules) {
  const XmlElement root = parse_xml(description_, "modelDescription.xml");
  ASSERT_EQ(root.name, "fmiModelDescription");
  EXPECT_EQ(root.attribute("fmiVersion")->value, "2.0");
  EXPECT_EQ(root.attribute("modelName")->value, "Driven pendulum");
  EXPECT_TRUE(std::regex_match(guid(), std::regex(R"(\{[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\})"))) << guid();
  std::vector<std::string> order;
  for (const XmlElement& child : root.children) order.push_back(child.name);
  EXPECT_EQ(order, (std::vector<std::string>{"CoSimulation", "LogCategories", "DefaultExperiment", "ModelVariables",
                                             "ModelStructure"}));
  EXPECT_TRUE(fs::exists(unit_ / "binaries/linux64" /
                         (root.child("CoSimulation")->attribute("modelIdentifier")->value + ".so")));
  std::set<std::string> names, references;
  std::set<std::size_t> outputs_by_index;
  const std::vector<XmlElement>& variables = root.child("ModelVariables")->children;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const XmlElement& v = variables[k];
    EXPECT_TRUE(names.insert(v.attribute("name")->value).second);
    EXPECT_TRUE(references.insert(v.attribute("valueReference")->value).second);
    const std::string causality = v.attribute("causality")->value;
    const bool has_start = v.child("Real")->attribute("start") != nullptr;
    EXPECT_EQ(has_start, causality != "output");  // inputs and exact ones must, calculated ones must not
    EXPECT_EQ(v.peek("initial") != nullptr, causality != "input");
    if (causality == "output") outputs_by_index.insert(k + 1);
  }
  EXPECT_EQ(names, (std::set<std::string>{"input.torque", "input.push", "L", "m", "A.angle", "arm.tip.y",
                                          "B.reaction.fx", "energy.total", "bob.vx"}));
  for (const char* list : {"Outputs", "InitialUnknowns"}) {
    std::set<std::size_t> indices;
    for (const XmlElement* unknown : root.child("ModelStructure")->child(list)->all("Unknown"))
      indices.insert(std::stoul(unknown->attribute("index")->value));
    EXPECT_EQ(indices, outputs_by_index) << list;
  }
}

TEST_F(Fmu, MovesAsTheSimulationDoesToTheBit) {
  fmi2Component c = started();
  analysis::Simulation simulation(*pendulum_model());
  const std::vector<double> unit = drive(c, 0, 150);
  std::vector<double> direct;
  for (int k = 0; k < 150; ++k) {
    simulation.set("torque", std::sin(0.3 * k));
    simulation.set("push", k % 20 < 10 ? 4 : -4);
    simulation.advance_to(0.01 * k + 0.01);
    for (const std::string& name : asked) direct.push_back(simulation.get(name));
  }
  EXPECT_EQ(unit, direct);
  EXPECT_FALSE(simulation.events().empty()) << "the stop was to be hit on the way";
}

TEST_F(Fmu, GoesBackToASavedStateAndRepeatsEveryBit) {
  fmi2Component c = started();
  drive(c, 0, 50);
  fmi2FMUstate saved = nullptr;
  ASSERT_EQ(call<decltype(fmi2GetFMUstate)>("fmi2GetFMUstate")(c, &saved), fmi2OK) << last();
  const std::vector<double> first = drive(c, 50, 150);
  ASSERT_EQ(call<decltype(fmi2SetFMUstate)>("fmi2SetFMUstate")(c, saved), fmi2OK) << last();
  EXPECT_EQ(drive(c, 50, 150), first);

  // As bytes into another instance of the unit.
  std::size_t size = 0;
  ASSERT_EQ(call<decltype(fmi2SerializedFMUstateSize)>("fmi2SerializedFMUstateSize")(c, saved, &size), fmi2OK);
  std::vector<fmi2Byte> bytes(size);
  ASSERT_EQ(call<decltype(fmi2SerializeFMUstate)>("fmi2SerializeFMUstate")(c, saved, bytes.data(), size), fmi2OK);
  fmi2Component other = started(1.3);
  fmi2FMUstate copy = nullptr;
  auto* const read = call<decltype(fmi2DeSerializeFMUstate)>("fmi2DeSerializeFMUstate");
  ASSERT_EQ(read(other, bytes.data(), size, &copy), fmi2OK) << last();
  ASSERT_EQ(call<decltype(fmi2SetFMUstate)>("fmi2SetFMUstate")(other, copy), fmi2OK) << last();
  EXPECT_EQ(drive(other, 50, 150), first);
  bytes[size / 2] = static_cast<fmi2Byte>(bytes[size / 2] ^ 1);
  fmi2FMUstate broken = nullptr;
  EXPECT_EQ(read(other, bytes.data(), size, &broken), fmi2Error);
  EXPECT_EQ(broken, nullptr);
  call<decltype(fmi2FreeFMUstate)>("fmi2FreeFMUstate")(c, &saved);
  call<decltype(fmi2FreeFMUstate)>("fmi2FreeFMUstate")(other, &copy);
  EXPECT_EQ(saved, nullptr);
}

TEST_F(Fmu, TakesParametersBeforeTheInitialisation) {
  fmi2Component c = started(1.3);
  analysis::Simulation simulation(*pendulum_model({"L=1.3"}));
  ASSERT_EQ(step(c, 0, 0.25), fmi2OK);
  simulation.advance_to(0.25);
  EXPECT_EQ(outputs(c)[1], simulation.get("arm.tip.y"));
  EXPECT_EQ(set(c, first_parameter, 2), fmi2Error);
  ASSERT_EQ(call<decltype(fmi2Reset)>("fmi2Reset")(c), fmi2OK);
  EXPECT_EQ(set(c, first_parameter, 1), fmi2OK);
}

TEST_F(Fmu, RefusesWhatDoesNotFitAndSaysWhy) {
  EXPECT_EQ(instance("{00000000-0000-0000-0000-000000000000}"), nullptr);
  EXPECT_NE(last().find("guid"), std::string::npos) << last();
  fmi2Component c = started();
  EXPECT_EQ(set(c, 77, 1), fmi2Error);
  EXPECT_NE(last().find("77"), std::string::npos);
  EXPECT_EQ(step(c, 0.5, 0.1), fmi2Error);
  EXPECT_NE(last().find("where the last one ended"), std::string::npos);
  EXPECT_EQ(step(c, 0, -0.1), fmi2Error);
  EXPECT_EQ(call<decltype(fmi2SetupExperiment)>("fmi2SetupExperiment")(c, 0, 0, 1, 0, 0), fmi2Error);
  EXPECT_THROW(export_fmu(*mechanism::Mechanism::compile(pendulum_model()), {"A.angel"}, (folder_ / "x.fmu").string()),
               ModelError);
  EXPECT_THROW(export_fmu(*mechanism::Mechanism::compile(pendulum_model()), asked, (folder_ / "no" / "x.fmu").string()),
               OutputError);
}

TEST_F(Fmu, OfTheSameModelIsTheSameFile) {
  export_fmu(*mechanism::Mechanism::compile(pendulum_model()), asked, (folder_ / "again.fmu").string());
  const auto bytes = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  EXPECT_EQ(bytes(folder_ / "again.fmu"), bytes(folder_ / "unit.fmu"));
}

}  // namespace
}  // namespace mortise::io
