#include "mortise/coordinates/natural.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mortise/coordinates/kinds.h"
#include "mortise/error.h"
#include "mortise/linalg/tree_factor.h"

namespace mortise::coordinates {

namespace {

using Eigen::Vector3d;
using linalg::Carry;
using linalg::Vector6;
using mechanism::ground;
using WorldColumns = Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>>;

gauss::TreeMethodSettings method_of(const CoordinateSettings& settings) {
  gauss::TreeMethodSettings out;
  out.tolerance = settings.tolerance;
  out.method = settings.accelerations == "recursion" ? gauss::TreeMethod::recursion
               : settings.accelerations == "factor"  ? gauss::TreeMethod::factor
                                                     : gauss::TreeMethod::conjugate_gradients;
  out.preconditioner = settings.preconditioner == "none"     ? gauss::TreePreconditioner::none
                       : settings.preconditioner == "lagged" ? gauss::TreePreconditioner::lagged
                                                             : gauss::TreePreconditioner::branches;
  return out;
}

}  // namespace

Natural::Natural(const Mechanism& mechanism, const State& start, const CoordinateSettings& settings)
    : TreeCoordinates(mechanism, spanning_tree(mechanism, Growth::natural)), formed_(settings.accelerations.empty()) {
  std::vector<int> place(mechanism.bodies().size());
  for (std::size_t k = 0; k < tree().size(); ++k) {
    const Branch& b = tree()[k];
    place[index(b.body)] = static_cast<int>(k);
    parent_.push_back(b.parent == ground ? -1 : place[index(b.parent)]);
    shape_.append(parent_.back(), b.v_size,
                  parent_.back() < 0 ? Carry::none
                  : b.absolute       ? Carry::pivot
                                     : Carry::shift);
    if (b.v_size > 0) block_body_.push_back(static_cast<int>(k));
    const mechanism::Body& body = mechanism.bodies()[index(b.body)];
    Carrier carrier;
    if (body.plane) carrier.axes = *body.plane;
    carrier.v = body.v;
    carrier.translations = body.translations();
    carrier.rigid = body.has_quaternion();
    carrier.turns = !body.particle;
    carriers_.push_back(carrier);
  }
  shape_.finish();
  keep_cut_rows();
  if (formed_) {
    const int block = append_block(shape_.rates());
    std::vector<std::vector<int>> columns(tree().size());
    for (std::size_t k = 0; k < tree().size(); ++k) {
      const Branch& b = tree()[k];
      std::vector<int>& own = columns[index(b.body)];
      if (b.parent != ground) own = columns[index(b.parent)];
      for (int j = 0; j < b.v_size; ++j) own.push_back(b.v + j);
    }
    for (std::vector<int>& own : columns) {
      J_offset_.push_back(J_size_);
      J_size_ += 6 * static_cast<int>(own.size());
      append_body(block, std::move(own));
    }
    finish();
  } else {
    for (const int k : block_body_) append_block(shape_.size(k));
    if (settings.accelerations == "factor") refuse_large_factor();
    layout_rows();
    formulation_ = std::make_unique<gauss::TreeFormulation>(shape_, method_of(settings));
  }
  seat(start);
}

void Natural::refuse_large_factor() const {
  constexpr double most = 1 << 30;
  const double bytes = sizeof(double) * static_cast<double>(linalg::sparse_tree_size(shape_));
  if (bytes <= most) return;
  throw ModelError(Diagnostic{"M488",
                              fmt::format("the factor of {} rates along paths of this length would take {:.1f} GiB",
                                          shape_.rates(), bytes / (1 << 30)),
                              mechanism_.model().analysis.place_coordinates, "accelerations: recursion", false});
}

// Which rates move which rows: those on the ways from the bodies of a joint to their roots.
void Natural::layout_rows() {
  const gauss::Pattern& from = mechanism_.pattern();
  std::vector<int> place(tree().size()), block(tree().size(), -1);
  for (std::size_t k = 0; k < tree().size(); ++k) place[index(tree()[k].body)] = static_cast<int>(k);
  for (std::size_t k = 0; k < block_body_.size(); ++k) block[index(block_body_[k])] = static_cast<int>(k);
  for (std::size_t first = 0; first < from.A.size();) {
    std::size_t end = first;
    while (end < from.A.size() && from.A[end].row == from.A[first].row) ++end;
    const int row = row_here(from.A[first].row);
    if (row >= 0) {
      RowPath path{row, from.A[first].rows, row_work_, {}, {}};
      std::map<int, int, std::greater<>> entry;  // of bodies in the tree, leaves first
      for (std::size_t k = first; k < end; ++k)
        for (int j = place[index(from.A[k].block)]; j >= 0; j = parent_[index(j)]) entry[j] = 0;
      for (auto& [body, at] : entry) {
        at = static_cast<int>(path.entries.size());
        path.entries.push_back({body, -1, -1});
      }
      for (PathEntry& e : path.entries)
        if (const int up = parent_[index(e.body)]; up >= 0) e.up = entry[up];
      for (std::size_t k = first; k < end; ++k)
        path.sources.push_back({static_cast<int>(k), entry[place[index(from.A[k].block)]]});
      for (std::size_t k = path.entries.size(); k-- > 0;)
        if (const int to = block[index(path.entries[k].body)]; to >= 0)
          path.entries[k].offset = append_row_block(row, path.rows, to);
      row_work_ += path.rows * static_cast<int>(path.entries.size());
      paths_.push_back(std::move(path));
    }
    first = end;
  }
  finish_layout();
}

std::unique_ptr<Image> Natural::make_image() const {
  auto image = std::make_unique<NaturalImage>(shape_);
  image->poses.resize(tree().size() + 1);
  image->rows.resize(index(row_work_));
  image->sum.setZero(shape_.rates());
  image->J.setZero(J_size_);
  image->local.tree = &image->mass;
  image->local.by = formulation_.get();
  for (std::size_t k = 0; k < tree().size(); ++k) {
    const mechanism::Body& body = mechanism_.bodies()[index(tree()[k].body)];
    image->mass.link(static_cast<int>(k)).mass = body.mass;
  }
  return image;
}

// ---- from a body's own coordinates to world axes and back
// ----------------------------------------------------------------------------------

Vector6 Natural::to_world(const Carrier& c, const Pose& pose, const double* x) const {
  Vector6 out = Vector6::Zero();
  if (c.rigid) {
    out.head<3>() = Eigen::Map<const Vector3d>(x);
    out.tail<3>().noalias() = pose.R * Eigen::Map<const Vector3d>(x + 3);
    return out;
  }
  for (int i = 0; i < c.translations; ++i) out.head<3>() += x[i] * c.axes.col(i);
  if (c.turns) out.tail<3>() = x[2] * c.axes.col(2);
  return out;
}

// ---- the map
// -------------------------------------------------------------------------------------------------------------------

void Natural::map(const State& mapped, Image& given) const {
  NaturalImage& image = static_cast<NaturalImage&>(given);
  const auto call = [&](int k) { place(index(k), mapped, image); };
  shape_.from_roots(call);
}

// Pose, X, H and γ of one body: its parent is done.
void Natural::place(std::size_t k, const State& mapped, NaturalImage& image) const {
  const Branch& b = tree()[k];
  const Pose& P = image.poses[index(parent_[k] + 1)];
  Pose& C = image.poses[k + 1];
  const TreeJoint& at = joint(k);
  const double* x = mapped.q.data() + b.q;
  const double* u = mapped.v.data() + b.v;
  at.turn(x, P, C);
  const Directions d = at.directions(P, C);
  Vector3d slide = Vector3d::Zero(), spin = Vector3d::Zero();
  for (int j = 0; j < d.count; ++j) (j < b.slides ? slide : spin) += u[j] * d.of[index(j)];
  const Vector3d point = at.point(x, d, P), arm = at.arm(C), arm_P = point - P.r;
  C.r = point + arm;
  if (b.absolute) {
    C.w = spin;
    C.alpha.setZero();
  } else {
    C.w = P.w + spin;
    C.alpha = P.alpha + P.w.cross(spin);
    if (b.freedom == Freedom::universal) C.alpha += u[0] * u[1] * d.of[0].cross(d.of[1]);
  }
  C.v = P.v + P.w.cross(arm_P) + slide + C.w.cross(arm);
  C.a = P.a + P.alpha.cross(arm_P) + P.w.cross(P.w.cross(arm_P)) + 2 * P.w.cross(slide) + C.alpha.cross(arm) +
        C.w.cross(C.w.cross(arm));
  const int body = static_cast<int>(k);
  image.mass.link(body).r = b.absolute ? arm_P : Vector3d(C.r - P.r);
  double* H = image.mass.H(body);
  for (int j = 0; j < d.count; ++j, H += 6) {
    const Vector3d& e = d.of[index(j)];
    if (j < b.slides)
      Eigen::Map<Vector6>(H) << e, Vector3d::Zero();
    else
      Eigen::Map<Vector6>(H) << e.cross(arm), e;
  }
  write_pose(b, C, image);
  if (formed_) write_null_space(k, image);
}

// The block row of A: X times that of the parent, then H; in world axes, and as N in the body's own.
void Natural::write_null_space(std::size_t k, NaturalImage& image) const {
  const Branch& b = tree()[k];
  const int body = static_cast<int>(k);
  const auto block = [&](int of) {
    return WorldColumns(image.J.data() + J_offset_[index(of)], 6,
                        static_cast<Eigen::Index>(columns(of).columns.size()));
  };
  WorldColumns J = block(b.body);
  const Eigen::Index inherited = J.cols() - shape_.size(body);
  if (inherited > 0) {
    const WorldColumns above = block(b.parent);
    for (Eigen::Index j = 0; j < inherited; ++j)
      J.col(j) = linalg::carry_down(shape_.carry(body), image.mass.link(body).r, above.col(j));
  }
  const double* H = image.mass.H(body);
  for (Eigen::Index j = inherited; j < J.cols(); ++j, H += 6) J.col(j) = Eigen::Map<const Vector6>(H);

  const Carrier& c = carriers_[k];
  const Pose& C = image.poses[k + 1];
  double* N = image.N.data() + columns(b.body).offset;
  const Eigen::Matrix3d& turn = c.rigid ? C.R : c.axes;
  for (int i = 0; i < c.translations; ++i)
    for (Eigen::Index j = 0; j < J.cols(); ++j) *N++ = c.axes.col(i).dot(J.col(j).head<3>());
  if (c.turns)
    for (int i = c.rigid ? 0 : 2; i < 3; ++i)
      for (Eigen::Index j = 0; j < J.cols(); ++j) *N++ = turn.col(i).dot(J.col(j).tail<3>());
}

void Natural::velocities(Image& given, ConstSpan u, Span v) const {
  if (formed_) return Mapped::velocities(given, u, v);
  NaturalImage& image = static_cast<NaturalImage&>(given);
  image.mass.velocities(u.data(), image.motion);
  const auto call = [&](int k) {
    const Carrier& c = carriers_[index(k)];
    const Vector6& w = image.motion[index(k)];
    double* to = v.data() + c.v;
    if (c.rigid) {
      Eigen::Map<Vector3d>{to} = w.head<3>();
      Eigen::Map<Vector3d>(to + 3).noalias() = image.poses[index(k + 1)].R.transpose() * w.tail<3>();
      return;
    }
    for (int i = 0; i < c.translations; ++i) to[i] = c.axes.col(i).dot(w.head<3>());
    if (c.turns) to[2] = c.axes.col(2).dot(w.tail<3>());
  };
  shape_.in_any_order(call);
}

void Natural::add_transposed(Image& given, ConstSpan Q, Span out) const {
  if (formed_) return Mapped::add_transposed(given, Q, out);
  NaturalImage& image = static_cast<NaturalImage&>(given);
  const auto call = [&](int k) {
    const Carrier& c = carriers_[index(k)];
    image.force[index(k)] = to_world(c, image.poses[index(k + 1)], Q.data() + c.v);
  };
  shape_.in_any_order(call);
  image.mass.gather(image.force, image.sum.data());
  as_vector(out) += image.sum;
}

// Q* = Aᵀ(Q − Mγ); of M* the numbers that its sweeps need.
void Natural::reduce_mass(MappedScratch& s, Evaluation& out) const {
  if (formed_) return Mapped::reduce_mass(s, out);
  NaturalImage& image = static_cast<NaturalImage&>(*s.image);
  const double* Q = s.evaluation.problem.Q.data();
  const auto call = [&](int k) {
    const Carrier& c = carriers_[index(k)];
    const Pose& pose = image.poses[index(k + 1)];
    const mechanism::Body& body = mechanism_.bodies()[index(tree()[index(k)].body)];
    linalg::TreeLink& link = image.mass.link(k);
    Vector6& f = image.force[index(k)];
    f = to_world(c, pose, Q + c.v);
    f.head<3>() -= link.mass * pose.a;
    if (c.rigid) {
      link.J.noalias() = pose.R * (body.inertia * pose.R.transpose()).eval();
      f.tail<3>() -= link.J * pose.alpha;
    } else if (c.turns) {
      const Vector3d n = c.axes.col(2);
      link.J = body.inertia(2, 2) * n * n.transpose();
      f.tail<3>() -= link.J * pose.alpha;
    }
  };
  shape_.in_any_order(call);
  image.mass.gather(image.force, out.problem.Q.data());
  out.problem.local = &image.local;
}

// G = B_c A from the joint to the roots, without A: what a row does to a body, then to its rates, then to its parent.
void Natural::reduce_blocks(MappedScratch& s, const State& state, Evaluation& out) const {
  if (formed_) return Mapped::reduce_blocks(s, state, out);
  NaturalImage& image = static_cast<NaturalImage&>(*s.image);
  const gauss::Pattern& from = mechanism_.pattern();
  const gauss::GaussProblem& inner = s.evaluation.problem;
  out.problem.local = &image.local;
  const auto reduce = [&](const RowPath& path) {
    Vector6* rows = image.rows.data() + path.work;
    for (std::size_t k = 0; k < path.entries.size() * index(path.rows); ++k) rows[k].setZero();
    for (const PathSource& source : path.sources) {
      const gauss::RowBlock& e = from.A[index(source.block)];
      const int size = from.columns.size(e.block), begin = from.columns.begin(e.block);
      const int body = path.entries[index(source.entry)].body;
      const double* A = inner.A.data() + e.offset;
      for (int i = 0; i < path.rows; ++i, A += size) {
        if (!state.active[index(path.row + i)]) continue;
        rows[source.entry * path.rows + i] += to_world(carriers_[index(body)], image.poses[index(body + 1)], A);
        for (int l = 0; l < size; ++l) out.problem.b[path.row + i] -= A[l] * image.gamma[begin + l];
      }
    }
    for (std::size_t k = 0; k < path.entries.size(); ++k) {
      const PathEntry& e = path.entries[k];
      const int rates = shape_.size(e.body);
      const double* H = image.mass.H(e.body);
      double* to = e.offset >= 0 ? out.problem.A.data() + e.offset : nullptr;
      for (int i = 0; i < path.rows; ++i) {
        const Vector6& g = rows[k * index(path.rows) + index(i)];
        for (int j = 0; j < rates; ++j) *to++ = g.dot(Eigen::Map<const Vector6>(H + 6 * j));
        if (e.up >= 0)
          rows[e.up * path.rows + i] += linalg::carry_up(shape_.carry(e.body), image.mass.link(e.body).r, g);
      }
    }
  };
  // Paths read what the map wrote and write rows of their own.
  constexpr std::size_t together = 16;
  if (paths_.size() < 4 * together) {
    for (const RowPath& path : paths_) reduce(path);
    return;
  }
  linalg::for_each_task((paths_.size() + together - 1) / together, [&](std::size_t k) {
    for (std::size_t p = k * together; p < std::min(paths_.size(), (k + 1) * together); ++p) reduce(paths_[p]);
  });
}

// ---- messages
// ------------------------------------------------------------------------------------------------------------------

std::string Natural::block_name(int block) const {
  if (formed_) return TreeCoordinates::block_name(block);
  return mechanism_.block_name(tree()[index(block_body_[index(block)])].body);
}

std::vector<std::string> Natural::remarks() const {
  std::vector<std::string> out{describe_tree(mechanism_, tree())};
  for (std::string& line : describe_cuts(mechanism_, tree())) out.push_back(std::move(line));
  if (!formulation_) return out;
  const gauss::TreeCounters& c = formulation_->counters();
  if (c.solves > 0)
    out.push_back(fmt::format("conjugate gradients: {:.1f} steps a solution, {} at most, {} solutions{}",
                              static_cast<double>(c.steps) / static_cast<double>(c.solves), c.most.load(),
                              c.solves.load(),
                              c.refreshed > 0 ? fmt::format(", {} factorisations", c.refreshed.load()) : ""));
  return out;
}

std::unique_ptr<CoordinateSystem> make_natural(const Mechanism& mechanism, const State& start,
                                               const CoordinateSettings& settings) {
  return std::make_unique<Natural>(mechanism, start, settings);
}

}  // namespace mortise::coordinates
