#include "mortise/system/state.h"

namespace mortise {

Span Memory::slot(const std::string& name, std::size_t size) {
  std::vector<double>& values = slots_[name];
  if (values.size() != size) values.assign(size, 0.0);
  return values;
}

ConstSpan Memory::read(const std::string& name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? ConstSpan{} : ConstSpan{found->second};
}

bool Memory::has(const std::string& name) const { return slots_.contains(name); }

}  // namespace mortise
