// No stabilisation: constraints hold at acceleration level only, and drift.
#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {
namespace {

struct None final : Stabilizer {
  std::string name() const override { return "none"; }
};

}  // namespace

std::unique_ptr<Stabilizer> make_none(const Settings&) { return std::make_unique<None>(); }

}  // namespace mortise::stabilize
