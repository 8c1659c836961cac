#include "mortise/io/fmu/export_fmu.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <minizip/zip.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mortise/analysis/quantity.h"
#include "mortise/io/fmu/plan.h"
#include "mortise/io/results_files.h"
#include "mortise/io/results_layout.h"
#include "mortise/model/names.h"

namespace mortise::io {

namespace {

constexpr const char* fmu_module = "mortise-fmu.so";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

// Letters, digits and '_', as C has names: functions of static units are named by it.
std::string identifier_of(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, 60)) out += model::is_letter(c) || model::is_digit(c) ? c : '_';
  return out.empty() || model::is_digit(out.front()) ? "model_" + out : out;
}

// Next to the library that this function is in.
std::string read_module() {
  Dl_info here;
  std::string folder = ".";
  if (dladdr(reinterpret_cast<const void*>(&export_fmu), &here) && here.dli_fname)
    folder = std::filesystem::path(here.dli_fname).parent_path().string();
  for (const std::string& place : {folder, folder + "/../lib"}) {
    std::ifstream file(place + "/" + fmu_module, std::ios::binary);
    if (!file) continue;
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }
  throw OutputError(fmu_module, fmt::format("is not beside the library ({}): it is what a unit is made of", folder));
}

class Zip {
 public:
  explicit Zip(std::string path) : path_(std::move(path)), zip_(zipOpen64(path_.c_str(), APPEND_STATUS_CREATE)) {
    if (!zip_) throw OutputError(path_, "cannot be created");
  }
  ~Zip() {
    if (zip_) zipClose(zip_, nullptr);
  }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  void add(const std::string& name, const std::string& bytes) {
    zip_fileinfo info{};
    info.tmz_date = {0, 0, 0, 1, 0, 2000};  // the same model gives the same file
    const bool opened = zipOpenNewFileInZip64(zip_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                                              Z_BEST_SPEED, 0) == ZIP_OK;
    if (!opened || zipWriteInFileInZip(zip_, bytes.data(), static_cast<unsigned>(bytes.size())) != ZIP_OK ||
        zipCloseFileInZip(zip_) != ZIP_OK)
      throw OutputError(path_, "cannot be written (disk full?)");
  }
  void finish() {
    const int status = zipClose(zip_, nullptr);
    zip_ = nullptr;
    if (status != ZIP_OK) throw OutputError(path_, "cannot be written (disk full?)");
  }

 private:
  std::string path_;
  zipFile zip_;
};

}  // namespace

std::string fmu_guid(const std::string& model_text, const std::vector<std::string>& outputs) {
  std::string all = std::string(MORTISE_VERSION) + "\n";
  for (const std::string& output : outputs) all += output + "\n";
  const std::uint64_t first = hash_text(all + model_text), second = hash_text(model_text + all);
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", first >> 32, first >> 16 & 0xffff, first & 0xffff,
                     second >> 48, second & 0xffffffffffff);
}

std::string fmu_description(const mechanism::Mechanism& mechanism, const std::vector<std::string>& outputs) {
  const model::Model& m = mechanism.model();
  const std::string name = m.name.empty() ? "model" : m.name;
  std::string variables, listed;
  std::size_t index = 0;
  const auto add = [&](const std::string& variable, unsigned reference, const char* kind, const std::string& unit,
                       const std::string& start) {
    variables += fmt::format("    <ScalarVariable name=\"{}\" valueReference=\"{}\"{} {}><Real{}/></ScalarVariable>\n",
                             escaped(variable), reference,
                             unit.empty() ? "" : fmt::format(" description=\"unit: {}\"", escaped(unit)), kind,
                             start.empty() ? "" : " start=\"" + start + "\"");
    ++index;
  };
  for (std::size_t k = 0; k < m.input_names.size(); ++k)
    add("input." + m.input_names[k], static_cast<unsigned>(k), "causality=\"input\" variability=\"continuous\"", "",
        fmt::format("{}", m.input_values[k]));
  for (std::size_t k = 0; k < m.parameter_names.size(); ++k)
    add(m.parameter_names[k], first_parameter + static_cast<unsigned>(k),
        "causality=\"parameter\" variability=\"fixed\" initial=\"exact\"", "",
        fmt::format("{}", m.parameter_values[k]));
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    add(outputs[k], first_output + static_cast<unsigned>(k),
        "causality=\"output\" variability=\"continuous\" initial=\"calculated\"",
        analysis::find_quantity(mechanism, outputs[k]).unit, "");
    listed += fmt::format("      <Unknown index=\"{}\"/>\n", index);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"{0}\" guid=\"{1}\" generationTool=\"Mortise {2}\" "
      "variableNamingConvention=\"flat\" numberOfEventIndicators=\"0\">\n"
      "  <CoSimulation modelIdentifier=\"{3}\" canHandleVariableCommunicationStepSize=\"true\" "
      "canGetAndSetFMUstate=\"true\" "
      "canSerializeFMUstate=\"true\" canNotUseMemoryManagementFunctions=\"true\"/>\n"
      "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category name=\"logStatusFatal\"/>\n  "
      "</LogCategories>\n"
      "  <DefaultExperiment startTime=\"0\" stopTime=\"{4}\" tolerance=\"{5}\"/>\n"
      "  <ModelVariables>\n{6}  </ModelVariables>\n"
      "  <ModelStructure>\n    <Outputs>\n{7}    </Outputs>\n    <InitialUnknowns>\n{7}    </InitialUnknowns>\n"
      "  </ModelStructure>\n</fmiModelDescription>\n",
      escaped(name), fmu_guid(m.text, outputs), MORTISE_VERSION, identifier_of(name), m.analysis.until,
      m.analysis.tolerance, variables, listed);
}

FmuReport export_fmu(const mechanism::Mechanism& mechanism, const std::vector<std::string>& outputs,
                     const std::string& file) {
  const model::Model& m = mechanism.model();
  const std::string description = fmu_description(mechanism, outputs), module = read_module();
  FmuReport report{file,
                   fmu_guid(m.text, outputs),
                   identifier_of(m.name.empty() ? "model" : m.name),
                   m.input_names.size(),
                   m.parameter_names.size(),
                   outputs.size()};
  std::string listed = report.guid + "\n";
  for (const std::string& output : outputs) listed += output + "\n";
  const std::string target = output_target(file), part = part_name(target);
  try {
    Zip zip(part);
    zip.add("modelDescription.xml", description);
    zip.add("binaries/linux64/" + report.identifier + ".so", module);
    zip.add(std::string("resources/") + fmu_model_file, m.text);
    zip.add(std::string("resources/") + fmu_outputs_file, listed);
    zip.finish();
  } catch (const OutputError&) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  publish(part, target, folder_of(target));
  return report;
}

}  // namespace mortise::io
