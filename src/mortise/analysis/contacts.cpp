#include "mortise/analysis/contacts.h"

#include <fmt/format.h>

#include "mortise/integrate/contact/contact_stepping.h"
#include "mortise/mechanism/contact/rigid_contacts.h"
#include "mortise/mechanism/event.h"

namespace mortise::analysis {

void give_contacts(integrate::Integrator& integrator, const model::AnalysisSettings& settings, const System& system) {
  const auto* mechanism = dynamic_cast<const mechanism::Mechanism*>(&system);
  std::unique_ptr<mechanism::RigidContacts> contacts;
  if (mechanism) contacts = mechanism::RigidContacts::of(*mechanism);
  auto* stepping = dynamic_cast<integrate::ContactStepping*>(&integrator);
  if (stepping) return stepping->set_contacts(std::move(contacts));
  if (contacts)
    throw ModelError(Diagnostic{
        "M495", fmt::format("contact-rigid needs the integrator contact-stepping, not {}", settings.integrator),
        settings.place_integrator.known() ? settings.place_integrator : settings.place,
        "analysis: {integrator: contact-stepping, step: 1e-3}, or type: contact-spring", false});
}

void refuse_contacts(const mechanism::Mechanism& mechanism, const char* analysis) {
  using Kind = mechanism::Event::Kind;
  for (const mechanism::Event& event : mechanism.events())
    if (event.kind == Kind::rigid || event.kind == Kind::spring)
      throw ModelError(Diagnostic{"M495", fmt::format("{} would not feel contacts", analysis),
                                  mechanism.place(event.ref), "type: dynamics, or joints and springs in their place",
                                  false});
}

}  // namespace mortise::analysis
