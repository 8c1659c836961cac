// Every formulation by name: a new one is a line here.
#include <stdexcept>
#include <type_traits>

#include "mortise/gauss/automatic.h"
#include "mortise/gauss/coordinate_partition.h"
#include "mortise/gauss/direct.h"
#include "mortise/gauss/formulation.h"
#include "mortise/gauss/genetic.h"
#include "mortise/gauss/gigsp.h"
#include "mortise/gauss/gradient.h"
#include "mortise/gauss/kim_vanderploeg.h"
#include "mortise/gauss/lagrange.h"
#include "mortise/gauss/least_squares_1.h"
#include "mortise/gauss/least_squares_2.h"
#include "mortise/gauss/orthogonal_complement.h"
#include "mortise/gauss/rivals.h"
#include "mortise/gauss/singh_likins.h"
#include "mortise/gauss/sparse.h"
#include "mortise/gauss/udwadia_kalaba.h"
#include "mortise/gauss/udwadia_phohomsiri.h"

namespace mortise::gauss {

namespace {
template <class T>
std::unique_ptr<Formulation> make(const FormulationSettings& settings) {
  if constexpr (std::is_constructible_v<T, const FormulationSettings&>)
    return std::make_unique<T>(settings);
  else
    return std::make_unique<T>();
}
}  // namespace

const std::vector<FormulationEntry>& formulations() {
  static const std::vector<FormulationEntry> entries{
      {"auto", "picks for you: sparse, and udwadia-kalaba for very few rows and where a few of them are redundant",
       make<Automatic>},
      {"lagrange", "multipliers by elimination; fastest, refuses redundant rows by name", make<Lagrange>},
      {"sparse", "multipliers by elimination along the joint graph; linear in the bodies, any rank", make<Sparse>},
      {"udwadia-kalaba", "nearest acceleration by pseudoinverse; any rank, says which rows are redundant",
       make<UdwadiaKalaba>},
      {"gigsp", "orthonormal rows by Gram-Schmidt; any rank, says which row contradicts which others", make<Gigsp>},
      {"orthogonal-complement", "velocities that local constraints allow, complement chosen at every pose; any rank",
       make<OrthogonalComplement>},
      {"direct", "the saddle system as it stands, by LU or its pseudoinverse; any mass, any rank", make<Direct>},
      {"least-squares-1", "multipliers by the pseudoinverse of A M⁻¹Aᵀ; any rank", make<LeastSquares1>},
      {"least-squares-2", "blocks of the saddle matrix' pseudoinverse; any mass, any rank", make<LeastSquares2>},
      {"udwadia-phohomsiri", "accelerations by one stacked pseudoinverse; any mass, any rank", make<UdwadiaPhohomsiri>},
      {"singh-likins", "minimal equations on the null space by singular values; any mass, any rank", make<SinghLikins>},
      {"kim-vanderploeg", "minimal equations by QR, which `reuse` may keep; any mass, drops dependent rows",
       make<KimVanderploeg>},
      {"coordinate-partition", "minimal equations in independent coordinates, kept while well conditioned; any mass",
       make<CoordinatePartition>},
      {"gauss-gradient", "Gauss' function by projected conjugate gradients; matrix products only, any rank",
       make<Gradient>},
      {"gauss-genetic", "Gauss' function by genetic search, in islands if asked; three digits, any rank, no solving",
       make<Genetic>},
      {"gauss-cellular", "the same with one population on a torus, mating with neighbours", make_cellular},
      {"gauss-de", "the same function by differential evolution of pagmo2; an optional module",
       make_differential_evolution},
      {"gauss-cmaes", "the same function by CMA-ES of pagmo2; an optional module", make_cmaes},
  };
  return entries;
}

std::unique_ptr<Formulation> make_formulation(const std::string& name, const FormulationSettings& settings) {
  std::string known;
  for (const FormulationEntry& entry : formulations()) {
    if (entry.name == name) return entry.make(settings);
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw std::invalid_argument("unknown formulation '" + name + "'; known: " + known);
}

}  // namespace mortise::gauss
