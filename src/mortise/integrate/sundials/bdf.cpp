#include "mortise/integrate/sundials/bdf.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

constexpr int history_columns = 6;  // orders up to 5
const std::string taylor_name = "bdf.taylor", jump_name = "bdf.jump";

Span span_of(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

void check(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(fmt::format("SUNDIALS: {} returned {}", what, flag));
}

template <typename T>
T* check(T* pointer, const char* what) {
  if (!pointer) throw std::runtime_error(fmt::format("SUNDIALS: {} failed", what));
  return pointer;
}

}  // namespace

struct Bdf::Session {
  Session(Bdf& owner, double t, const Vector& y) : self(owner) {
    try {
      build(t, y);
    } catch (...) {
      release();
      throw;
    }
  }
  ~Session() { release(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void build(double t, const Vector& y) {
    const auto n = static_cast<sunindextype>(y.size());
    check(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    state = check(N_VNew_Serial(n, context), "N_VNew_Serial");
    work = check(N_VNew_Serial(n, context), "N_VNew_Serial");
    std::copy(y.begin(), y.end(), N_VGetArrayPointer(state));
    matrix = check(SUNDenseMatrix(n, n, context), "SUNDenseMatrix");
    solver = check(SUNLinSol_Dense(state, matrix, context), "SUNLinSol_Dense");
    cvode = check(CVodeCreate(CV_BDF, context), "CVodeCreate");
    check(CVodeSetErrHandlerFn(cvode, on_message, this), "CVodeSetErrHandlerFn");
    check(CVodeInit(cvode, rates, t, state), "CVodeInit");
    check(CVodeSetUserData(cvode, this), "CVodeSetUserData");
    check(CVodeWFtolerances(cvode, weights), "CVodeWFtolerances");
    check(CVodeSetLinearSolver(cvode, solver, matrix), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
    check(CVodeSetProjFn(cvode, project), "CVodeSetProjFn");
    check(CVodeSetProjErrEst(cvode, SUNFALSE), "CVodeSetProjErrEst");
    check(CVodeSetMaxErrTestFails(cvode, 20), "CVodeSetMaxErrTestFails");
    const Settings& s = self.settings_;
    if (s.step > 0) check(CVodeSetInitStep(cvode, s.step), "CVodeSetInitStep");
    if (s.max_step > 0) check(CVodeSetMaxStep(cvode, s.max_step), "CVodeSetMaxStep");
    if (s.min_step > 0) check(CVodeSetMinStep(cvode, s.min_step), "CVodeSetMinStep");
  }

  void release() {
    if (cvode) CVodeFree(&cvode);
    if (solver) SUNLinSolFree(solver);
    if (matrix) SUNMatDestroy(matrix);
    if (work) N_VDestroy(work);
    if (state) N_VDestroy(state);
    if (context) SUNContext_Free(&context);
    cvode = nullptr;
    solver = nullptr;
    matrix = nullptr;
    state = work = nullptr;
    context = nullptr;
  }

  // Runs `body`; an exception is kept, and CVODE is told to give up (−1).
  template <typename Body>
  static int guarded(void* data, Body body) noexcept {
    Session& session = *static_cast<Session*>(data);
    try {
      body(session.self, session);
      return 0;
    } catch (...) {
      session.thrown = std::current_exception();
      return -1;
    }
  }

  static int rates(realtype t, N_Vector y, N_Vector ydot, void* data) {
    return guarded(data, [&](Bdf& self, Session&) {
      ++self.counters_.evaluations;
      self.flow_->rates(t, span_of(y), span_of(ydot));
    });
  }

  static int weights(N_Vector y, N_Vector weight, void* data) {
    return guarded(data, [&](Bdf& self, Session&) {
      const ConstSpan value = span_of(y);
      const Span w = span_of(weight);
      const auto controlled =
          std::count_if(self.sizes_.begin(), self.sizes_.end(), [](double s) { return std::isfinite(s); });
      const double share =
          std::sqrt(static_cast<double>(w.size()) / static_cast<double>(std::max<long>(controlled, 1)));
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double size = self.sizes_[static_cast<Eigen::Index>(i)];
        // CVODE inverts weights: a component that is not controlled gets a tiny one instead of zero.
        w[i] = std::isfinite(size) ? share / (self.settings_.tolerance * std::max(std::abs(value[i]), size)) : 1e-100;
      }
    });
  }

  static int jacobian(realtype t, N_Vector y, N_Vector ydot, SUNMatrix matrix, void* data, N_Vector, N_Vector,
                      N_Vector) {
    return guarded(data, [&](Bdf& self, Session& session) {
      const Span at = span_of(y), f = span_of(ydot), moved = span_of(session.work);
      const double root = std::sqrt(std::numeric_limits<double>::epsilon());
      for (std::size_t j = 0; j < at.size(); ++j) {
        const double size = self.sizes_[static_cast<Eigen::Index>(j)], before = at[j];
        at[j] = before + root * std::max(std::abs(before), std::isfinite(size) ? size : 1.0);
        const double increment = at[j] - before;
        ++self.counters_.evaluations;
        try {
          self.flow_->rates(t, at, moved);
        } catch (...) {
          at[j] = before;
          throw;
        }
        at[j] = before;
        double* column = SUNDenseMatrix_Column(matrix, static_cast<sunindextype>(j));
        for (std::size_t i = 0; i < at.size(); ++i) column[i] = (moved[i] - f[i]) / increment;
      }
    });
  }

  static int project(realtype t, N_Vector y, N_Vector correction, realtype, N_Vector, void* data) {
    return guarded(data, [&](Bdf& self, Session&) {
      const ConstSpan before = span_of(y);
      const Span after = span_of(correction);
      std::copy(before.begin(), before.end(), after.begin());
      self.flow_->settle(t, after);
      for (std::size_t i = 0; i < after.size(); ++i) after[i] -= before[i];
    });
  }

  static void on_message(int, const char*, const char*, char*, void*) {}

  Bdf& self;
  SUNContext context = nullptr;
  N_Vector state = nullptr, work = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void* cvode = nullptr;
  std::exception_ptr thrown;
  long failures = 0;  // CVODE's own count so far
};

Bdf::Bdf(const Settings& settings) : BasicIntegrator(settings, "bdf") {}
Bdf::~Bdf() = default;

void Bdf::size_workspace(Eigen::Index n) {
  taylor_.resize(n, history_columns);
  taylor_new_.resize(n, history_columns);
  for (Vector* v : {&jump_, &y_new_, &f_new_, &sum_}) v->resize(n);
}

void Bdf::start(Flow& flow, double t, ConstSpan y) {
  if (flow.size() == 0) throw std::invalid_argument("integrator bdf: the flow has no components; use adams");
  session_.reset();
  begin(flow, t, y);
  size_workspace(y_.size());
  order_ = 0;
  session_ = std::make_unique<Session>(*this, t_, y_);
}

StepReport Bdf::step(double stop) {
  remaining(stop);
  if (within_rounding(stop)) {
    const StepReport report = nudge(stop, y_new_, f_new_);
    order_ = 0;
    session_ = std::make_unique<Session>(*this, t_, y_);
    return report;
  }
  if (!session_) session_ = std::make_unique<Session>(*this, t_, y_);
  Session& s = *session_;
  check(CVodeSetStopTime(s.cvode, stop), "CVodeSetStopTime");
  double t_new = t_;
  const int flag = CVode(s.cvode, stop, s.state, &t_new, CV_ONE_STEP);
  long errors = 0, convergence = 0;
  CVodeGetNumErrTestFails(s.cvode, &errors);
  CVodeGetNumStepSolveFails(s.cvode, &convergence);
  counters_.failed_steps += errors + convergence - s.failures;
  s.failures = errors + convergence;
  if (flag < 0) fail(flag);

  int order = 1;
  CVodeGetLastOrder(s.cvode, &order);
  // CVODE goes on with steps that do not move the clock.
  const double least = std::min(least_step(stop), stop - t_);
  if (t_new - t_ < least) {
    session_.reset();
    underflow(t_new - t_, least, order, 0);
  }
  const ConstSpan state = span_of(s.state);
  y_new_ = as_vector(state);
  double factorial = 1;
  for (int j = 1; j <= order; ++j) {
    factorial *= j;
    check(CVodeGetDky(s.cvode, t_new, j, s.work), "CVodeGetDky");
    taylor_new_.col(j) = as_vector(ConstSpan(span_of(s.work))) / factorial;
  }
  taylor_new_.col(0) = y_new_;
  try {
    BasicIntegrator::rates(t_new, y_new_, f_new_);
  } catch (...) {
    session_.reset();
    throw;
  }
  t_old_ = t_;
  t_ = t_new;
  y_old_.swap(y_);
  y_.swap(y_new_);
  ydot_.swap(f_new_);
  taylor_.swap(taylor_new_);
  order_ = order;
  ++counters_.steps;
  polynomial(t_old_, as_span(sum_));
  jump_ = y_old_ - sum_;
  return {t_, t_ - t_old_, order};
}

// CVODE gave up: throw what the flow threw, or say why. The next step begins anew from the last good one.
void Bdf::fail(int flag) {
  double h = 0;
  CVodeGetCurrentStep(session_->cvode, &h);
  const std::exception_ptr thrown = session_->thrown;
  session_.reset();
  if (thrown) std::rethrow_exception(thrown);
  SolveReport report;
  report.code = "S402";
  report.time = t_;
  switch (flag) {
    case CV_ERR_FAILURE:
      report.message = fmt::format("the error test failed again and again, down to a step of {:.3g} s", h);
      break;
    case CV_CONV_FAILURE:
      report.message = fmt::format("the implicit step did not converge, down to a step of {:.3g} s", h);
      break;
    case CV_TOO_MUCH_ACC:
      report.message = fmt::format("the tolerance {:.3g} is finer than rounding allows", settings_.tolerance);
      break;
    default:
      report.message = fmt::format("CVODE stopped with code {} at a step of {:.3g} s", flag, h);
  }
  report.details = {fmt::format("integrator bdf, tolerance {:.3g}, after {} steps and {} evaluations",
                                settings_.tolerance, counters_.steps, counters_.evaluations)};
  report.advice =
      "look for a jump or a singularity in a force, driver or joint near this time; a looser tolerance; integrator "
      "rk45 "
      "across many events";
  throw SolveError(std::move(report));
}

void Bdf::polynomial(double t, Span out) const {
  const double s = t - t_;
  auto y = as_vector(out);
  y = taylor_.col(order_);
  for (int j = order_ - 1; j >= 0; --j) y = s * y + taylor_.col(j);
}

void Bdf::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  if (order_ == 0) {
    as_vector(out) = y_ + (t - t_) * ydot_;
    return;
  }
  polynomial(t, out);
  const double theta = (t - t_old_) / (t_ - t_old_);
  as_vector(out) += (1 - theta) * (1 - theta) * (1 + 2 * theta) * jump_;
}

void Bdf::save(Memory& memory) const {
  const double own[] = {double(order_)};
  save_common(memory, own);
  const auto n = static_cast<std::size_t>(y_.size());
  Eigen::Map<Matrix> taylor(memory.slot(taylor_name, n * history_columns).data(), y_.size(), history_columns);
  taylor.setZero();
  if (order_ > 0) {
    taylor.leftCols(order_ + 1) = taylor_.leftCols(order_ + 1);
    as_vector(memory.slot(jump_name, n)) = jump_;
  } else {
    as_vector(memory.slot(jump_name, n)).setZero();
  }
}

void Bdf::load(Flow& flow, const Memory& memory) {
  const auto n = static_cast<std::size_t>(flow.size());
  const ConstSpan taylor = need(memory, taylor_name, n * history_columns), jump = need(memory, jump_name, n);
  double own[1];
  load_common(flow, memory, own);
  size_workspace(y_.size());
  order_ = static_cast<int>(own[0]);
  std::copy(taylor.begin(), taylor.end(), taylor_.data());
  jump_ = as_vector(jump);
  session_ = std::make_unique<Session>(*this, t_, y_);
}

}  // namespace mortise::integrate
