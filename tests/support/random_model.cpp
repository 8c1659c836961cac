#include "support/random_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "mortise/integrate/integrator.h"
#include "mortise/mechanism/parts.h"
#include "mortise/model/builder.h"
#include "mortise/model/emit.h"

namespace mortise::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::FieldKind;
using model::FieldSpec;
using model::Map;
using model::ModelBuilder;
using model::Section;
using model::Value;

// Draws that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double uniform(double a, double b) { return a + (b - a) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool chance(double p) { return uniform(0, 1) < p; }
  // A few digits: models should be readable.
  double number(double a, double b) { return std::round(uniform(a, b) * 1000) / 1000; }
  double size(double a, double b) {  // every order of magnitude alike
    return std::stod(fmt::format("{:.3g}", std::exp(uniform(std::log(a), std::log(b)))));
  }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

constexpr int ground = -1;

struct BodyDrawn {
  std::string name;
  bool particle = false;
  int parent = ground;
  Vector3d at = Vector3d::Zero(), rpy = Vector3d::Zero();
  std::optional<Vector3d> plane{};    // its normal
  std::vector<std::string> points{};  // names of points and frames

  Matrix3d R() const {
    return (Eigen::AngleAxisd(rpy.z(), Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vector3d::UnitY()) *
            Eigen::AngleAxisd(rpy.x(), Vector3d::UnitX()))
        .toRotationMatrix();
  }
  Vector3d local(const Vector3d& world) const { return R().transpose() * (world - at); }
};

struct ItemDrawn {
  const model::PartInfo* part = nullptr;
  std::string name;
  Map fields;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const Accepts& accepts)
      : dice_(seed * 0x9E3779B97F4A7C15u + 1),
        shapes_(seed * 0x9E3779B97F4A7C15u + 2),
        planar_(seed % 3 == 0),
        mixed_(seed % 3 == 2),
        builder_(planar_ ? ModelBuilder::planar(fmt::format("random {}", seed))
                         : ModelBuilder::spatial(fmt::format("random {}", seed))),
        accepts_(accepts) {}

  std::string draw() {
    builder_.gravity(list(dice_.chance(0.7) ? Vector3d(0, planar_ ? -9.81 : 0, -9.81) : somewhere(5)));
    builder_.parameter("L", dice_.size(0.2, 2)).parameter("w", "pi/L").input("u", dice_.number(-1, 1));
    builder_.add("tables", "cam", Map{{"x", {0, 0.5, 1, 1.5}}, {"y", {0, 0.1, -0.1, 0}}, {"ends", "periodic"}});
    builder_.add("tables", "rise", Map{{"x", {-1, 0, 0.5, 1}}, {"y", {-1, 0, 0.4, 1.1}}});
    draw_analysis();
    draw_bodies();
    for (int k = 0; k < static_cast<int>(bodies_.size()); ++k)
      if (dice_.chance(0.9)) add_item(Section::joint, std::pair(bodies_[static_cast<std::size_t>(k)].parent, k));
    const auto some = [&](Section section, int count) {
      for (; count > 0; --count) add_item(section, std::nullopt);
    };
    some(Section::joint, static_cast<int>(dice_.below(7)) - 4);
    some(Section::driver, static_cast<int>(dice_.below(5)) - 2);
    some(Section::force, static_cast<int>(dice_.below(5)));
    if (stepping_) add_item(Section::force, std::nullopt, "contact-rigid");
    if (dice_.chance(0.2)) add_twin(false);
    if (dice_.chance(0.1)) add_twin(true);
    return model::emit_yaml(builder_.node());
  }

 private:
  void draw_analysis() {
    Map analysis{{"until", 1}};
    if (shapes_.chance(0.08)) {
      analysis.add("integrator", "contact-stepping").add("step", shapes_.size(1e-3, 1e-2));
      builder_.analysis(analysis);
      stepping_ = true;
      return;
    }
    if (dice_.chance(0.4)) {
      analysis.add("integrator", dice_.of(integrate::flow_integrators())).add("step", dice_.size(1e-4, 1e-2));
    }
    if (dice_.chance(0.2)) analysis.add("tolerance", dice_.size(1e-11, 1e-4));
    if (dice_.chance(0.1)) analysis.add("formulation", "lagrange");
    if (dice_.chance(0.1))
      analysis.add("stabilize", "none");
    else if (dice_.chance(0.1))
      analysis.add("stabilize", Map{{"type", "baumgarte"}});
    builder_.analysis(analysis);
  }

  // --- bodies: a random tree. Point n3 of b3 and of its parent coincide, as modelled: there they may be joined.
  void draw_bodies() {
    const std::size_t count = 1 + dice_.below(8);
    for (std::size_t k = 0; k < count; ++k) {
      BodyDrawn body;
      body.name = fmt::format("b{}", k);
      body.parent = static_cast<int>(dice_.below(k + 1)) - 1;
      body.particle = dice_.chance(0.1);
      body.at = somewhere(2);
      body.rpy = planar_ ? Vector3d(0, 0, dice_.number(-1.5, 1.5)) : somewhere(1.5);
      if (body.particle || dice_.chance(0.2)) body.rpy.setZero();
      if (mixed_ && dice_.chance(0.5)) body.plane = dice_.chance(0.7) ? Vector3d(Vector3d::UnitZ()) : somewhere(1);
      const Vector3d from = body.parent == ground ? somewhere(1) : bodies_[static_cast<std::size_t>(body.parent)].at;
      nodes_.push_back(0.5 * (from + body.at) + somewhere(0.3));
      bodies_.push_back(body);
    }
    for (std::size_t k = 0; k < count; ++k) add_body(static_cast<int>(k));
  }

  void add_body(int index) {
    BodyDrawn& body = bodies_[static_cast<std::size_t>(index)];
    Map fields;
    const double mass = dice_.size(0.1, 20);
    fields.add("mass", mass).add("at", list(body.at));
    if (body.plane) fields.add("plane", list(*body.plane));
    if (dice_.chance(0.3)) fields.add("velocity", list(in_plane(body, somewhere(2))));
    if (body.particle) {
      builder_.body(body.name, "particle", fields);
      return;
    }
    fields.add("inertia", inertia(mass));
    if (!body.rpy.isZero()) {
      if (planar_)
        fields.add("angle", body.rpy.z());
      else
        fields.add("orientation", Map{{"rpy", list(body.rpy)}});
    }
    if (dice_.chance(0.3)) fields.add("center", list(somewhere(0.3)));
    if (dice_.chance(0.3)) {
      const Vector3d spin = somewhere(3);
      fields.add("angular_velocity", planar_ ? Value(spin.z()) : list(body.plane ? along_normal(body, spin) : spin));
    }
    Map points;
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (static_cast<int>(k) == index || bodies_[k].parent == index) {
        body.points.push_back(fmt::format("n{}", k));
        points.add(body.points.back(), list(body.local(nodes_[k])));
      }
    fields.add("points", points);
    if (dice_.chance(0.2)) {
      body.points.emplace_back("F");
      Map frame{{"at", list(somewhere(0.5))}};
      if (planar_)
        frame.add("angle", dice_.number(-1, 1));
      else
        frame.add("orientation", Map{{"rpy", list(somewhere(1))}});
      fields.add("frames", Map{{"F", frame}});
    }
    add_skin(fields);
    builder_.body(body.name, fields);
  }

  // What may touch others.
  void add_skin(Map& fields) {
    if (!shapes_.chance(0.3)) return;
    const auto length = [&] { return shapes_.size(0.05, 0.5); };
    Map skin;
    if (shapes_.chance(0.4))
      skin.add("sphere", length());
    else if (!planar_ && shapes_.chance(0.5))
      skin.add("capsule", {length(), length()});
    else if (planar_)
      skin.add("box", {length(), length()});
    else
      skin.add("box", {length(), length(), length()});
    fields.add("geometry", Map{{"skin", skin}});
  }

  static Vector3d along_normal(const BodyDrawn& body, const Vector3d& v) {
    const Vector3d n = body.plane->normalized();
    return n.dot(v) * n;
  }
  static Vector3d in_plane(const BodyDrawn& body, const Vector3d& v) {
    return body.plane ? Vector3d(v - along_normal(body, v)) : v;
  }

  // Physical: J = tr(S) I − S of any second moments S > 0.
  Value inertia(double mass) {
    const Vector3d s = mass * Vector3d(dice_.size(0.001, 0.3), dice_.size(0.001, 0.3), dice_.size(0.001, 0.3));
    if (planar_) return s.x() + s.y();
    BodyDrawn axes;
    if (dice_.chance(0.5)) axes.rpy = somewhere(1.5);
    const Matrix3d J = s.sum() * Matrix3d::Identity() - axes.R() * s.asDiagonal() * axes.R().transpose();
    if (axes.rpy.isZero()) return {J(0, 0), J(1, 1), J(2, 2)};
    return Map{{"xx", J(0, 0)}, {"yy", J(1, 1)}, {"zz", J(2, 2)}, {"xy", J(0, 1)}, {"xz", J(0, 2)}, {"yz", J(1, 2)}};
  }

  // --- items
  void add_item(Section section, const std::optional<std::pair<int, int>>& pair, const std::string& type = {}) {
    std::vector<const model::PartInfo*> parts;
    for (const mechanism::Part& part : mechanism::parts())
      if (part.info.section == section && (planar_ ? part.info.planar : part.info.spatial) &&
          (type.empty() || part.info.type == type))
        parts.push_back(&part.info);
    const model::PartInfo* part = dice_.of(parts);
    const bool mistake = dice_.chance(0.03);  // is left in
    for (int attempt = 0; attempt < 20; ++attempt) {
      if (attempt % 10 == 9) part = dice_.of(parts);
      ItemDrawn item{part, fmt::format("{}{}", model::item_name(section).substr(0, 1), items_.size()), {}};
      pair_ = pair ? *pair : any_pair();
      if (!draw_fields(item)) continue;
      if (keep(item, mistake)) return;
    }
  }

  bool keep(const ItemDrawn& item, bool even_if_refused) {
    const ModelBuilder before = builder_;
    Map fields{{"type", item.part->type}};
    for (const Map::Field& field : item.fields.fields()) fields.add(field.name, field.value);
    builder_.add(std::string(model::section_name(item.part->section)), item.name, fields);
    if (!accepts_(builder_) && !even_if_refused) {
      builder_ = before;
      return false;
    }
    items_.push_back(item);
    return true;
  }

  // A copy of a joint or driver; `other`: with one number or formula of its own, which mostly contradicts the first.
  void add_twin(bool other) {
    std::vector<ItemDrawn> choice;
    for (const ItemDrawn& item : items_)
      if (item.part->section != Section::force) choice.push_back(item);
    if (choice.empty()) return;
    ItemDrawn twin = dice_.of(choice);
    twin.name += fmt::format("twin{}", items_.size());
    if (other) {
      Map fields;
      bool changed = false;
      for (const Map::Field& field : twin.fields.fields()) {
        const FieldSpec* spec = nullptr;
        for (const FieldSpec& candidate : twin.part->fields)
          if (candidate.name == field.name) spec = &candidate;
        const bool change = spec && !changed &&
                            (spec->kind == FieldKind::number || spec->kind == FieldKind::function ||
                             spec->kind == FieldKind::function_vector || spec->kind == FieldKind::direction);
        std::optional<Value> drawn;
        if (change) drawn = value(*spec, twin.part->section);
        changed = changed || drawn;
        fields.add(field.name, drawn ? *drawn : field.value);
      }
      twin.fields = fields;
    }
    keep(twin, other);
  }

  std::pair<int, int> any_pair() {
    const auto one = [&] { return static_cast<int>(dice_.below(bodies_.size() + 1)) - 1; };
    const int first = one();
    int second = one();
    for (int again = 0; again < 3 && second == first; ++again) second = one();
    return {first, second};
  }

  bool draw_fields(ItemDrawn& item) {
    share_ = dice_.uniform(0.1, 0.7);
    place_ = bodies_[static_cast<std::size_t>(std::max(pair_.second, 0))].at + somewhere(0.7);
    if (pair_.second != ground && bodies_[static_cast<std::size_t>(pair_.second)].parent == pair_.first)
      place_ = nodes_[static_cast<std::size_t>(pair_.second)];
    named_ = dice_.chance(0.4);
    for (const FieldSpec& spec : item.part->fields) {
      if (!(planar_ ? spec.planar : spec.spatial)) continue;
      if (!spec.required && !dice_.chance(share_)) continue;
      const std::optional<Value> drawn = value(spec, item.part->section);
      if (!drawn) {
        if (spec.required) return false;
        continue;
      }
      item.fields.add(spec.name, *drawn);
    }
    return true;
  }

  // --- values by kind; nothing where the model has nothing to refer to
  std::optional<Value> value(const FieldSpec& spec, Section section) {
    switch (spec.kind) {
      case FieldKind::number:
        return number(spec);
      case FieldKind::angle:
        return dice_.chance(0.3) ? Value(fmt::format("{} deg", dice_.number(-60, 60))) : Value(dice_.number(-1, 1));
      case FieldKind::flag:
        return Value(dice_.chance(spec.fallback == "true" ? 0.9 : 0.4));
      case FieldKind::text:  // names of bodies
        return Value(dice_.chance(0.5) ? "b*" : dice_.chance(0.9) ? dice_.of(bodies_).name : "word");
      case FieldKind::choice:
        return Value(dice_.of(spec.choices));
      case FieldKind::vector:
        return list(dice_.chance(0.9) ? place_ : somewhere(2));
      case FieldKind::direction:
        return direction();
      case FieldKind::spin:
        return planar_ ? Value(dice_.number(-3, 3)) : list(somewhere(3));
      case FieldKind::function:
        return Value(formula(spec, section));
      case FieldKind::function_vector:
        return formulas(spec, section, planar_ ? 2 : 3);
      case FieldKind::function_spin:
        return planar_ ? Value(formula(spec, section)) : formulas(spec, section, 3);
      case FieldKind::curve:
        return curve();
      case FieldKind::point_list:
        return point_list();
      case FieldKind::orientation:
        return Value(Map{{"rpy", list(somewhere(1))}});
      case FieldKind::body:
        return Value(dice_.chance(0.3) ? std::string("ground") : dice_.of(bodies_).name);
      case FieldKind::attachment:
        return Value(attachment(dice_.chance(0.95) ? std::max(pair_.first, pair_.second) : pair_.first));
      case FieldKind::attachments:
        return Value({attachment(pair_.first), attachment(pair_.second)});
      case FieldKind::points:
        return points();
      case FieldKind::joint:
        return joint();
      case FieldKind::constraints:
      case FieldKind::joints: {
        const auto first = joint(), second = joint();
        if (!first) return std::nullopt;
        return Value({*first, *second});
      }
      case FieldKind::matrix:
        return matrix(spec);
      case FieldKind::pair:
        // The kind does not tell wheels with teeth from lengths.
        if (spec.name == "teeth") return Value({10 + dice_.below(30), 10 + dice_.below(30)});
        return Value({dice_.size(0.1, 2), dice_.size(0.1, 2)});
      case FieldKind::terms:
      case FieldKind::row_terms:
        return terms(spec.kind == FieldKind::row_terms);
      case FieldKind::row_function:
        return Value(row_formula());
      case FieldKind::frame_map:
        if (spec.name == "ground")
          return Value(Map{{"floor", Map{{"plane", direction()}, {"at", list(somewhere(3))}}}});
        break;
      case FieldKind::inertia:
      case FieldKind::point_map:
        break;  // of bodies
    }
    throw std::logic_error("random_model: no values for fields like " + spec.name);
  }

  // By unit: what could stand in a model of machines of a metre and a kilogram.
  Value number(const FieldSpec& spec) {
    const auto is = [&](std::string_view beginning) { return spec.unit.rfind(beginning, 0) == 0; };
    double x = dice_.size(0.05, 2);
    if (is("N s") || is("N m s"))
      x = dice_.size(0.01, 50);
    else if (is("N/") || is("N m/"))
      x = dice_.size(1, 1e5);
    else if (is("N"))
      x = dice_.size(0.1, 50);
    if (spec.minimum < 0 && !is("N") && dice_.chance(0.1)) x = -x;
    if (dice_.chance(0.02)) x = 0;
    if (dice_.chance(0.1)) return Value(fmt::format("{}*L", x));
    return x;
  }

  Value direction() {
    if (dice_.chance(0.6)) {
      Vector3d axis = Vector3d::Zero();
      axis[static_cast<int>(dice_.below(planar_ ? 2 : 3))] = dice_.chance(0.8) ? 1 : -1;
      return list(axis);
    }
    return list(somewhere(1));
  }

  std::string attachment(int body) {
    if (body == ground) return "ground";
    const BodyDrawn& b = bodies_[static_cast<std::size_t>(body)];
    if (!named_ || b.points.empty()) return b.name;
    const std::string node = fmt::format("n{}", pair_.second);
    for (const std::string& point : b.points)
      if (point == node && dice_.chance(0.85)) return b.name + "." + node;
    return b.name + "." + dice_.of(b.points);
  }

  Value points() {
    std::vector<Value> both;
    const Vector3d apart = dice_.chance(0.5) ? somewhere(0.5) : Vector3d(Vector3d::Zero());
    for (const int body : {pair_.first, pair_.second}) {
      const Vector3d world = body == pair_.second ? Vector3d(place_ + apart) : place_;
      const bool particle = body != ground && bodies_[static_cast<std::size_t>(body)].particle;
      both.push_back(list(body == ground ? world
                          : particle     ? Vector3d(Vector3d::Zero())
                                         : bodies_[static_cast<std::size_t>(body)].local(world)));
    }
    return both;
  }

  std::optional<Value> joint() {
    std::vector<std::string> names;
    for (const ItemDrawn& item : items_)
      if (item.part->section == Section::joint) names.push_back(item.name);
    if (names.empty()) return std::nullopt;
    return Value(dice_.of(names));
  }

  Value matrix(const FieldSpec& spec) {
    const int n = planar_ ? 3 : 6;
    std::vector<Value> rows;
    if (dice_.chance(0.6)) {
      for (int k = 0; k < n; ++k) rows.push_back(std::abs(dice_.number(0, 1)) * (spec.required ? 1000 : 10));
      return rows;
    }
    Eigen::MatrixXd G(n, n);
    for (double& g : G.reshaped()) g = dice_.number(-1, 1);
    const Eigen::MatrixXd K = (spec.required ? 100 : 1) * (G * G.transpose());
    for (int i = 0; i < n; ++i) {
      std::vector<Value> row;
      for (int j = 0; j < n; ++j) row.push_back(K(std::min(i, j), std::max(i, j)));
      rows.push_back(row);
    }
    return rows;
  }

  Value curve() {
    const double r = dice_.size(0.3, 3);
    std::vector<Value> c;
    if (dice_.chance(0.5)) {
      c = {Value(fmt::format("{}*cos(s)", r)), Value(fmt::format("{}*sin(s)", r))};
      if (!planar_) c.push_back(Value(dice_.chance(0.5) ? "0.1*sin(s)" : "0.2*s"));
    } else {
      c = {Value("s"), Value(fmt::format("{}*sin(w*s)", dice_.number(-0.3, 0.3)))};
      if (!planar_) c.push_back(Value("s^2/9"));
    }
    return c;
  }

  Value point_list() {
    std::vector<Value> all;
    const double x = dice_.number(-3, -1);
    for (std::size_t k = 0, n = 3 + dice_.below(4); k < n; ++k) {
      Vector3d p = somewhere(0.5);
      p.x() = x + static_cast<double>(k);
      all.push_back(list(p));
    }
    return all;
  }

  // --- formulas
  double scale(const FieldSpec& spec) {
    return spec.unit.rfind("N", 0) == 0 ? dice_.number(-20, 20) : dice_.number(-0.5, 0.5);
  }

  std::string formula(const FieldSpec& spec, Section section) {
    std::vector<std::string> variables = spec.variables;
    variables.push_back(spec.variable);
    const auto term = [&]() -> std::string {
      const std::string x = dice_.of(variables);
      const double c = scale(spec);
      if (section == Section::force && dice_.chance(0.3)) {
        const std::string q = dice_.chance(0.15) ? "input.u" : quantity();
        return dice_.chance(0.7) ? fmt::format("{}*{}", c, q) : fmt::format("{}*tanh({})", c, q);
      }
      switch (dice_.below(12)) {
        case 0:
          return fmt::format("{}", c);
        case 1:
          return fmt::format("{}*{}", c, x);
        case 2:
          return fmt::format("{}*{}^2", c, x);
        case 3:
          return fmt::format("{}*cam({})", c, x);
        case 4:
          return fmt::format("{}*rise({})", c, x);
        case 5:
          return fmt::format("{}*exp(-{})", c, x);
        case 6:
          return fmt::format("{}*if({} < 0.005, {}, 0.005)", c, x, x);
        case 7:
          return fmt::format("{}*smoothstep({}*100)", c, x);
        case 8:
          return fmt::format("{}*abs({})*{}", c, x, x);
        case 9:
          if (dice_.chance(0.2)) return fmt::format("{}*sqrt({})", c, x);
          [[fallthrough]];
        case 10:
          if (dice_.chance(0.1)) return fmt::format("{}/({} - 0.002)", c, x);
          [[fallthrough]];
        default:
          return fmt::format("{}*sin(w*{} + {})", c, x, dice_.chance(0.5) ? 0 : dice_.number(-1, 1));
      }
    };
    return dice_.chance(0.6) ? term() : fmt::format("{} + {}", term(), term());
  }

  Value formulas(const FieldSpec& spec, Section section, int count) {
    std::vector<Value> all;
    for (int k = 0; k < count; ++k) all.emplace_back(formula(spec, section));
    return all;
  }

  // Any of an item; those that it does not have are refused and drawn anew.
  std::string quantity() {
    static const std::vector<std::string> of_body{"x", "vx", "y", "vy", "angle", "wz", "z", "wx", "ax"};
    static const std::vector<std::string> of_joint{"angle", "rate", "displacement", "speed", "distance", "reaction.fx"};
    static const std::vector<std::string> of_force{"force", "torque", "power", "fx", "length", "rate"};
    if (!items_.empty() && dice_.chance(0.5)) {
      const ItemDrawn& item = dice_.of(items_);
      return item.name + "." + dice_.of(item.part->section == Section::force ? of_force : of_joint);
    }
    const BodyDrawn& body = dice_.of(bodies_);
    const bool at_point = !body.points.empty() && dice_.chance(0.3);
    return body.name + (at_point ? "." + dice_.of(body.points) : "") + "." + dice_.of(of_body);
  }

  std::string coordinate() {
    static const std::vector<std::string> of_joint{"angle", "displacement", "distance"};
    static const std::vector<std::string> flat{"x", "y", "angle"}, spatial{"x", "y", "z"};
    const auto some_joint = joint();
    if (some_joint && dice_.chance(0.5)) return some_joint->node().text + "." + dice_.of(of_joint);
    return dice_.of(bodies_).name + "." + dice_.of(planar_ ? flat : spatial);
  }

  std::string velocity() {
    static const std::vector<std::string> flat{"vx", "vy", "wz"}, spatial{"vx", "vy", "vz", "wx", "wy", "wz"};
    return dice_.of(bodies_).name + "." + dice_.of(planar_ ? flat : spatial);
  }

  std::string row_formula() {
    switch (dice_.below(4)) {
      case 0:
        return fmt::format("{}*sin(w*t)", dice_.number(-0.5, 0.5));
      case 1:
        return fmt::format("sin({})", coordinate());
      case 2:
        return fmt::format("1 + {}^2", coordinate());
      default:
        return fmt::format("{}", dice_.number(0.1, 2));
    }
  }

  Value terms(bool rows) {
    Map all;
    std::vector<std::string> used;
    for (std::size_t k = 0, n = 1 + dice_.below(3); k < n; ++k) {
      const std::string name = rows || dice_.chance(0.2) ? velocity() : coordinate();
      if (std::find(used.begin(), used.end(), name) != used.end()) continue;
      used.push_back(name);
      if (rows)
        all.add(name, row_formula());
      else  // whole numbers have a common unit
        all.add(name, (1 + static_cast<int>(dice_.below(3))) * (dice_.chance(0.5) ? 1 : -1));
    }
    return all;
  }

  // --- vectors
  Vector3d somewhere(double range) {
    Vector3d p;
    for (double& x : p) x = dice_.number(-range, range);
    if (planar_) p.z() = 0;
    return p;
  }
  Value list(const Vector3d& v) const { return planar_ ? Value({v.x(), v.y()}) : Value({v.x(), v.y(), v.z()}); }

  Dice dice_;
  Dice shapes_;            // of their own
  bool stepping_ = false;  // by contact-stepping
  bool planar_, mixed_;
  ModelBuilder builder_;
  const Accepts& accepts_;
  std::vector<BodyDrawn> bodies_;
  std::vector<Vector3d> nodes_;  // where each body meets its parent
  std::vector<ItemDrawn> items_;
  // Of the item that is drawn:
  std::pair<int, int> pair_{ground, ground};
  Vector3d place_ = Vector3d::Zero();
  double share_ = 0.3;  // of its optional fields
  bool named_ = false;  // by named points
};

}  // namespace

std::string random_model(std::uint64_t seed, const Accepts& accepts) { return Generator(seed, accepts).draw(); }

}  // namespace mortise::test
