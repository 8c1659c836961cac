// A model written in C++, with the names, formulas and checks of a file:
//
//     auto model = ModelBuilder::planar("Pendulum")
//                      .gravity({0, -9.81})
//                      .parameter("L", 1)
//                      .body("arm", {{"mass", 2}, {"inertia", "2*L^2/12"}, {"at", {"L/2", 0}}})
//                      .joint("A", "revolute", {{"between", {"ground", "arm"}}, {"at", {0, 0}}})
//                      .build(catalogue);
//
// It makes the tree that the YAML reader makes and goes the same way from there, so nothing can differ: what a file may
// say, code may say, and mistakes are the same ModelErrors with "Pendulum: bodies.arm.mass" in place of file and line.
// `Model::text` is the model as YAML, numbers with all their digits (io::save_model writes it).
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "mortise/model/model.h"

namespace mortise::model {

class Map;

// A value of a field: a number, a flag, a word or formula, a list {…} of values, or a Map{…}.
class Value {
 public:
  Value(double number);
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T number) : Value(static_cast<double>(number)) {}
  Value(bool flag);
  Value(const char* text);
  Value(std::string text);
  Value(std::initializer_list<Value> list) : Value(std::vector<Value>(list)) {}
  Value(const std::vector<Value>& list);
  Value(const Map& map);

  const Node& node() const { return node_; }

 private:
  Node node_;
};

// Names with values, in order: {{"mass", 1}, {"at", {0, 0}}}.
class Map {
 public:
  struct Field {
    std::string name;
    Value value;
  };
  Map() = default;
  Map(std::initializer_list<Field> fields) : fields_(fields) {}
  Map& add(std::string name, Value value);
  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

class ModelBuilder {
 public:
  static ModelBuilder planar(std::string name = {}) { return {std::move(name), "planar"}; }
  static ModelBuilder spatial(std::string name = {}) { return {std::move(name), "spatial"}; }

  ModelBuilder& gravity(Value vector) { return set("gravity", std::move(vector)); }
  ModelBuilder& parameter(std::string name, Value number);
  ModelBuilder& input(std::string name,
                      Value number);  // `input.NAME` in formulas of forces; changed by Simulation::set
  // `fields` as in a file; "type" may be among them, the form without one takes the file's default (a rigid body).
  ModelBuilder& body(std::string name, const Map& fields);
  ModelBuilder& body(std::string name, std::string type, const Map& fields);
  ModelBuilder& joint(std::string name, std::string type, const Map& fields);
  ModelBuilder& driver(std::string name, std::string type, const Map& fields);
  ModelBuilder& force(std::string name, std::string type, const Map& fields);
  ModelBuilder& event(std::string name, std::string type, const Map& fields);
  ModelBuilder& analysis(const Map& settings) { return set("analysis", settings); }
  ModelBuilder& output(const Map& settings) { return set("output", settings); }

  // Any section of a file by its key, replacing what is there; an entry of a section, added to it.
  ModelBuilder& set(std::string key, Value value);
  ModelBuilder& add(std::string section, std::string name, Value value);

  // The tree so far, with places. `build` checks it and throws ModelError with all mistakes; the model refers to the
  // catalogue.
  Node node() const;
  Model build(const Catalogue& catalogue) const;

 private:
  ModelBuilder(std::string name, std::string dimension);
  ModelBuilder& item(std::string_view section, std::string name, std::string type, const Map& fields);

  std::string name_;
  Node root_;
};

}  // namespace mortise::model
