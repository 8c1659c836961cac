// What all maps (N, γ) share: from the mechanism's Gauss problem to that of the new unknowns.
//
// Of N only what is not zero is kept: for each body the columns that move it, which all lie in one block of the new
// velocities. Then M* is block diagonal again, block = Σ N_kᵀ M_k N_k over its bodies, and a row block of A becomes a
// row block of A* with the columns of that block. A map of each body by itself keeps the pattern of A; one in which all
// bodies share a block (a tree) makes it dense.
//
// Source: coordinate_system.h. Cost per body with c columns: 6c for v, 36c + 6c² for M*, 6c per row of A.
#pragma once

#include "mortise/coordinates/coordinate_system.h"

namespace mortise::coordinates {

// Where a map writes: all sized by Mapped::make_image.
struct Image {
  virtual ~Image() = default;
  Vector q;      // absolute
  Vector N;      // of each body v_size × columns, row-major, at Mapped::columns(body).offset
  Vector gamma;  // absolute accelerations with ü = 0
};

// What a mapped system keeps beside the mechanism's own scratch.
struct MappedScratch : Scratch {
  std::unique_ptr<Scratch> inner;
  std::unique_ptr<Image> image;
  State absolute;
  Evaluation evaluation;  // of the mechanism
  Vector Q;               // absolute, with the loads of `add_feedback`
  Vector Q_free;          // without them
  Vector a, lambda;       // absolute
  Vector Q_rest, M_a;     // for λ of fulfilled rows
  Vector work;            // M_k N_k of one body; M γ
};

class Mapped : public CoordinateSystem {
 public:
  void lift(const State& mapped, State& absolute) const override;
  void lower(const State& absolute, State& mapped) const override;
  const std::vector<int>& absolute_rows() const override { return absolute_row_; }
  void lift_acceleration(ConstSpan own, Scratch& scratch, Span absolute) const override;

  // Accelerations and multipliers of all rows of the mechanism from those found here, at the point of the last
  // `evaluate`: of rows that the map fulfils, too.
  void lift_solution(ConstSpan a, ConstSpan lambda, Scratch& scratch, Span absolute_a, Span absolute_lambda) const;

  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return q_size_; }
  void evaluate(const State& state, unsigned needs, Scratch& scratch, Evaluation& out) const override;
  std::unique_ptr<Scratch> make_scratch() const override;
  void feedback(const State& state, ConstSpan a, ConstSpan lambda, Scratch& scratch, const Evaluation& e,
                Span z) const override;
  void add_feedback(const State& state, ConstSpan z, unsigned needs, Scratch& scratch, Evaluation& out) const override;
  std::string row_name(int row) const override;
  SolveReport blame_non_finite(const State& state) const override;

 protected:
  explicit Mapped(const Mechanism& mechanism)
      : CoordinateSystem(mechanism), row_here_(index(mechanism.pattern().m()), -1) {}

  // The columns that move a body: `columns` within `block`; its part of N begins at `offset`.
  struct BodyColumns {
    int block = 0;
    std::vector<int> columns;
    int offset = 0;
  };

  // ---- for constructors: blocks, bodies in their order, rows, then `finish`
  void set_q_size(int size) { q_size_ = size; }
  int append_block(int size);
  void append_body(int block, std::vector<int> columns);
  void keep_rows(int row, int count);
  // A holonomic row of the unknowns' own, on one block, behind the kept ones: to be written by `own_rows`.
  void append_own_row(int block, double scale, double velocity_size, std::string name);
  void finish();
  // For maps that keep N in another way: the row blocks of A* one by one, by row, then block; then the end.
  int row_here(int absolute) const { return row_here_[index(absolute)]; }  // −1: fulfilled
  int append_row_block(int row, int rows, int block);                      // its offset in A*
  void finish_layout();

  // Of the k-th own row: its number, and where its columns begin in A.
  int own_row(int k) const { return pattern_.m() - static_cast<int>(own_.size()) + k; }
  int own_offset(int k) const { return own_[static_cast<std::size_t>(k)].offset; }

  const BodyColumns& columns(int body) const { return body_[static_cast<std::size_t>(body)]; }

  // ---- the map itself
  virtual std::unique_ptr<Image> make_image() const { return std::make_unique<Image>(); }
  // q, N and γ at a state; no allocation. N and γ are zero where they are never written.
  virtual void map(const State& mapped, Image& image) const = 0;
  virtual void lower_motion(const State& absolute, Span q, Span v) const = 0;
  // φ, φ̇, b and A of the rows of `append_own_row`; c_t is zero.
  virtual void own_rows(const State&, Evaluation&) const {}
  // v = N u; out += NᵀQ; A* = A N with b* = b − Aγ for the rows that stay; M* = NᵀMN with Q* = Nᵀ(Q − Mγ). Here with N
  // as it was laid out by `append_body`.
  virtual void velocities(Image& image, ConstSpan u, Span v) const;
  virtual void add_transposed(Image& image, ConstSpan Q, Span out) const;
  virtual void reduce_blocks(MappedScratch& scratch, const State& state, Evaluation& out) const;
  virtual void reduce_mass(MappedScratch& scratch, Evaluation& out) const;
  // λ of rows that the map fulfils, from Aᵀλ = Q − M a: only loads that depend on reactions ask for it.
  virtual void fulfilled_multipliers(MappedScratch&) const {}

 private:
  std::unique_ptr<Image> sized_image() const;
  void recover(ConstSpan a, ConstSpan lambda, MappedScratch& scratch) const;
  void reduce_rows(MappedScratch& scratch, const State& state, Evaluation& out) const;

  struct OwnRow {
    int block, offset;
    double scale, velocity_size;
    std::string name;
  };

  gauss::Pattern pattern_;
  int q_size_ = 0;
  int N_size_ = 0;
  std::vector<BodyColumns> body_;
  std::vector<int> absolute_row_;  // of each row here; −1: own
  std::vector<int> row_here_;      // of each absolute row; −1: fulfilled
  std::vector<OwnRow> own_;
  std::vector<int> target_;  // of each row block of the mechanism: the offset in A* of its first row; −1: fulfilled
};

}  // namespace mortise::coordinates
