// Contacts by springs that store and return (a share of) the energy of impacts, with any integrator: contact_springs.h
// has the law. The stiffness is given, or follows from how long an elastic impact lasts, k = µ (π/T)², with the reduced
// mass µ of the pair; with a fixed step h and nothing given T = 20 h: twenty steps resolve it.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mortise/mechanism/contact/contact_springs.h"
#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

constexpr std::size_t most_pairs = 5000;

// The balls of a piece against another one: what touches at one point. Empty: they would touch at several.
std::vector<ContactPiece> balls(const ContactPiece& of, const ContactPiece& other) {
  std::vector<ContactPiece> out;
  const ContactShape& shape = of.at.shape;
  const auto add = [&](const Eigen::Vector3d& p, double radius) {
    ContactPiece ball = of;
    ball.at.p = of.at.p + of.at.R * p;
    ball.at.shape = {};
    ball.at.shape.flat = shape.flat;
    ball.at.shape.radius = radius;
    out.push_back(ball);
  };
  if (shape.kind == ShapeKind::sphere) add(Eigen::Vector3d::Zero(), shape.radius);
  if (other.at.shape.kind != ShapeKind::plane) return out;
  if (shape.kind == ShapeKind::capsule)
    for (const double end : {-1.0, 1.0}) add(end * shape.half_length * Eigen::Vector3d::UnitZ(), shape.radius);
  if (shape.kind == ShapeKind::box)
    for (int k = 0; k < (shape.flat ? 4 : 8); ++k) {
      Eigen::Vector3d corner = Eigen::Vector3d::Zero();
      for (int i = 0; i < (shape.flat ? 2 : 3); ++i) corner[i] = (k >> i & 1 ? 1 : -1) * shape.half[i];
      add(corner, 0);
    }
  return out;
}

double mass_of(const Mechanism& m, int body) {
  return body == ground ? std::numeric_limits<double>::infinity() : m.bodies()[index(body)].mass;
}

std::string name_of(const Mechanism& m, int body) {
  return body == ground ? "ground" : m.name(m.bodies()[index(body)].ref);
}

void build_contact_spring(const ItemCopy& item, Builder& builder) {
  const Mechanism& m = builder.mechanism();
  const ContactSet set = read_contact_set(item, builder);
  const double step = m.model().analysis.step;
  if (item.has("stiffness") && item.has("duration"))
    Builder::fail("M493", fmt::format("'{}' has a stiffness and a duration", item.name()), item.place("duration"),
                  "give one of the two");
  if (!item.has("stiffness") && !item.has("duration") && !(step > 0))
    Builder::fail("M493", fmt::format("'{}' needs a stiffness", item.name()), item.place(),
                  "`stiffness: 1e6`, or `duration:` of an elastic impact; a fixed `analysis.step` decides it, too");
  for (const char* field : {"stiffness", "duration"})
    if (item.has(field) && !(item.number(field) > 0))
      Builder::fail("M493", fmt::format("'{}' must be above zero", field), item.place(field));

  ContactSprings& all = builder.force_group<ContactSprings>();
  all.mechanism = &m;
  const int force = builder.add_force_entry(item, {ForceScalar::force, "penetration"});
  ContactSprings::Item entry{force, all.pairs.size(), 0, item.place()};
  const int count = static_cast<int>(set.pieces.size());
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      if (!set.may_touch(i, j)) continue;
      const ContactPiece* a = &set.pieces[index(i)];
      const ContactPiece* b = &set.pieces[index(j)];
      std::vector<ContactPiece> ends = balls(*a, *b);
      if (ends.empty()) {
        std::swap(a, b);
        ends = balls(*a, *b);
      }
      if (ends.empty())
        Builder::fail("M494",
                      fmt::format("'{}': {} and {} would touch at more than one point", item.name(),
                                  name_of(m, a->body), name_of(m, b->body)),
                      item.place(),
                      "springs act between a sphere and any shape, and on planes; or type: contact-rigid");
      for (std::size_t k = 0; k < ends.size(); ++k) {
        if (all.pairs.size() - entry.begin == most_pairs)
          Builder::fail("M494", fmt::format("'{}' has more than {} pairs", item.name(), most_pairs), item.place(),
                        "fewer bodies, or type: contact-rigid, which looks for those that are near");
        ContactSprings::Pair pair;
        pair.ball = ends[k];
        pair.other = *b;
        pair.mass = 1 / (1 / mass_of(m, a->body) + 1 / mass_of(m, b->body));
        const double lasts = item.has("duration") ? item.number("duration") : 20 * step;
        pair.k = item.has("stiffness") ? item.number("stiffness") : pair.mass * std::pow(std::numbers::pi / lasts, 2);
        pair.eta = set.restitution * set.restitution;
        pair.damping = 2 * std::sqrt(pair.k * pair.mass);
        pair.item = force;
        all.names.push_back(fmt::format("-{}-{}", name_of(m, a->body), name_of(m, b->body)) +
                            (ends.size() > 1 ? fmt::format("-{}", k + 1) : ""));
        pair.event = builder.event_count();
        Event& event = builder.add_event(ContactSprings::slots);
        event.kind = Event::Kind::spring;
        event.ref.part = all.names.back().c_str();
        event.springs = &all;
        event.pair = static_cast<int>(all.pairs.size());
        pair.slot = event.slot;
        all.pairs.push_back(std::move(pair));
      }
    }
  entry.end = all.pairs.size();
  all.items.push_back(entry);
}

}  // namespace

Part contact_spring() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields = contact_fields();
  fields.push_back({"stiffness", FieldKind::number, false, "", "N/m", "of the spring while it is pressed", {}});
  fields.push_back({"duration",
                    FieldKind::number,
                    false,
                    "20 fixed steps",
                    "s",
                    "instead of a stiffness: how long an elastic impact of two free bodies lasts",
                    {}});
  return {
      {model::Section::force,
       "contact-spring",
       {"penalty-contact"},
       "contact of bodies by springs that store the energy of an impact and return a share of it; any integrator",
       true,
       true,
       fields,
       0,
       0},
      build_contact_spring,
      {R"(
pressed     f = k x                          x: penetration, k: `stiffness`
released    f = (k/e²)(x − (1 − e²) x_max)   e: `restitution`; e² of the energy comes back
lasts       (π/2) √(µ/k) (1 + e)             µ: reduced mass
)",
       R"(The spring appears when the gap closes and vanishes when it has given back its share; forces are equal and opposite,
without friction. What does not come back is dissipated. Bodies too slow to leave come to rest on a damped spring.
Pairs are a sphere with any shape, and capsules and boxes (by their ends and corners) with planes. `force` is the sum of
the forces, `penetration` the deepest one. Each pair is an event, ITEM-BODY-BODY, in the ledger of the result.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  ball: {mass: 1, inertia: 0.004, at: [0, 0.6], geometry: {skin: {sphere: 0.1}}}
forces:
  bounce: {type: contact-spring, ground: {floor: {plane: [0, 1]}}, restitution: 0.7, stiffness: 1e6}
analysis: {until: 0.6}
)"}};
}

}  // namespace mortise::mechanism
