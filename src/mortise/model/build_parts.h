// The steps of `model::build`, each in its own file.
#pragma once

#include "mortise/model/model.h"
#include "mortise/model/names.h"
#include "mortise/model/report.h"
#include "mortise/model/scope.h"

namespace mortise::model {

// analysis: and output: (read_settings.cpp)
AnalysisSettings read_analysis(const Node* section, const Parameters& parameters, Report& report);
OutputSettings read_output(const Node* section, const Parameters& parameters, double until, Report& report);

// The items of one section, appended to the model (read_items.cpp). `copies` counts those of all sections.
void read_items(Section section, const Node* node, const Catalogue& catalogue, const Parameters& parameters,
                Model& model, long long& copies, Report& report);

// Names are unique and references lead somewhere (references.cpp).
void check_references(const Model& model, const Parameters& parameters, Report& report);

// Values of the first and the last copy of each item are fit (check_values.cpp).
void check_values(const Model& model, Report& report);

constexpr long long most_copies = 10'000'000;  // of all items together

// The keys of a model file.
const std::vector<std::string>& model_keys();

}  // namespace mortise::model
