#include "mortise/mechanism/row_friction.h"

#include <cmath>

namespace mortise::mechanism {

double RowFriction::load(const Item& item, const ForceContext& context) {
  const Formulas f({&item.normal, 1}, {}, context.t, context.quantities, false);
  return std::abs(f(0));
}

void RowFriction::apply(const Motions&, const ForceContext& context, unsigned needs, Evaluation& out) const {
  for (const Item& item : items) {
    const auto index = static_cast<std::size_t>(item.item);
    if (context.stage >= 0 && context.stages[index] != context.stage) continue;
    ForceRecord& record = context.records[index];
    record = {};
    const double normal = load(item, context);
    record.coordinate = normal;
    const auto slot = static_cast<std::size_t>(item.slot);
    if (context.inputs[slot] != Event::slides) continue;
    const double limit = item.coefficient * normal;
    std::array<double, 3> speed{}, direction{};
    double length2 = 0;
    const Vector& A = out.problem.A;
    for (std::size_t k = 0; k < item.rows.size(); ++k) {
      double s = context.row_time[static_cast<std::size_t>(item.rows[k])];
      for (const Block& block : item.blocks[k])
        for (int j = 0; j < block.size; ++j)
          s += A[block.offset + j] * context.v[static_cast<std::size_t>(block.begin + j)];
      speed[k] = s;
      direction[k] = context.inputs[slot + 1 + k];
      length2 += s * s;
    }
    const double length = std::sqrt(length2);
    if (item.rows.size() > 1 && length > item.slow)
      for (std::size_t k = 0; k < item.rows.size(); ++k) direction[k] = speed[k] / length;
    for (std::size_t k = 0; k < item.rows.size(); ++k) {
      const double lambda = limit * direction[k];
      if (needs & need_dynamics)
        for (const Block& block : item.blocks[k])
          for (int j = 0; j < block.size; ++j) out.problem.Q[block.begin + j] -= lambda * A[block.offset + j];
      const double driven = context.row_time[static_cast<std::size_t>(item.rows[k])];
      out.power_dissipated += lambda * speed[k];
      out.power_applied += lambda * driven;
      record.power -= lambda * (speed[k] - driven);
    }
    record.value = item.rows.size() == 1 ? -limit * direction[0] : limit;
    record.rate = item.rows.size() == 1 ? speed[0] : length;
  }
}

int RowFriction::first_non_finite(const Motions&, const ForceContext& context, Place& place) const {
  for (const Item& item : items)
    if (!std::isfinite(load(item, context))) {
      place = item.place;
      return item.item;
    }
  return -1;
}

}  // namespace mortise::mechanism
