// Moore-Penrose pseudoinverses, one algorithm a file: of the vectors that come nearest to A x = c, x = A⁺c is the
// shortest. For any shape and rank, zero rows and the zero matrix among them.
//
// The rank is decided by a RankPolicy and nothing else. An object is a workspace: one per run and thread; after the
// first call it takes no memory while the shape stays.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/linalg/flops.h"
#include "mortise/linalg/rank_policy.h"
#include "mortise/linalg/types.h"

namespace mortise::linalg {

class Pseudoinverse {
 public:
  virtual ~Pseudoinverse() = default;
  // P = A⁺ (n×m for A m×n). `violation` is that of RankPolicy::threshold. An entry of A that is not finite makes all of
  // P not-a-number, and the rank zero.
  virtual void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) = 0;

  const Rank& rank() const { return rank_; }       // of the last call
  double flops() const { return flops_.count(); }  // of the last call

 protected:
  // Clears rank(), flops() and P; false when that was all: A is empty, or not finite.
  bool begin(const Matrix& A, Matrix& P);
  // Fills rank() from absolute figures; smallest_kept and largest_dropped count only where something was kept, dropped.
  void found(int rank, double largest, double cut, double smallest_kept, double largest_dropped);

  Rank rank_;
  Flops flops_;
};

// The registry: names are the same in YAML, on the command line and in tables.
struct PseudoinverseEntry {
  std::string name;
  std::string help;  // one line, with the accuracy to expect
  std::unique_ptr<Pseudoinverse> (*make)();
  bool squares = false;  // sees σ², so that accuracy falls with the square of the condition
};
const std::vector<PseudoinverseEntry>& pseudoinverses();
std::unique_ptr<Pseudoinverse> make_pseudoinverse(const std::string& name);  // throws std::invalid_argument

}  // namespace mortise::linalg
