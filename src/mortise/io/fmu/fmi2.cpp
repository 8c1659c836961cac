// The functions that a master calls. Exceptions end here, in a message to its logger and a status.
#include "mortise/io/fmu/fmi2.h"

#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "mortise/error.h"
#include "mortise/io/fmu/instance.h"

namespace {

using mortise::io::FmuInstance;

struct Component {
  std::string name;
  fmi2CallbackFunctions callbacks{};
  std::unique_ptr<FmuInstance> instance;
  double last = 0;
  bool failed = false;
};

void tell(const Component& c, const char* category, const std::string& message) {
  if (c.callbacks.logger)
    c.callbacks.logger(c.callbacks.componentEnvironment, c.name.c_str(), fmi2Error, category, "%s", message.c_str());
}

template <class Action>
fmi2Status guarded(fmi2Component component, Action&& action) {
  auto* c = static_cast<Component*>(component);
  if (!c) return fmi2Error;
  try {
    action(*c);
    return fmi2OK;
  } catch (const std::exception& error) {
    tell(*c, "logStatusError", error.what());
  } catch (...) {
    tell(*c, "logStatusFatal", "an unknown failure");
  }
  return fmi2Error;
}

fmi2Status none(fmi2Component component, std::size_t count) {
  return guarded(component, [&](Component&) {
    if (count) throw std::runtime_error("all variables are of type Real");
  });
}

// file:///folder/a%20b, file:/folder or a plain path.
std::string folder_of_uri(const std::string& uri) {
  std::string path = uri;
  if (path.starts_with("file:")) {
    path.erase(0, 5);
    if (path.starts_with("//")) path.erase(0, path.find('/', 2) == std::string::npos ? 2 : path.find('/', 2));
  }
  std::string out;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (path[k] == '%' && k + 2 < path.size()) {
      out += static_cast<char>(std::stoi(path.substr(k + 1, 2), nullptr, 16));
      k += 2;
    } else {
      out += path[k];
    }
  }
  return out;
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() { return "default"; }
const char* fmi2GetVersion() { return "2.0"; }
fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean, std::size_t, const fmi2String[]) { return fmi2OK; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean, fmi2Boolean) {
  auto component = std::make_unique<Component>();
  component->name = name ? name : "";
  if (callbacks) component->callbacks = *callbacks;
  const fmi2Status status = guarded(component.get(), [&](Component& c) {
    if (type != fmi2CoSimulation) throw std::runtime_error("this unit is for co-simulation only");
    if (!guid || !resources) throw std::runtime_error("the guid or the place of the resources is missing");
    c.instance = std::make_unique<FmuInstance>(folder_of_uri(resources), guid);
  });
  return status == fmi2OK ? component.release() : nullptr;
}

void fmi2FreeInstance(fmi2Component component) { delete static_cast<Component*>(component); }

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean, fmi2Real) {
  return guarded(component, [&](Component& c) {
    if (start != 0) throw std::runtime_error("the model begins at time 0: set the start time to 0");
    if (tolerance_defined && !(tolerance > 0 && tolerance < 1))
      throw std::runtime_error("a tolerance lies between 0 and 1");
    if (tolerance_defined) c.instance->set_tolerance(tolerance);
  });
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return guarded(component, [](Component& c) { c.instance->begin(); });
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return guarded(component, [](Component& c) { c.last = c.instance->t(); });
}

fmi2Status fmi2Terminate(fmi2Component component) {
  return guarded(component, [](Component&) {});
}

fmi2Status fmi2Reset(fmi2Component component) {
  return guarded(component, [](Component& c) {
    c.instance->reset();
    c.last = 0;
    c.failed = false;
  });
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], std::size_t count, fmi2Real value[]) {
  return guarded(component, [&](Component& c) {
    for (std::size_t k = 0; k < count; ++k) value[k] = c.instance->get(vr[k]);
  });
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], std::size_t count,
                       const fmi2Real value[]) {
  return guarded(component, [&](Component& c) {
    for (std::size_t k = 0; k < count; ++k) c.instance->set(vr[k], value[k]);
  });
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference[], std::size_t n, fmi2Integer[]) {
  return none(c, n);
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference[], std::size_t n, fmi2Boolean[]) {
  return none(c, n);
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference[], std::size_t n, fmi2String[]) {
  return none(c, n);
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference[], std::size_t n, const fmi2Integer[]) {
  return none(c, n);
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference[], std::size_t n, const fmi2Boolean[]) {
  return none(c, n);
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference[], std::size_t n, const fmi2String[]) {
  return none(c, n);
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return guarded(component, [&](Component& c) {
    auto saved = std::make_unique<FmuInstance::Saved>(c.instance->save());
    if (*state)  // of an earlier call: filled anew
      *static_cast<FmuInstance::Saved*>(*state) = std::move(*saved);
    else
      *state = saved.release();
  });
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return guarded(component, [&](Component& c) {
    if (!state) throw std::runtime_error("there is no state to go back to");
    c.instance->restore(*static_cast<FmuInstance::Saved*>(state));
    c.last = c.instance->t();
    c.failed = false;
  });
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return guarded(component, [&](Component&) {
    if (!state) return;
    delete static_cast<FmuInstance::Saved*>(*state);
    *state = nullptr;
  });
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, std::size_t* size) {
  return guarded(component, [&](Component& c) {
    if (!state) throw std::runtime_error("there is no state");
    *size = c.instance->serialize(*static_cast<FmuInstance::Saved*>(state)).size();
  });
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], std::size_t size) {
  return guarded(component, [&](Component& c) {
    if (!state) throw std::runtime_error("there is no state");
    const std::vector<std::byte> out = c.instance->serialize(*static_cast<FmuInstance::Saved*>(state));
    if (out.size() > size) throw std::runtime_error("the state needs more bytes than there are");
    std::memcpy(bytes, out.data(), out.size());
  });
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], std::size_t size,
                                   fmi2FMUstate* state) {
  return guarded(component, [&](Component& c) {
    FmuInstance::Saved saved = c.instance->deserialize(reinterpret_cast<const std::byte*>(bytes), size);
    if (*state)
      *static_cast<FmuInstance::Saved*>(*state) = std::move(saved);
    else
      *state = new FmuInstance::Saved(std::move(saved));
  });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference[], std::size_t,
                                        const fmi2ValueReference[], std::size_t, const fmi2Real[], fmi2Real[]) {
  return guarded(component, [](Component&) { throw std::runtime_error("directional derivatives are not offered"); });
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                                       const fmi2Integer[], const fmi2Real[]) {
  return guarded(component, [&](Component&) {
    if (count) throw std::runtime_error("inputs are held between communication points: derivatives are not used");
  });
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                                        const fmi2Integer[], fmi2Real[]) {
  return guarded(component, [&](Component&) {
    if (count) throw std::runtime_error("derivatives of outputs are not offered: name rates as outputs");
  });
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real current, fmi2Real step, fmi2Boolean) {
  return guarded(component, [&](Component& c) {
    if (!c.instance->running()) throw std::runtime_error("a step before the initialisation");
    if (c.failed) throw std::runtime_error("the last step failed: go back to a saved state, or reset");
    const double rounding = 1e-9 * (std::abs(current) + std::abs(step));
    if (!(step > 0) || !std::isfinite(step)) throw std::runtime_error("expected a step above 0");
    if (std::abs(current - c.instance->t()) > rounding)
      throw std::runtime_error("the step does not begin where the last one ended");
    c.failed = true;
    c.instance->advance_to(current + step);
    c.failed = false;
    c.last = c.instance->t();
  });
}

fmi2Status fmi2CancelStep(fmi2Component component) {
  return guarded(component, [](Component&) { throw std::runtime_error("steps are not asynchronous"); });
}

fmi2Status fmi2GetRealStatus(fmi2Component component, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  return guarded(component, [&](Component& c) { *value = c.last; });
}
fmi2Status fmi2GetBooleanStatus(fmi2Component component, fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  return guarded(component, [&](Component&) { *value = 0; });
}
fmi2Status fmi2GetStatus(fmi2Component, fmi2StatusKind, fmi2Status*) { return fmi2Discard; }
fmi2Status fmi2GetIntegerStatus(fmi2Component, fmi2StatusKind, fmi2Integer*) { return fmi2Discard; }
fmi2Status fmi2GetStringStatus(fmi2Component, fmi2StatusKind, fmi2String*) { return fmi2Discard; }

}  // extern "C"
