// mortise schema: the JSON Schema of model files, written from the catalogue of parts.
#include "mortise/model/schema.h"

#include <fmt/format.h>

#include "mortise/cli/commands.h"
#include "mortise/mechanism/parts.h"

namespace mortise::cli {

void add_schema(CLI::App& app, Outcome&) {
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of model files (for editors)");
  command->callback([] { fmt::print("{}\n", model::json_schema(mechanism::catalogue())); });
}

}  // namespace mortise::cli
