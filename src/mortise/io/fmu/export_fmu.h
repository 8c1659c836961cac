// A model as a Functional Mock-up Unit: FMI 2.0, co-simulation.
//
//     modelDescription.xml              variables: inputs and parameters of the model, chosen quantities as outputs
//     binaries/linux64/NAME.so          all of libmortise with the interface of FMI: needs no installed Mortise
//     resources/model.yaml, outputs.txt the model and what is asked of it
//
// The unit can be moved and copied; it needs the shared libraries of the system that Mortise needs (docs/exchange.md).
#pragma once

#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::io {

struct FmuReport {
  std::string file, guid, identifier;
  std::size_t inputs = 0, parameters = 0, outputs = 0;
};

// `outputs` are names of quantities. Throws ModelError (M160) for one that the model does not have, OutputError.
FmuReport export_fmu(const mechanism::Mechanism& mechanism, const std::vector<std::string>& outputs,
                     const std::string& file);

// The text of modelDescription.xml.
std::string fmu_description(const mechanism::Mechanism& mechanism, const std::vector<std::string>& outputs);

}  // namespace mortise::io
