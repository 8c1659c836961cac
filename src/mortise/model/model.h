// The user's model as a value: parameters, bodies, joints, drivers, forces, and what to do with them. Built by the YAML
// reader or in code (builder.h), checked against a Catalogue, compiled into a Mechanism.
//
// A repeated item (`repeat: {i: N}`) is one Item with a count: its formulas are parsed once and evaluated for each
// copy, its names are made on demand.
#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mortise/formula/expression.h"
#include "mortise/geometry/rotation.h"
#include "mortise/model/catalogue.h"
#include "mortise/model/name_pattern.h"
#include "mortise/model/node.h"

namespace mortise::model {

// Where an item holds on to a body: the body itself, or a named point or frame on it. "ground" is a body.
struct Attachment {
  std::string body;
  std::string point;  // "" = the body's origin / as the item says
  Place place;
};

struct PointOnBody {
  std::string name;
  Eigen::Vector3d at;  // in the body frame
  Place place;
};

struct FrameOnBody {
  std::string name;
  Eigen::Vector3d at;
  geometry::Quaternion orientation;
  Place place;
};

class Model;

// A quantity that a formula uses (`arm.tip.x`): what it is shows only when the whole model is compiled.
struct QuantityPattern {
  NamePattern name;
  Place place;
};
struct QuantityName {
  std::string name;
  Place place;
};

// A formula of a copy: of t, of the field's `variables`, and of the quantities, in this order.
struct Function {
  formula::Expression expression;
  std::vector<QuantityName> quantities;
  Place place;
};

// A field as written: checked, its formulas and references parsed once for all copies.
struct Field {
  const FieldSpec* spec = nullptr;
  Node node;
  // Formulas with the parameters bound: of (index, t) in repeated items, else of (t). Their order depends on the kind
  // alone, not on the order of keys in the file (read_field.h).
  std::vector<formula::Expression> formulas;
  // Behind (index, t) a function has the variables of its FieldSpec and the quantities it uses.
  std::vector<std::vector<QuantityPattern>> quantities;  // of each formula; empty: none uses any
  std::vector<Place> places;                             // of each formula
  std::vector<NamePattern> names;                        // of body, joint and attachment fields; the keys of terms
  // Coordinates that the formulas of row_terms and row_function use: they follow t, in this order, in all of them.
  std::vector<NamePattern> variables;
  std::vector<Place> variable_places;
};

// `A.angle: 2` among the terms of a coupling.
struct Term {
  std::string name;
  double coefficient = 0;
  Place place;  // of the key
};

// A formula of t and of coordinates with names.
struct RowFunction {
  formula::Expression formula;  // of (t, the coordinates of the field's `row_variables`)
  Place place;
};
struct RowTerm {
  std::string name;
  RowFunction coefficient;
  Place place;  // of the key
};
struct RowVariable {
  std::string name;
  Place place;
};

// A body, joint, driver or force; with `repeat`, all of its copies.
struct Item {
  Section section = Section::body;
  const PartInfo* part = nullptr;
  std::string pattern;  // the name as written: "link$i", "joint$(i+1)"
  NamePattern name;
  std::string index;  // the name of the repeat index; "" when not repeated
  int count = 1;
  Place place;
  std::vector<Field> fields;
};

// One copy of an item: typed access to its fields, formulas evaluated with the model's parameters and the copy's index.
// Every getter throws ModelError with the field's place when the value is unfit (not finite, wrong length, …).
class ItemCopy {
 public:
  ItemCopy(const Model& model, const Item& item, int copy) : model_(&model), item_(&item), copy_(copy) {}

  std::string name() const;
  const PartInfo& part() const;
  int copy() const { return copy_; }
  bool has(std::string_view field) const;
  Place place() const;                        // of the item
  Place place(std::string_view field) const;  // of a field's value (of the item when absent)

  double number(std::string_view field) const;
  double number(std::string_view field, double fallback) const;
  bool flag(std::string_view field, bool fallback) const;
  std::string text(std::string_view field, std::string_view fallback = {}) const;
  Eigen::Vector3d vector(std::string_view field) const;  // planar models: z = 0
  Eigen::Vector3d vector(std::string_view field, const Eigen::Vector3d& fallback) const;
  Eigen::Vector3d direction(std::string_view field, const Eigen::Vector3d& fallback) const;  // of length 1
  Eigen::Vector3d spin(std::string_view field) const;  // angular velocity, zero when absent; planar: (0, 0, ω)
  geometry::Quaternion orientation(std::string_view field) const;            // identity when absent
  Eigen::Matrix3d inertia(std::string_view field) const;                     // planar: only (2,2) is set
  formula::Expression function(std::string_view field) const;                // of the one variable t
  std::vector<formula::Expression> functions(std::string_view field) const;  // function_vector, curve: 2 or 3 of them
  std::vector<Function> formulas(std::string_view field) const;              // the same with the quantities they use
  Eigen::MatrixXd matrix(std::string_view field) const;                      // 3×3 (planar) or 6×6
  Attachment attachment(std::string_view field) const;
  std::array<Attachment, 2> attachments(std::string_view field) const;
  std::array<Eigen::Vector3d, 2> points(std::string_view field) const;
  std::vector<Eigen::Vector3d> point_list(std::string_view field) const;
  std::vector<PointOnBody> point_map(std::string_view field) const;
  std::vector<FrameOnBody> frame_map(std::string_view field) const;
  std::array<std::string, 2> joints(std::string_view field) const;
  std::vector<std::string> constraints(std::string_view field) const;
  std::array<double, 2> pair(std::string_view field) const;
  std::vector<Term> terms(std::string_view field) const;
  std::vector<RowTerm> row_terms(std::string_view field) const;
  RowFunction row_function(std::string_view field) const;
  std::vector<RowVariable> row_variables(std::string_view field) const;  // of a row_terms or row_function field

 private:
  const Field* find(std::string_view field) const;
  const Field& require(std::string_view field) const;

  const Model* model_;
  const Item* item_;
  int copy_;
};

// Baumgarte gains of one joint or driver, instead of those of all.
struct JointGains {
  std::string joint;
  double alpha = 10, beta = 10, gamma = 10;
  Place place;
};

// A driver's share where inverse dynamics may choose: the sum of (effort / weight)² is least.
struct DriverWeight {
  std::string driver;
  double weight = 1;
  Place place;
};

// One parameter (or any path of the model) that a sweep varies.
struct SweepAxis {
  std::string path;
  std::vector<double> values;  // of a grid; empty: random between low and high
  double low = 0, high = 0;
  Place place;
};

struct SweepSettings {
  std::string of = "dynamics";  // the analysis that is repeated
  std::vector<SweepAxis> axes;
  long samples = 0;  // random points; 0: the whole grid
  long seed = 1;
  long jobs = 0;  // 0: one a processor
  std::vector<QuantityName> quantities;
  Place place;
};

// What to compute.
struct AnalysisSettings {
  std::string type = "dynamics";
  double until = 1;
  std::string formulation = "auto";
  std::string pseudoinverse;             // "" = the formulation's own choice
  long reuse = 1;                        // steps for which a generalized inverse is kept; 1: always fresh
  std::string compensate = "baumgarte";  // what makes up for an old inverse: baumgarte | projection
  long seed = 1, islands = 1, runs = 8;  // of the genetic search
  std::string coordinates = "absolute";
  std::string stabilize = "projection";
  double alpha = 10, beta = 10, gamma = 10;  // Baumgarte gains
  std::vector<JointGains> joint_gains;
  std::vector<std::string> levels;  // of projections: position, velocity, acceleration; empty: the first two
  std::string weight = "mass";      // metric of projections: mass | identity
  std::string partition = "auto";   // when coordinates are partitioned: auto | once
  std::string integrator = "adams";
  // Of the staggered integrator: which equation its multipliers obey, how many chains of stations, ε (0: automatic) or
  // its share, steps between two merges of the chains (0: never).
  std::string multipliers = "velocity", chains = "two";
  double epsilon = 0, epsilon_share = 1e-2;
  long merge = 10;
  // Of implicit integrators: the spectral radius at infinity and the level of rows that generalized-alpha fulfils
  // (position | velocity); the scheme and the correctors of the trapezoidal rule.
  double rho = 0.8;
  std::string level = "position", scheme;
  long correctors = 1;
  // Of natural coordinates: how accelerations are found (recursion | conjugate-gradients | factor), and with which
  // preconditioner.
  std::string accelerations = "recursion", preconditioner = "branches";
  double tolerance = 1e-8;
  double step = 0, max_step = 0;
  double rank_tolerance = 1e-10;
  std::string rank_rule =
      "relative";  // relative (to the largest, widened by drift) | fixed | tolerance (of the integrator)
  bool assemble = true;
  bool allow_flip = false;
  std::string reactions = "minimum-norm";  // which multipliers, where they are not unique (analysis/reactions.h)
  std::string branch = "smooth";           // where a motion can go on in several ways: smooth | other
  std::vector<DriverWeight> weights;       // of inverse dynamics
  long modes = 0;                          // how many of them; 0: all
  SweepSettings sweep;
  Place place, place_until, place_formulation, place_integrator, place_stabilize, place_type, place_pseudoinverse,
      place_coordinates, place_rank_rule, place_reactions, place_branch;
};

struct OutputSettings {
  double every = 0;              // model time between frames; 0: until / 1000
  double checkpoint = 0;         // model time between checkpoints; 0: by steps
  long checkpoint_steps = 1000;  // used when `checkpoint` is 0
  std::vector<QuantityName> quantities;
  // What result files keep of each frame: names, * and ? stand for any letters. Without any of the two lists: all.
  bool restricted = false;
  std::vector<QuantityName> bodies, joints;
  std::string precision = "float64";  // of what is kept of bodies and joints: float64 | float32
};

class Model {
 public:
  std::string name;
  int dimension = 2;  // 2 planar, 3 spatial
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  AnalysisSettings analysis;
  OutputSettings output;
  std::vector<Diagnostic> notes;  // warnings and remarks met while reading

  std::vector<std::string> parameter_names;
  std::vector<double> parameter_values;
  std::vector<std::string> input_names;  // `input.NAME`: numbers that may be changed between steps
  std::vector<double> input_values;      // at the start

  std::vector<Item> items;  // all sections, in file order within each section: bodies, joints, drivers, forces, events
  std::string text;         // the model as one self-contained YAML text (includes and --set applied): stored in results

  std::vector<const Item*> section(Section s) const;
};

// Builds and checks a model from a node tree; reports all mistakes together in one ModelError. The model refers to the
// catalogue's parts: keep the catalogue as long as the model.
Model build(const Node& root, const Catalogue& catalogue);

}  // namespace mortise::model
