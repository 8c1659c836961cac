// Pages of formulations. The equations are those of the headers in gauss/, where their sources stand.
#include "mortise/view/method_pages.h"

namespace mortise::view {

const std::vector<MethodPage>& formulation_pages() {
  static const std::vector<MethodPage> all{
      {"auto",
       "few rows             udwadia-kalaba\n"
       "some                 sparse while its pivots are clear of zero, else udwadia-kalaba\n"
       "many                 sparse",
       "The default, and the right choice unless you compare methods. Both of its members handle redundant rows. "
       "`pseudoinverse` and `reuse` concern the dense one alone.",
       "that of the member at work: dense n·m², sparse linear in the bodies.", "until: 1, formulation: auto"},
      {"lagrange",
       "M a + Aᵀλ = Q,   A a = b\n"
       "S λ = A M⁻¹Q − b,   S = A M⁻¹Aᵀ,   a = M⁻¹(Q − Aᵀλ)",
       "Full row rank only: where rows depend on one another it refuses and names them (S421). Rows that are dependent "
       "to within about 1e-7 count as dependent, since S shows squares of singular values. Needs mass everywhere.",
       "S from pairs of rows that meet in a body, then m³/6.", "until: 1, formulation: lagrange", "four-bar"},
      {"sparse",
       "S μ = Y w_f − c,   S = Y Yᵀ,   Y = scaled rows A L⁻ᵀ,   M = L Lᵀ\n"
       "redundant rows:  μ += (S + εI)⁻¹(Y w − c) until the rows hold; μ of minimum norm",
       "Large mechanisms: chains, ladders, machines of many bodies. Elimination follows the joint graph, in an order "
       "of "
       "least degree that is found once. Redundant and contradicting rows are handled and named. Needs mass "
       "everywhere.",
       "linear in the bodies while loops are small; three substitutions instead of one where rows are redundant.",
       "until: 1, formulation: sparse"},
      {"udwadia-kalaba",
       "a = a_f + L⁻ᵀD⁺(b − A a_f),   λ = −(D⁺)ᵀD⁺(b − A a_f)\n"
       "D = A L⁻ᵀ,   M = L Lᵀ,   a_f = M⁻¹Q,   D⁺ the pseudoinverse",
       "Any rank, with the rank decided on singular values and not on their squares: the method to trust near singular "
       "poses. Says which rows are redundant. Needs mass everywhere. `reuse` keeps D⁺ for some steps, at a price in "
       "accuracy.",
       "about 2n·m² − 2m³/3 for the decomposition, 4n·r for a solution.",
       "until: 1, formulation: udwadia-kalaba, pseudoinverse: cod"},
      {"gigsp",
       "A L⁻ᵀ = R H,   H with orthonormal rows,   R₁b₁ = b (kept rows)\n"
       "a = a_f + L⁻ᵀHᵀ(b₁ − H Lᵀa_f)",
       "When you want to know which row contradicts which others and by how much: such a row is left out and named, "
       "all "
       "others are fulfilled. Any rank. Needs mass everywhere.",
       "n³/3 + n²m + 2n·m²; with redundant rows m(m − r)² more.", "until: 1, formulation: gigsp"},
      {"orthogonal-complement",
       "v = N u with A N = 0\n"
       "a = a₀ + N z,   A a₀ = b,   NᵀM N z = Nᵀ(Q − M a₀)",
       "Minimal equations with reactions in the local frames of the joints (Blajer, Bestle, Schiehlen). Any rank; a "
       "body "
       "may be massless where joints carry it. Complementary coordinates are chosen by condition, so the last bits "
       "depend on the history.",
       "2n·m² + 2n·k² + 2k²(n − k) + 2n²(n − m), k local coordinates.", "until: 1, formulation: orthogonal-complement"},
      {"direct", "[M Aᵀ; A 0] [a; λ] = [Q; b]",
       "The textbook's saddle system as it stands, for comparison: LU with complete pivoting, its pseudoinverse where "
       "rows are redundant. Any mass, any rank; singular values of A below about 1e-7 count as zero.",
       "2(n + m)³/3; much more where rows are redundant.", "until: 1, formulation: direct"},
      {"least-squares-1", "λ = S⁺(A a_f − b),   a = a_f − M⁻¹Aᵀλ,   S = A M⁻¹Aᵀ",
       "The elimination of `lagrange` with a pseudoinverse in place of the inverse: any rank. Sees squares of singular "
       "values, so accuracy ends at about 1e-7 of the condition. Needs mass everywhere.",
       "n·m² for S, then a pseudoinverse of m×m.", "until: 1, formulation: least-squares-1"},
      {"least-squares-2",
       "E = I − A⁺A,   W = (E M E)⁺\n"
       "a = W Q + (A⁺ − W M A⁺) b,   λ = (A⁺)ᵀ(Q − M a)",
       "Massless bodies that joints carry, and euler-parameters. Any rank. Refuses a motion that has neither mass nor "
       "constraint (S423).",
       "pseudoinverses of m×n and n×n.", "until: 1, formulation: least-squares-2"},
      {"udwadia-phohomsiri", "a = [E M; A]⁺ [E Q; b],   E = I − A⁺A,   λ = (A⁺)ᵀ(Q − M a)",
       "Like least-squares-2 for massless bodies, by one stacked pseudoinverse. Any rank. Refuses a motion without "
       "mass "
       "and constraint (S423).",
       "pseudoinverses of m×n and (n + m)×n.", "until: 1, formulation: udwadia-phohomsiri"},
      {"singh-likins",
       "A = U Σ Vᵀ,   V = [V₁ V₂]\n"
       "a = A⁺b + V₂(V₂ᵀM V₂)⁻¹V₂ᵀ(Q − M A⁺b)",
       "The most careful of the minimal forms, with orthonormal bases throughout, and the dearest. Any rank, any mass "
       "that the free motions feel.",
       "4n²m + 8n·m² + 9m³ for the singular values.", "until: 1, formulation: singh-likins"},
      {"kim-vanderploeg",
       "AᵀP = [Q₁ Q₂] R,   A_r the kept rows\n"
       "Q̃₁ = Q₁(A_r Q₁)⁻¹,   Q̃₂ = Q₂ − Q̃₁A_r Q₂\n"
       "a = Q̃₁b_r + Q̃₂(Q̃₂ᵀM Q̃₂)⁻¹Q̃₂ᵀ(Q − M Q̃₁b_r)",
       "Minimal equations with `reuse`: an old QR serves for some steps without loss of accuracy. Names dropped rows. "
       "Any rank, any mass that the free motions feel.",
       "4n³/3 + n²m + 4n·m² + m³; an old QR saves 2m²(n − m/3).",
       "until: 1, formulation: {type: kim-vanderploeg, reuse: 5}"},
      {"coordinate-partition",
       "A a = A_d a_d + A_i a_i,   N = [−A_d⁺A_i; I]\n"
       "a = [A_d⁺b; 0] + N(NᵀM N)⁻¹Nᵀ(Q − M[A_d⁺b; 0])",
       "Minimal equations in independent coordinates, which are kept while well conditioned. Any rank, any mass that "
       "the free motions feel. Not to be confused with `stabilize: partition`, which integrates them.",
       "4r(mn − (m + n)r/2 + r²/3) + r²(n − r).", "until: 1, formulation: coordinate-partition"},
      {"gauss-gradient", "minimise ½aᵀM a − aᵀQ on A a = b by conjugate gradients, projected by P = I − A⁺A",
       "Needs only products with M and A; no matrix is decomposed for the answer, which has the accuracy of a direct "
       "solve. Any rank. For comparison, and as the fair rival of the genetic search.",
       "n − r iterations of 2n² and two projections each.", "until: 1, formulation: gauss-gradient"},
      {"gauss-genetic", "minimise (a − a_f)ᵀM(a − a_f) + w|A a − b|² by a genetic search over 16 n bits",
       "A laboratory method for systems of a few coordinates: about three digits. Needs a fixed step; `seed`, "
       "`islands`, `runs` belong to it. The same bits on any number of threads.",
       "6400 values of the function a run: 8 runs at first, then 3 a solve.",
       "until: 0.01, formulation: gauss-genetic, integrator: rk4, step: 0.01", "pendulum"},
      {"gauss-cellular", "minimise (a − a_f)ᵀM(a − a_f) + w|A a − b|², one population on a torus",
       "As gauss-genetic, with mating among neighbours on the torus.", "as gauss-genetic.",
       "until: 0.01, formulation: gauss-cellular, integrator: rk4, step: 0.01", "pendulum"},
      {"gauss-de", "minimise (a − a_f)ᵀM(a − a_f) + w|A a − b|² by differential evolution",
       "A rival of the genetic search, in a module that is built where pagmo2 is installed (libpagmo-dev).",
       "as gauss-genetic.", "until: 0.01, formulation: gauss-de, integrator: rk4, step: 0.01", "pendulum"},
      {"gauss-cmaes", "minimise (a − a_f)ᵀM(a − a_f) + w|A a − b|² by CMA-ES",
       "A rival of the genetic search, in a module that is built where pagmo2 is installed (libpagmo-dev).",
       "as gauss-genetic.", "until: 0.01, formulation: gauss-cmaes, integrator: rk4, step: 0.01", "pendulum"},
  };
  return all;
}

}  // namespace mortise::view
