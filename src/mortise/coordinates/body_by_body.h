// Maps that describe each body by itself: positions stay, and orientations get other numbers x with rates ẋ,
//
//     q = (r, x),   u̇ = (ṙ, ẋ),        ω (body axes) = B(x) ẋ,   ω̇ = B ẍ + γ.
//
// Only spatial rigid bodies are different from what they were; planar ones, particles and bodies held in a plane keep
// their coordinates. All rows stay, and the pattern of A with them.
#pragma once

#include "mortise/coordinates/mapped.h"

namespace mortise::coordinates {

class BodyByBody : public Mapped {
 public:
  std::string block_name(int block) const override { return mechanism_.block_name(block); }
  void typical_sizes(Span q, Span v) const override;

 protected:
  // `numbers`: how many describe an orientation. Own rows may be appended before `finish`.
  BodyByBody(const Mechanism& mechanism, int numbers);

  using Rates = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
  struct Turned {
    geometry::Quaternion orientation;
    Eigen::Vector3d gamma = Eigen::Vector3d::Zero();
  };
  // The orientation, B and γ at x, ẋ.
  virtual Turned turn(int body, double t, const double* x, const double* rates, Rates B) const = 0;
  virtual void lower_turn(int body, const geometry::Quaternion& orientation, const Eigen::Vector3d& omega, double* x,
                          double* rates) const = 0;
  int begin(int body) const { return pattern().columns.begin(body); }  // of its numbers, in q and in u̇

 private:
  void map(const State& mapped, Image& image) const final;
  void lower_motion(const State& absolute, Span q, Span v) const final;

  int numbers_;
};

}  // namespace mortise::coordinates
