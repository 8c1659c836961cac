// Rigid contacts of many bodies, for the integrator `contact-stepping`:
//
//     0 ≤ p ⊥ gap ≥ 0,   |p_t| ≤ µ p,   sliding friction against the slip,   γ⁺ ≥ e |γ⁻| at impacts
//
// Shapes and pairs: mechanism/contact/contact_set.h; how steps are made: integrate/contact/contact_stepping.h.
#include "mortise/mechanism/contact/rigid_contacts.h"
#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

void build_contact_rigid(const ItemCopy& item, Builder& builder) {
  auto set = std::make_shared<ContactSet>(read_contact_set(item, builder));
  Event& event = builder.add_event(RigidContacts::own_slots + builder.mechanism().pattern().n());
  event.kind = Event::Kind::rigid;
  set->slot = event.slot;
  event.contacts = set;
  const int force = builder.add_force_entry(item, {ForceScalar::force, "penetration"});
  builder.force_group<RigidContactForce>().items.push_back({force, event.slot, item.place()});
}

}  // namespace

Part contact_rigid() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields = contact_fields();
  for (model::FieldSpec field : {model::FieldSpec{"friction", FieldKind::number, false, "0", "", "Coulomb's µ", {}},
                                 model::FieldSpec{"rest_speed",
                                                  FieldKind::number,
                                                  false,
                                                  "that of two steps of free motion",
                                                  "m/s",
                                                  "slower approaches do not bounce",
                                                  {}}}) {
    field.minimum = 0;
    fields.push_back(field);
  }
  return {
      {model::Section::force,
       "contact-rigid",
       {"rigid-contact", "collisions"},
       "rigid contact of many bodies by their shapes, with restitution and friction (integrator contact-stepping)",
       true,
       true,
       fields,
       0,
       0},
      build_contact_rigid,
      {R"(
0 ≤ p ⊥ gap ≥ 0,        |p_t| ≤ µ p, sliding friction against the slip        µ: `friction`
rate of the gap after an impact ≥ e · speed of approach                        e: `restitution`
)",
       R"(Shapes are those of the bodies' `geometry` (spheres, capsules, boxes; in the plane discs and boxes) and of `ground`,
where `plane: normal` is a half-space through `at` whose normal points outwards. Bodies that a joint connects do not
touch unless `joined: true`. It needs `analysis: {integrator: contact-stepping, step: …}`. `force` is the sum of all
normal forces, `penetration` the deepest one, `fx` … the force of the ground on the bodies, all of the last step.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  ball: {mass: 1, inertia: 0.004, at: [0, 0.6], velocity: [1, 0], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 1]}}, restitution: 0.7, friction: 0.3}
analysis: {until: 0.6, integrator: contact-stepping, step: 1e-3}
)"}};
}

}  // namespace mortise::mechanism
