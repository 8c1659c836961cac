// Sliding friction through velocity rows that are off: what the rows would carry at the friction limit,
//
//     Q −= Σ λ_i A_iᵀ,     λ = µ_k |N| d,     d the direction of the slip s = A v + ∂φ/∂t,     dissipated λ·s.
//
// One row: d = ±1 is latched at the event at which the slip began, so the force does not chatter about s = 0. Several
// rows: d = s/|s|, and the latched direction at the very beginning. The normal load N is a formula; one of a reaction
// is solved together with it (System::feedback). Source: specs/gigsp-and-genetic.md, intermittent rows (4.22).
#pragma once

#include <vector>

#include "mortise/mechanism/event.h"

namespace mortise::mechanism {

class RowFriction final : public ForceGroup {
 public:
  struct Block {
    int begin = 0, size = 0, offset = 0;  // columns of Q; where the values of A are
  };
  struct Item {
    std::vector<int> rows;
    std::vector<std::vector<Block>> blocks;  // of each row
    int slot = 0;                            // of the event
    int item = 0;                            // number of the force
    double coefficient = 0, slow = 0;        // below `slow` the latched direction counts
    BoundFormula normal;
    Place place;
  };
  std::vector<Item> items;

  int first() const override { return items.front().item; }
  void apply(const Motions& motions, const ForceContext& context, unsigned needs, Evaluation& out) const override;
  int first_non_finite(const Motions& motions, const ForceContext& context, Place& place) const override;

 private:
  static double load(const Item& item, const ForceContext& context);
};

}  // namespace mortise::mechanism
