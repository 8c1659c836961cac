#include "mortise/integrate/rk45.h"

namespace mortise::integrate {

namespace {

// Row i: the weights of k₁ … kᵢ₋₁ in stage i; the last row is also b.
constexpr double a2[] = {1.0 / 5};
constexpr double a3[] = {3.0 / 40, 9.0 / 40};
constexpr double a4[] = {44.0 / 45, -56.0 / 15, 32.0 / 9};
constexpr double a5[] = {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729};
constexpr double a6[] = {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656};
constexpr double b[] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
constexpr double c[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double e[] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double d[] = {-12715105075.0 / 11282082432.0,  0,
                        87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                        701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                        69997945.0 / 29380423.0};

const std::string r3_name = "rk45.r3", r4_name = "rk45.r4", r5_name = "rk45.r5";

}  // namespace

Rk45::Rk45(const Settings& settings) : EmbeddedPair(settings, "rk45", 5) {}

void Rk45::size_workspace(Eigen::Index n) {
  EmbeddedPair::size_workspace(n);
  for (Vector& k : k_) k.resize(n);
  for (Vector* v : {&r3_, &r4_, &r5_, &r5_new_}) v->resize(n);
}

void Rk45::trial(double h, double t_new) {
  const Vector& k1 = ydot_;
  const auto at = [&](int stage) { return stage >= 5 ? t_new : t_ + c[stage] * h; };
  stage_ = y_ + h * a2[0] * k1;
  rates(at(1), stage_, k_[1]);
  stage_ = y_ + h * (a3[0] * k1 + a3[1] * k_[1]);
  rates(at(2), stage_, k_[2]);
  stage_ = y_ + h * (a4[0] * k1 + a4[1] * k_[1] + a4[2] * k_[2]);
  rates(at(3), stage_, k_[3]);
  stage_ = y_ + h * (a5[0] * k1 + a5[1] * k_[1] + a5[2] * k_[2] + a5[3] * k_[3]);
  rates(at(4), stage_, k_[4]);
  stage_ = y_ + h * (a6[0] * k1 + a6[1] * k_[1] + a6[2] * k_[2] + a6[3] * k_[3] + a6[4] * k_[4]);
  rates(at(5), stage_, k_[5]);
  y_new_ = y_ + h * (b[0] * k1 + b[2] * k_[2] + b[3] * k_[3] + b[4] * k_[4] + b[5] * k_[5]);
  rates(at(6), y_new_, f_new_);
  stage_ = h * (e[0] * k1 + e[2] * k_[2] + e[3] * k_[3] + e[4] * k_[4] + e[5] * k_[5] + e[6] * f_new_);
  r5_new_ = h * (d[0] * k1 + d[2] * k_[2] + d[3] * k_[3] + d[4] * k_[4] + d[5] * k_[5] + d[6] * f_new_);
}

void Rk45::prepare_dense(double h) {
  r5_.swap(r5_new_);
  r3_ = h * f_new_ - (y_ - y_old_);
  r4_ = (y_ - y_old_) - h * ydot_ - r3_;
}

void Rk45::forget_dense() {
  r3_.setZero();
  r4_.setZero();
  r5_.setZero();
}

void Rk45::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const double theta = (t - t_old_) / (t_ - t_old_), rest = 1 - theta;
  as_vector(out) = y_old_ + theta * ((y_ - y_old_) + rest * (r3_ + theta * (r4_ + rest * r5_)));
}

void Rk45::save(Memory& memory) const {
  double own[own_scalars];
  save_control(own);
  save_common(memory, own);
  const auto n = static_cast<std::size_t>(y_.size());
  as_vector(memory.slot(r3_name, n)) = r3_;
  as_vector(memory.slot(r4_name, n)) = r4_;
  as_vector(memory.slot(r5_name, n)) = r5_;
}

void Rk45::load(Flow& flow, const Memory& memory) {
  const auto n = static_cast<std::size_t>(flow.size());
  const ConstSpan r3 = need(memory, r3_name, n), r4 = need(memory, r4_name, n), r5 = need(memory, r5_name, n);
  double own[own_scalars];
  load_common(flow, memory, own);
  size_workspace(y_.size());
  load_control(own);
  r3_ = as_vector(r3);
  r4_ = as_vector(r4);
  r5_ = as_vector(r5);
}

}  // namespace mortise::integrate
