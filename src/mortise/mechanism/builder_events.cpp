// The part of Builder for events: their records, rows that they switch, friction through such rows.
#include <fmt/format.h>

#include <algorithm>

#include "mortise/mechanism/builder.h"
#include "mortise/mechanism/row_friction.h"

namespace mortise::mechanism {

bool Event::needs(Quantity::Source source) const {
  return std::any_of(quantities.begin(), quantities.end(), [&](const Quantity& q) { return q.source == source; });
}

Event& Builder::add_event(int slots) {
  Event event;
  event.ref = current_;
  event.ref.part = "";
  event.slot = static_cast<int>(mechanism_.model_->input_values.size() + mechanism_.event_inputs_.size());
  event.slots = slots;
  mechanism_.event_inputs_.conservativeResize(mechanism_.event_inputs_.size() + slots);
  mechanism_.event_inputs_.tail(slots).setZero();
  mechanism_.events_->push_back(std::move(event));
  return mechanism_.events_->back();
}

int Builder::event_count() const { return static_cast<int>(mechanism_.events_->size()); }

int Builder::add_force_entry(const ItemCopy& item, const ForceTraits& traits) {
  const int index = static_cast<int>(mechanism_.forces_.size());
  mechanism_.forces_.push_back({current_, traits.scalar, traits.coordinate});
  force_index_[item.name()] = index;
  for (const model::QuantityName& name : traits.reads) use(name, index);
  return index;
}

bool Builder::is_velocity_row(int row) const {
  return mechanism_.pattern_.rows[static_cast<std::size_t>(row)].kind == gauss::RowKind::nonholonomic;
}

int Builder::constraint(const std::string& name, const Place& place) const {
  const auto found = constraint_index_.find(name);
  if (found == constraint_index_.end()) fail("M119", fmt::format("no joint or driver is called '{}'", name), place);
  return found->second;
}

void Builder::begin_event_rows(const char* part) {
  current_.part = part;
  rows_off_ = true;
}

void Builder::hold_here(int index) {
  const Constraint& c = mechanism_.constraints_[static_cast<std::size_t>(index)];
  std::vector<int>& slots = mechanism_.hold_slot_;
  slots.resize(mechanism_.pattern_.rows.size(), -1);
  for (int row = c.row; row < c.row + c.rows; ++row) {
    if (mechanism_.pattern_.rows[static_cast<std::size_t>(row)].kind != gauss::RowKind::holonomic) continue;
    int& slot = slots[static_cast<std::size_t>(row)];
    if (slot < 0) {
      slot = static_cast<int>(mechanism_.model_->input_values.size() + mechanism_.event_inputs_.size());
      mechanism_.event_inputs_.conservativeResize(mechanism_.event_inputs_.size() + 1);
      mechanism_.event_inputs_.tail(1).setZero();
    }
    mechanism_.events_->back().holds.push_back({row, slot});
  }
}

void Builder::add_row_friction(const ItemCopy& item, const model::Function& normal, double coefficient,
                               const char* part) {
  Event& event = mechanism_.events_->back();
  const int index = static_cast<int>(mechanism_.forces_.size());
  ItemRef ref = current_;
  ref.part = part;
  mechanism_.forces_.push_back({ref, ForceScalar::force, nullptr});
  force_index_[mechanism_.name(ref)] = index;
  event.friction = index;
  event.coefficient = coefficient;
  mechanism_.row_friction_ = true;
  // Whether they hold is decided when the state is known: assembly must not take an initial slip away.
  for (const int row : event.rows) mechanism_.initially_active_[static_cast<std::size_t>(row)] = 0;

  RowFriction::Item entry;
  entry.rows = event.rows;
  entry.slot = event.slot;
  entry.item = index;
  entry.coefficient = coefficient;
  entry.place = normal.place.known() ? normal.place : item.place();
  entry.normal = {normal.expression, use(normal, index)};
  const gauss::Pattern& pattern = mechanism_.pattern_;
  for (const int row : event.rows) {
    std::vector<RowFriction::Block> blocks;
    for (const gauss::RowBlock& block : pattern.A)
      if (row >= block.row && row < block.row + block.rows) {
        const int size = pattern.columns.size(block.block);
        blocks.push_back({pattern.columns.begin(block.block), size, block.offset + (row - block.row) * size});
      }
    entry.blocks.push_back(std::move(blocks));
  }
  group<RowFriction>(force_groups_, mechanism_.force_groups_).items.push_back(std::move(entry));
}

void Builder::resolve_events() {
  const NameLookup lookup = name_lookup();
  std::vector<Diagnostic> mistakes;
  for (Event& event : *mechanism_.events_)
    for (const model::QuantityName& name : event.when.quantities) try {
        event.quantities.push_back(find_quantity(mechanism_, lookup, name.name, name.place));
      } catch (const ModelError& error) {
        mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
      }
  std::vector<int>& slots = mechanism_.hold_slot_;
  slots.resize(mechanism_.pattern_.rows.size(), -1);
  mechanism_.holds_ = std::any_of(slots.begin(), slots.end(), [](int slot) { return slot >= 0; });
  if (!mistakes.empty()) throw ModelError(mistakes);
}

}  // namespace mortise::mechanism
