#include "mortise/analysis/force_couplings.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "mortise/analysis/ruled_system.h"
#include "mortise/coordinates/coordinate_system.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

namespace {

using mechanism::Constraint;
using mechanism::Mechanism;

// The mechanism whose bodies are the blocks of a system; none for any other.
const Mechanism* mechanism_of(const System& system) {
  if (const auto* m = dynamic_cast<const Mechanism*>(&system)) return m;
  if (const auto* ruled = dynamic_cast<const RuledSystem*>(&system)) return &ruled->mechanism();
  const auto* mapped = dynamic_cast<const coordinates::CoordinateSystem*>(&system);
  if (mapped && mapped->pattern().columns.count() == static_cast<int>(mapped->mechanism().bodies().size()))
    return &mapped->mechanism();
  return nullptr;
}

class Finder {
 public:
  explicit Finder(const Mechanism& m) : m_(m) {
    const auto note = [&](const auto& items, Kind kind) {
      for (std::size_t k = 0; k < items.size(); ++k) named_.emplace(m.name(items[k].ref), Named{kind, k});
    };
    note(m.bodies(), Kind::body);
    note(m.constraints(), Kind::constraint);
    note(m.forces(), Kind::force);
  }

  std::vector<int> of(const mechanism::Force& force) {
    found_.clear();
    add(force, 0);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return found_;
  }

 private:
  enum class Kind { body, constraint, force };
  struct Named {
    Kind kind;
    std::size_t at;
  };
  void add(const mechanism::Force& force, int depth) {
    const model::Item& item = m_.model().items[index(force.ref.item)];
    for (const model::Field& field : item.fields) {
      for (const model::NamePattern& name : field.names) add(name.at(force.ref.copy), depth);
      for (const auto& quantities : field.quantities)
        for (const model::QuantityPattern& quantity : quantities) add(quantity.name.at(force.ref.copy), depth);
    }
  }
  // "arm.tip.x": the item whose name is the longest beginning.
  void add(const std::optional<std::string>& name, int depth) {
    if (!name || depth > 3) return;
    for (std::size_t end = name->size(); end != std::string::npos && end > 0; end = name->rfind('.', end - 1)) {
      const auto found = named_.find(name->substr(0, end));
      if (found == named_.end()) continue;
      const auto [kind, at] = found->second;
      if (kind == Kind::body) found_.push_back(static_cast<int>(at));
      if (kind == Kind::constraint) add(m_.constraints()[at]);
      if (kind == Kind::force) add(m_.forces()[at], depth + 1);
      return;
    }
  }
  void add(const Constraint& c) {
    for (const int body : {c.a.body, c.b.body})
      if (body >= 0) found_.push_back(body);
    for (const mechanism::Involved& involved : c.bodies)
      if (involved.body >= 0) found_.push_back(involved.body);
  }

  const Mechanism& m_;
  std::unordered_map<std::string, Named> named_;
  std::vector<int> found_;
};

}  // namespace

std::vector<std::vector<int>> force_couplings(const System& system) {
  std::vector<std::vector<int>> out;
  const Mechanism* m = mechanism_of(system);
  if (!m) {
    out.emplace_back(index(system.pattern().columns.count()));
    std::iota(out.front().begin(), out.front().end(), 0);
    return out;
  }
  Finder finder(*m);
  for (const mechanism::Force& force : m->forces()) out.push_back(finder.of(force));
  return out;
}

}  // namespace mortise::analysis
