// Any text is either a model or refused with a ModelError; a model's stored text gives the same model again, every
// field of its first and last copies can be read or is refused with a ModelError, and a small model compiles into a
// mechanism that can be evaluated, or is refused the same way.
//
// A first line `#set path=value` is applied as `--set`.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace {

using namespace mortise;

void require(bool claim) {
  if (!claim) std::abort();
}

void read_fields(const model::Model& m, const model::Item& item, int copy) {
  const model::ItemCopy c(m, item, copy);
  require(!c.name().empty());
  for (const model::Field& field : item.fields) try {
      const std::string& name = field.spec->name;
      switch (field.spec->kind) {
        case model::FieldKind::function:
          c.function(name);
          break;
        case model::FieldKind::function_vector:
          require(std::ssize(c.functions(name)) == m.dimension);
          break;
        case model::FieldKind::attachment:
          c.attachment(name);
          break;
        case model::FieldKind::attachments:
          c.attachments(name);
          break;
        case model::FieldKind::joint:
        case model::FieldKind::body:
        case model::FieldKind::text:
        case model::FieldKind::choice:
          c.text(name);
          break;
        case model::FieldKind::number:
        case model::FieldKind::angle:
          c.number(name);
          break;
        case model::FieldKind::orientation:
          require(std::abs(c.orientation(name).norm() - 1) < 1e-9);
          break;
        case model::FieldKind::joints:
          c.joints(name);
          break;
        case model::FieldKind::pair:
          c.pair(name);
          break;
        case model::FieldKind::terms:
          c.terms(name);
          break;
        case model::FieldKind::row_terms:
          c.row_terms(name);
          c.row_variables(name);
          break;
        case model::FieldKind::row_function:
          c.row_function(name);
          c.row_variables(name);
          break;
        case model::FieldKind::frame_map:
          c.frame_map(name);
          break;
        default:
          break;
      }
    } catch (const ModelError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> settings;
  if (text.starts_with("#set ")) settings.push_back(text.substr(5, text.find('\n') - 5));
  try {
    const model::Model m = io::load_model_text(text, "fuzz", mechanism::catalogue(), settings);
    for (const model::Item& item : m.items) {
      if (item.count > 0) read_fields(m, item, 0);
      if (item.count > 1) read_fields(m, item, item.count - 1);
    }
    const model::Model again = io::load_model_text(m.text, "stored", mechanism::catalogue());
    require(again.text == m.text);
    require(again.items.size() == m.items.size());
    require(again.parameter_values == m.parameter_values);
    // A small one is compiled and evaluated too.
    int copies = 0;
    for (const model::Item& item : m.items) copies += std::min(item.count, 1000);
    if (copies > 200) return 0;
    const auto mechanism = mechanism::Mechanism::compile(std::make_shared<const model::Model>(m));
    Evaluation evaluation;
    evaluation.resize(mechanism->pattern());
    const auto scratch = mechanism->make_scratch();
    mechanism->evaluate(mechanism->initial_state(), need_dynamics | need_energy, *scratch, evaluation);
  } catch (const ModelError& e) {
    require(!e.diagnostics().empty());
    require(e.diagnostics().size() <= 21);
  }
  return 0;
}
