#include "mortise/gauss/automatic.h"

#include "mortise/gauss/sparse.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss {

Automatic::Automatic(const FormulationSettings& settings)
    : dense_(std::make_unique<UdwadiaKalaba>(settings)),
      sparse_(std::make_unique<Sparse>()),
      always_dense_(!settings.pseudoinverse.empty() || settings.reuse > 1) {}

Capabilities Automatic::can() const {
  Capabilities can = dense_->can();
  can.remembers = true;
  return can;
}

const Formulation& Automatic::pick(const Pattern& pattern) const {
  return !always_dense_ && pattern.m() > dense_rows ? *sparse_ : *dense_;
}

std::unique_ptr<Factor> Automatic::prepare(const Pattern& pattern) const { return pick(pattern).prepare(pattern); }

std::string Automatic::choice(const Pattern& pattern) const {
  return pick(pattern).name() + " for " + std::to_string(pattern.m()) + " rows";
}

}  // namespace mortise::gauss
