#include "support/compile.h"

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::test {

using mechanism::Mechanism;
using model::Model;

std::unique_ptr<Mechanism> compile(const std::string& text, const std::vector<std::string>& settings) {
  return Mechanism::compile(
      std::make_shared<const Model>(io::load_model_text(text, "model.yaml", mechanism::catalogue(), settings)));
}

std::unique_ptr<Mechanism> compile_example(const std::string& name, const std::vector<std::string>& settings) {
  const std::string path = MORTISE_SOURCE_DIR "/examples/" + name + ".yaml";
  return Mechanism::compile(std::make_shared<const Model>(io::load_model(path, mechanism::catalogue(), settings)));
}

}  // namespace mortise::test
