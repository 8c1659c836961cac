// Parts that call Python: forces, torques, drivers and rows as functions of named quantities and coordinates.
//
//   forces:   {drag:  {type: python-force, body: puck, of: puck.vx puck.vy, function: drag}}
//   joints:   {wire:  {type: python-row, of: bead.x bead.y, function: wire}}
//   drivers:  {motor: {type: python-driver, of: A.angle, function: motor}}
//
// `function` is a name in the `functions` that the model was loaded with; `of` lists the arguments by name. Forces may
// use every quantity (reactions too: they are found together with the force, as for formulas). The functions of rows
// and drivers give their derivatives along (mortise/dual.py makes them from plain functions).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <sstream>

#include "bindings.h"

namespace mortise::python {

namespace {

using namespace mechanism;
using model::FieldKind;
using model::FieldSpec;
using model::ItemCopy;

std::vector<std::string> words(std::string text) {
  for (char& c : text)
    if (c == ',') c = ' ';
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

Callback find(const Functions& functions, const ItemCopy& item, const char* field) {
  const std::string name = item.text(field);
  if (const auto found = functions.find(name); found != functions.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, f] : functions) names.push_back(known);
  const std::string near = nearest_name(name, names);
  Builder::fail("M191", fmt::format("there is no Python function '{}'", name), item.place(field),
                !near.empty()   ? fmt::format("did you mean '{}'?", near)
                : names.empty() ? fmt::format("pass it: functions={{\"{}\": …}}", name)
                                : fmt::format("functions: {}", fmt::join(names, ", ")));
}

// The function of an item with its arguments, and how messages call it.
struct Law {
  Callback function, potential;
  std::string who;
  std::size_t arguments = 0;

  template <std::size_t N>
  std::array<double, N> operator()(const Callback& f, const Formulas& formulas) const {
    std::array<double, 64> x;
    for (std::size_t k = 0; k < arguments; ++k) x[k] = formulas.read(k);
    std::array<double, N> out;
    f(ConstSpan(x.data(), arguments), out, who);
    return out;
  }
  // The work of a load: stored where a potential is given, else applied.
  template <class Load>
  void account(double power, const Formulas& f, Load& out) const {
    if (!potential)
      out.applied = power;
    else if (f.energy())
      out.potential = operator()<1>(potential, f)[0];
  }
};

template <int D>
using Frame = typename Space<D>::Frame;

// What acts on b, and on a the opposite at the same place, as a potential where one is given, else as applied power.
struct Force2 {
  static constexpr int dimension = 2;
  Law law;
  bool in_body = false;
  void operator()(const Frame2<double>& a, const Frame2<double>& b, const Formulas& f, Load<2>& out) const {
    const auto [x, y] = law.operator()<2>(law.function, f);
    out.force = in_body ? Eigen::Vector2d(x * b.x + y * perp(b.x)) : Eigen::Vector2d(x, y);
    law.account(out.force.dot(b.v - a.v - a.w * perp((b.p - a.p).eval())), f, out);
  }
};

struct Force3 {
  static constexpr int dimension = 3;
  Law law;
  bool in_body = false;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, const Formulas& f, Load<3>& out) const {
    const auto values = law.operator()<3>(law.function, f);
    const Eigen::Vector3d value(values[0], values[1], values[2]);
    out.force = in_body ? Eigen::Vector3d(b.E * value) : value;
    law.account(out.force.dot(b.v - a.v - a.w.cross(b.p - a.p)), f, out);
  }
};

struct Torque2 {
  static constexpr int dimension = 2;
  Law law;
  bool in_body = false;
  void operator()(const Frame2<double>& a, const Frame2<double>& b, const Formulas& f, Load<2>& out) const {
    out.torque = law.operator()<1>(law.function, f)[0];
    law.account(out.torque * (b.w - a.w), f, out);
  }
};

struct Torque3 {
  static constexpr int dimension = 3;
  Law law;
  bool in_body = false;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, const Formulas& f, Load<3>& out) const {
    const auto values = law.operator()<3>(law.function, f);
    const Eigen::Vector3d value(values[0], values[1], values[2]);
    out.torque = in_body ? Eigen::Vector3d(b.E * value) : value;
    law.account(out.torque.dot(b.w - a.w), f, out);
  }
};

template <class Planar, class Spatial>
void build_load(const Functions& functions, const ItemCopy& item, Builder& builder) {
  Law law;
  law.function = find(functions, item, "function");
  if (item.has("potential")) law.potential = find(functions, item, "potential");
  law.who = fmt::format("the Python function of '{}'", item.name());
  ForceTraits traits;
  for (const std::string& name : words(item.text("of", "t"))) traits.reads.push_back({name, item.place("of")});
  law.arguments = traits.reads.size();
  if (law.arguments > 64)
    Builder::fail("M192", fmt::format("'{}' has {} arguments", item.name(), law.arguments), item.place("of"),
                  "at most 64 are possible");
  if (item.has("body") == item.has("between"))
    Builder::fail("M192", fmt::format("'{}' needs either 'body' or 'between'", item.name()), item.place(),
                  "body: what it acts on; between: the opposite acts on the first of two");
  std::array<Anchor, 2> at;
  if (item.has("between"))
    at = builder.two_points(item);
  else
    at[1] = builder.anchor(item.attachment("body"));
  if (at[0].body == ground && at[1].body == ground)
    Builder::fail("M149", "a force on the ground moves nothing", item.place(item.has("body") ? "body" : "between"));
  const bool in_body = item.text("in", "world") == "body";
  if (builder.planar())
    builder.add_force(item, Planar{law, in_body}, at[0], at[1], {}, item.place("function"), traits);
  else
    builder.add_force(item, Spatial{law, in_body}, at[0], at[1], {}, item.place("function"), traits);
}

// A coordinate that follows a function of time: the kernel asks for the jet (f, f', f'') itself.
template <int D, bool Angular>
struct Follow {
  static constexpr int dimension = D, rows = 1;
  static constexpr bool driven = true;
  static constexpr std::array<RowInfo, 1> info{{{Angular ? "turn" : "along", gauss::RowKind::holonomic,
                                                 Angular ? gauss::RowUnit::angle : gauss::RowUnit::length}}};
  Callback function;
  std::string who;
  typename AnyMeasure<D>::type measure;
  bool turns = false;

  void operator()(const Frame<D>& a, const Frame<D>& b, const formula::Jet<double>& t,
                  typename Space<D>::template Rows<1>& out) const {
    std::visit([&](const auto& of) { of(a, b, out); }, measure);
    std::array<double, 3> f;
    function(ConstSpan(&t.value, 1), f, who);
    out.phi[0] = nearest_period(out.phi[0] - f[0], turns ? 2 * M_PI : 0);
    out.time[0] -= f[1];
    out.bias[0] -= f[2];
  }
};

template <int D, bool Angular>
void add_driver(const ItemCopy& item, Builder& builder, const Callback& function, const std::string& who,
                const Measured& of) {
  Follow<D, Angular> kernel{function, who, {}, of.turns};
  if constexpr (D == 2)
    kernel.measure = of.planar;
  else
    kernel.measure = of.spatial;
  static const std::array<std::string, 1> time{"t"};
  const formula::Expression t = formula::Expression::parse("t", time);
  builder.add_constraint(item, kernel, of.a, of.b, {.angle = Angular, .length = !Angular}, &t, item.place("function"));
}

void build_driver(const Functions& functions, const ItemCopy& item, Builder& builder) {
  const Callback function = find(functions, item, "function");
  const std::string who = fmt::format("the Python function of '{}'", item.name());
  const Measured of = builder.measured(item.text("of"), Builder::Names::coordinates, item.place("of"));
  if (builder.planar())
    of.angular ? add_driver<2, true>(item, builder, function, who, of)
               : add_driver<2, false>(item, builder, function, who, of);
  else
    of.angular ? add_driver<3, true>(item, builder, function, who, of)
               : add_driver<3, false>(item, builder, function, who, of);
}

// A row over one or two bodies: the kernel sees both at their centres of mass, finds each coordinate with its columns
// from there, and adds them up by the gradient that the function gives:
//
//   φ = f(x),   φ̇ = Σ f_i ẋ_i,   φ̈ = Σ f_i ẍ_i + c          the function: (x…, ẋ…) → (φ, f_1 … f_k, c)
constexpr std::size_t most_coordinates = 16;

Motion2<double> motion_of(const Frame2<double>& center) {
  return {center.p, center.v, center.angle, center.x.x(), center.x.y(), center.w};
}
Motion3<double> motion_of(const Frame3<double>& center) { return {center.p, center.v, center.w, center.E}; }

template <int D>
struct FunctionRow {
  static constexpr int dimension = D, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"row"}}};
  using Row = typename Space<D>::template Rows<1>;
  Callback function;
  std::string who;
  int first = ground;  // the body of frame a; every other body is that of frame b
  std::vector<Measured> coordinates;

  void operator()(const Frame<D>& a, const Frame<D>& b, Row& out) const {
    const auto of_a = motion_of(a), of_b = motion_of(b);
    const decltype(of_a) still;
    const auto motion = [&](int body) -> const auto& { return body == ground ? still : body == first ? of_a : of_b; };
    const std::size_t count = coordinates.size();
    std::array<Row, most_coordinates> parts;
    std::array<double, 2 * most_coordinates> arguments;
    for (std::size_t k = 0; k < count; ++k) {
      const Measured& x = coordinates[k];
      parts[k] = evaluate(x, carry(x.a, motion(x.a.body)), carry(x.b, motion(x.b.body)));
      arguments[k] = parts[k].phi[0];
      arguments[count + k] = rate(parts[k].a, motion(x.a.body)) + rate(parts[k].b, motion(x.b.body));
    }
    std::array<double, most_coordinates + 2> values;
    function(ConstSpan(arguments.data(), 2 * count), Span(values.data(), count + 2), who);
    clear(out.a), clear(out.b);
    out.phi[0] = values[0];
    out.time[0] = 0;
    out.bias[0] = values[count + 1];
    for (std::size_t k = 0; k < count; ++k) {
      const double f = values[1 + k];
      out.bias[0] += f * parts[k].bias[0];
      add(f, parts[k].a, coordinates[k].a.body, out);
      add(f, parts[k].b, coordinates[k].b.body, out);
    }
  }

 private:
  using Side = typename Row::Side;
  static double rate(const Side& side, const Motion2<double>& m) requires(D == 2) {
    return side.r[0].dot(m.v) + side.w[0] * m.w;
  }
  static double rate(const Side& side, const Motion3<double>& m) requires(D == 3) {
    return side.r[0].dot(m.v) + side.w[0].dot(m.w);
  }
  static void clear(Side& side) {
    side.r[0].setZero();
    if constexpr (D == 2)
      side.w[0] = 0;
    else
      side.w[0].setZero();
  }
  void add(double f, const Side& part, int body, Row& out) const {
    if (body == ground) return;
    Side& side = body == first ? out.a : out.b;
    side.r[0] += f * part.r[0];
    side.w[0] += f * part.w[0];
  }
};

void build_row(const Functions& functions, const ItemCopy& item, Builder& builder) {
  const Callback function = find(functions, item, "function");
  std::vector<Measured> coordinates;
  std::vector<int> bodies;
  for (const std::string& name : words(item.text("of"))) {
    coordinates.push_back(builder.measured(name, Builder::Names::coordinates, item.place("of")));
    for (const int body : {coordinates.back().a.body, coordinates.back().b.body})
      if (body != ground && std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
  }
  if (coordinates.empty() || coordinates.size() > most_coordinates || bodies.size() > 2)
    Builder::fail(
        "M193", fmt::format("'{}' uses {} coordinates of {} bodies", item.name(), coordinates.size(), bodies.size()),
        item.place("of"),
        fmt::format("a row in Python has 1 to {} coordinates of one or two bodies; formulas (type: row, coupling) "
                    "take any number of bodies",
                    most_coordinates));
  Anchor a, b;  // at the centres of mass, with the bodies' axes
  a.body = bodies.size() == 2 ? bodies[0] : ground;
  b.body = bodies.back();
  const std::string who = fmt::format("the Python function of '{}'", item.name());
  const auto add = [&](auto dimension) {
    builder.add_constraint(item, FunctionRow<decltype(dimension)::value>{function, who, a.body, coordinates}, a, b, {},
                           nullptr, item.place("function"));
  };
  if (builder.planar())
    add(std::integral_constant<int, 2>{});
  else
    add(std::integral_constant<int, 3>{});
}

Part load_part(const Functions& functions, const char* type, const char* help, const char* unit, bool torque) {
  model::PartInfo info;
  info.section = model::Section::force;
  info.type = type;
  info.help = help;
  info.fields = {
      {"body", FieldKind::attachment, false, "", "", "what it acts on: a body, or a named point or frame on it", {}},
      {"between", FieldKind::attachments, false, "", "", "or two of them: the opposite acts on the first", {}},
      {"points", FieldKind::points, false, "", "m", "one local point per body", {}},
      {"function", FieldKind::text, true, "", unit, "name of the Python function", {}},
      {"of", FieldKind::text, false, "t", "", "its arguments: names of quantities", {}},
      {"potential", FieldKind::text, false, "", "J", "name of a function of the same arguments: what is stored", {}},
      {"in", FieldKind::choice, false, "world", "", "axes of the components", {"world", "body"}}};
  return {info, [&functions, torque](const ItemCopy& item, Builder& builder) {
            torque ? build_load<Torque2, Torque3>(functions, item, builder)
                   : build_load<Force2, Force3>(functions, item, builder);
          }};
}

const FieldSpec active_field{"active", FieldKind::flag, false, "true", "", "false: it is there but off", {}};

Part driver_part(const Functions& functions) {
  model::PartInfo info;
  info.section = model::Section::driver;
  info.type = "python-driver";
  info.help = "a coordinate follows a Python function of time";
  info.rows_planar = info.rows_spatial = 1;
  info.fields = {{"of", FieldKind::text, true, "", "", "the coordinate: A.angle, A.displacement, body.x", {}},
                 {"function", FieldKind::text, true, "", "m, rad", "name of the Python function of t", {}},
                 active_field};
  return {info, [&functions](const ItemCopy& item, Builder& builder) { build_driver(functions, item, builder); }};
}

Part row_part(const Functions& functions) {
  model::PartInfo info;
  info.section = model::Section::joint;
  info.type = "python-row";
  info.help = "a Python function of coordinates stays zero";
  info.rows_planar = info.rows_spatial = 1;
  info.fields = {{"of", FieldKind::text, true, "", "", "the coordinates, by name", {}},
                 {"function", FieldKind::text, true, "", "", "name of the Python function of the coordinates", {}},
                 active_field};
  return {info, [&functions](const ItemCopy& item, Builder& builder) { build_row(functions, item, builder); }};
}

}  // namespace

Parts::Parts(Functions functions) : functions_(std::move(functions)) {
  list_.add(load_part(functions_, "python-force", "a force by a Python function of quantities", "N", false));
  list_.add(load_part(functions_, "python-torque", "a torque by a Python function of quantities", "N m", true));
  list_.add(driver_part(functions_));
  list_.add(row_part(functions_));
}

}  // namespace mortise::python
