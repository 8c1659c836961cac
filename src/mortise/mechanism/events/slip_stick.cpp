// Slip and stick of rolling and no-slip rows: the rows hold while the friction that they need is there,
//
//   stick   A v + ∂φ/∂t = 0,      |λ| ≤ µ_s N
//   slide   rows off,             Q −= Aᵀλ,   λ = µ_k N s/|s|,   s = A v + ∂φ/∂t
//
// Source: specs/gigsp-and-genetic.md §2, intermittent rows (4.22), with the friction in the direction of the rows.
#include <fmt/format.h>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

void build_slip_stick(const ItemCopy& item, Builder& builder) {
  const std::string name = item.text("joint");
  const Constraint& c = builder.joint(item, "joint");
  std::vector<int> rows;
  for (int row = c.row; row < c.row + c.rows; ++row)
    if (builder.is_velocity_row(row)) rows.push_back(row);
  if (rows.empty() || rows.size() > 3)
    Builder::fail("M465", fmt::format("joint '{}' has no velocity row that could slip", name), item.place("joint"),
                  "rows of speeds can: no-slip, row, speed-coupling, rolling-sphere; an integrated rolling row cannot, "
                  "write it as a row: {type: row, coefficients: {disc.vx: 1, disc.wz: R}}");
  const bool by_load = item.has("coefficient");
  if (by_load == item.has("force"))
    Builder::fail("M465", fmt::format("event '{}' needs either 'force' or 'coefficient' and 'normal'", item.name()),
                  item.place(), "coefficient: 0.3, normal: guide.reaction.fy; or force: 17");
  if (by_load != item.has("normal"))
    Builder::fail("M465", "'coefficient' and 'normal' go together", item.place(by_load ? "coefficient" : "normal"));
  model::Function normal;
  normal.expression = formula::Expression(1.0);
  if (by_load) normal = item.formulas("normal").front();
  const double kinetic = item.number(by_load ? "coefficient" : "force");
  const char* field = by_load ? "static_coefficient" : "static_force";
  if (item.has(by_load ? "static_force" : "static_coefficient"))
    Builder::fail("M465",
                  fmt::format("'{}' does not go with '{}'", by_load ? "static_force" : "static_coefficient",
                              by_load ? "coefficient" : "force"),
                  item.place());
  Event& event = builder.add_event(1 + static_cast<int>(rows.size()));
  event.kind = Event::Kind::slip;
  event.rows = rows;
  event.static_ = item.number(field, kinetic);
  event.latch = item.flag("latch", false);
  event.band = item.number("band", 0);
  if (event.static_ < kinetic)
    Builder::fail("M465", fmt::format("'{}' is below that of sliding", field), item.place(field),
                  "what starts to slide would stick at once");
  builder.add_row_friction(item, normal, kinetic, "");
}

}  // namespace

Part slip_stick() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"joint", FieldKind::joint, true, "", "", "whose velocity rows hold while friction lasts", {}},
      {"coefficient", FieldKind::number, false, "", "", "of sliding friction", {}},
      {"static_coefficient", FieldKind::number, false, "coefficient", "", "up to which it sticks", {}},
      {"normal",
       FieldKind::function,
       false,
       "",
       "N",
       "normal load: a number, or of quantities (guide.reaction.fy)",
       {}},
      {"force", FieldKind::number, false, "", "N", "of sliding friction, instead of coefficient and load", {}},
      {"static_force", FieldKind::number, false, "force", "N", "up to which it sticks", {}},
      {"latch", FieldKind::flag, false, "false", "", "once its slip has ended it never slips again", {}},
      {"band",
       FieldKind::number,
       false,
       "0",
       "m/s",
       "a slip below this counts as none, without an impulse: what is left of it is for the stabilisation",
       {}}};
  for (model::FieldSpec& f : fields)
    if (f.kind == FieldKind::number) f.minimum = 0;
  return {
      {model::Section::event,
       "slip-stick",
       {"stick-slip", "friction-cone"},
       "velocity rows (rolling, no slip) that hold while |friction| ≤ µN, and slide with it otherwise",
       true,
       true,
       fields,
       0,
       0},
      build_slip_stick,
      {R"(
stick   A v + ∂φ/∂t = 0     while |λ| ≤ static_coefficient |N|   (or static_force)
slide   Q −= Aᵀλ,   λ = coefficient |N| s/|s|   (or force),   s = A v + ∂φ/∂t
)",
       R"(λ is the multiplier of the joint's velocity row as the row is written: for `disc.vx + R disc.wz = 0` it is a force at the
rim. The direction of the slip is latched when it begins. It sticks where the slip reaches zero and the friction that
sticking needs is there; else it slides the other way. A load N of a reaction is solved together with the friction, at
every evaluation. Several rows (a rolling ball) have a common cone. At the start it slides where there is slip, else it
sticks if friction suffices. `EVENT.force` is the friction while it slides; `EVENT.state` is 1 where it sticks and 2
where it slides.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  disc: {mass: 2, inertia: 0.01, at: [0, 0.1], angular_velocity: -30, points: {rim: [0, 0.1]}}
joints:
  floor: {type: coordinate, body: disc, coordinate: y, value: 0.1}
  rolling: {type: row, coefficients: {disc.vx: 1, disc.wz: 0.1}}
events:
  grip: {type: slip-stick, joint: rolling, coefficient: 0.3, normal: floor.reaction.fy}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
