// What holds for any text as a robot file: it is imported or refused with a ModelError, and what is imported is a model
// that is built or refused the same way, whose stored text gives the same model again. A small one is compiled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "mortise/io/import/import.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::fuzz {

inline void import_robot(const std::string& text) {
  const auto require = [](bool claim) {
    if (!claim) std::abort();
  };
  // A line `#sidecar` parts the robot from its sidecar.
  const std::string mark = "\n#sidecar\n";
  const std::size_t cut = text.find(mark);
  try {
    const io::Imported read =
        io::import_text(text.substr(0, cut), "fuzz", cut == std::string::npos ? "" : text.substr(cut + 1), "sidecar");
    for (const Diagnostic& note : read.notes) require(note.warning && !render(note).empty());
    const model::Model m = model::build(read.root, mechanism::catalogue());
    require(io::load_model_text(m.text, "stored", mechanism::catalogue()).text == m.text);
    int copies = 0;
    for (const model::Item& item : m.items) copies += std::min(item.count, 1000);
    if (copies <= 200) mechanism::Mechanism::compile(std::make_shared<const model::Model>(m));
  } catch (const ModelError& e) {
    require(!e.diagnostics().empty());
    for (const Diagnostic& d : e.diagnostics()) require(!render(d).empty());
  }
}

}  // namespace mortise::fuzz
