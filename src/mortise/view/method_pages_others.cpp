// Pages of pseudoinverses, coordinates, integrators and stabilisations. The equations are those of the headers in
// linalg/, coordinates/, integrate/ and stabilize/, where their sources stand.
#include "mortise/view/method_pages.h"

namespace mortise::view {

const std::vector<MethodPage>& pseudoinverse_pages() {
  static const std::vector<MethodPage> all{
      {"svd", "A = U Σ Vᵀ,   A⁺ = Σ vᵢuᵢᵀ/σᵢ over σᵢ above the threshold",
       "The reference: the only one that sees the singular values themselves. Error about 1e-15 times the condition.",
       "4l²s + 8ls² + 9s³, l ≥ s the sides.", "until: 1, formulation: udwadia-kalaba, pseudoinverse: svd"},
      {"cod", "AᵀP = Q [R₁₁ R₁₂; 0 0],   [R₁₁ R₁₂] = [T 0] Zᵀ,   A⁺ = Q₁T⁻ᵀZ₁ᵀPᵀ",
       "The choice of `udwadia-kalaba` when none is named: decides the rank, says which rows it kept. Error about "
       "3e-16 "
       "times the condition.",
       "2n·m² − 2m³/3, and 2r²(m − r) more where rows are dropped.",
       "until: 1, formulation: udwadia-kalaba, pseudoinverse: cod"},
      {"varga", "A Π = U [G; 0],   G₁ᵀ = V [T; 0],   A⁺ = V₁T⁻ᵀU₁ᵀ",
       "Two Householder factorisations, the first with column pivoting. Error about 3e-16 times the condition.",
       "8n·m² − m³ for A⁺ itself.", "until: 1, formulation: udwadia-kalaba, pseudoinverse: varga"},
      {"gram-schmidt", "A = R H with orthonormal rows H,   A⁺ = HᵀR⁺",
       "The orthonormal rows of `gigsp`, carried on to the pseudoinverse: the cheapest. Error about 2e-16 times the "
       "condition.",
       "3n·m².", "until: 1, formulation: udwadia-kalaba, pseudoinverse: gram-schmidt"},
      {"greville", "d = aᵢP,   c = aᵢ − d A,   P ← [P − b d | b],   b = cᵀ/(c cᵀ), or P dᵀ/(1 + d dᵀ) where c = 0",
       "Row by row, longest first. Nothing corrects earlier errors: about 3e-16 times the condition squared.",
       "3n·m², up to 2n·m² more where rows are orthogonalised again.",
       "until: 1, formulation: udwadia-kalaba, pseudoinverse: greville"},
      {"ls-householder", "[I Bᵀ; B 0][x; μ] = [0; eᵢ] by pivoted Householder reflections,   B = A/(longest row)",
       "For comparison with published tables. Blind below 1e-7 of the largest singular value; error about 1e-16 times "
       "the condition squared.",
       "4(n + m)³/3 and the columns.", "until: 1, formulation: udwadia-kalaba, pseudoinverse: ls-householder"},
      {"ls-mgs", "[I Bᵀ; B 0][x; μ] = [0; eᵢ] by modified Gram-Schmidt with one step of refinement",
       "For comparison with published tables; the slowest. Error about 5e-17 times the condition squared.",
       "4(n + m)³ and the columns.", "until: 1, formulation: udwadia-kalaba, pseudoinverse: ls-mgs"},
  };
  return all;
}

const std::vector<MethodPage>& coordinate_pages() {
  static const std::vector<MethodPage> all{
      {"absolute", "each body: position, quaternion; velocity, angular velocity",
       "The default: sparse matrices, no singular pose, events and every formulation.", "the mechanism's own.",
       "until: 1, coordinates: absolute", "top"},
      {"euler-angles", "R = Rz(α) Rx(β) Rz(γ) C,   ω = CᵀG'(α̇, β̇, γ̇),   det G' = −sin β",
       "For comparison with papers. C is chosen at the start so that β stays clear of 0 and π, and anew where it does "
       "not; a step that runs into the pole fails (S424).",
       "six sines and a 3×3 product a body.", "until: 1, coordinates: euler-angles", "top"},
      {"euler-parameters", "ω = 2/(pᵀp) E(p) ṗ,   own row of each body: pᵀp − 1 = 0",
       "No singular pose, but a singular mass matrix: needs a formulation for massless motions, such as "
       "`least-squares-2`.",
       "a 3×4 matrix and one row more a body.", "until: 1, coordinates: euler-parameters, formulation: least-squares-2",
       "top"},
      {"tree", "v = N(u) u̇ along a spanning tree of the joints,   M* = NᵀM N,   A* = A N",
       "Few unknowns for chains: rows of tree joints vanish, those of cut loops and drivers stay. Reactions are found "
       "from the leaves to the roots. Dense.",
       "the sum over bodies of the squared lengths of their paths.", "until: 1, coordinates: tree", "top"},
      {"natural", "u̇ = A u̇ⁱ with B A = 0,   w_j = X_j w_p + H_j η_j,   M* = AᵀM A by sweeps along the tree",
       "Trees, and mechanisms with a few loops: vehicles, arms, long chains. Only joint velocities are integrated, so "
       "joints of the tree cannot drift. `accelerations` says how `auto` solves: by the O(n) `recursion`, by "
       "`conjugate-gradients` on M* without its matrix (`preconditioner`: none, branches, lagged) or by the LᵀDL "
       "`factor` "
       "of the tree, for the two-stage integrator too; any other formulation, and implicit steps, get M* as a matrix. "
       "Loops are closed with redundant rows or without.",
       "one sweep a body, and the paths of cut joints.", "until: 1, coordinates: natural", "top"},
  };
  return all;
}

const std::vector<MethodPage>& integrator_pages() {
  static const std::vector<MethodPage> all{
      {"adams",
       "P  p = yₙ + h Σ gᵢφ*ᵢ          E  d = f(p) − Σ φ*ᵢ\n"
       "C  y = p + h gₖ₊₁d             E  f at the settled y",
       "The default: smooth motions at tolerances from 1e-4 to 1e-12, order 1 to 12, fewest evaluations. The history "
       "holds only rates on the constraints, so projection costs no accuracy. Restarts after events cost some steps: "
       "with many of them take rk45 or rk78.",
       "2 evaluations a step.", "until: 1, integrator: adams, tolerance: 1e-9"},
      {"contact-stepping",
       "v_f      the motion without contacts, by the mid-point rule, on the joints\n"
       "impacts  γₙ⁺ ≥ e γₙ⁻, pair after pair\n"
       "contact  0 ≤ p ⊥ g + h γₙ⁺ ≥ 0,   |pₜ| ≤ µ pₙ,   v⁺ = v_f + M⁻¹(…)Jᵀp",
       "Piles, impacts in rows, sliding and sticking blocks: forces of type `contact-rigid` need it. Joints hold "
       "exactly, "
       "redundant ones too; energy never grows under weight. First order where contacts act.",
       "two evaluations, one factorisation, sweeps over the contacts.",
       "until: 1, integrator: contact-stepping, step: 1e-3"},
      {"rk45", "Dormand and Prince: seven stages, orders 5(4), dense output of order 4",
       "Short runs, many events, loose tolerances (1e-3 to 1e-6).", "6 evaluations a step, 7 where it is projected.",
       "until: 1, integrator: rk45, tolerance: 1e-6"},
      {"rkv56", "Verner: orders 6(5), dense output of local error h⁶", "Medium tolerances, 1e-6 to 1e-9, with events.",
       "8 evaluations a step and one more where it is projected.", "until: 1, integrator: rkv56, tolerance: 1e-8"},
      {"rk78", "Prince and Dormand: thirteen stages, orders 8(7), dense output of local error h⁸",
       "Fine tolerances where events restart the run often: a restart costs nothing.",
       "13 evaluations a step, one more where it is projected.", "until: 1, integrator: rk78, tolerance: 1e-10"},
      {"rk4",
       "k₁ = f(t, y),  k₂ = f(t + h/2, y + h/2 k₁),  k₃ = f(t + h/2, y + h/2 k₂),  k₄ = f(t + h, y + h k₃)\n"
       "y₁ = y + h/6 (k₁ + 2k₂ + 2k₃ + k₄)",
       "Comparisons, batches, real time: a fixed number of evaluations a second. No error control: halve the step to "
       "see the error.",
       "4 evaluations a step.", "until: 1, integrator: rk4, step: 0.005"},
      {"staggered-explicit-implicit",
       "stations k, δ = h/2 apart:   (ε/δ² + A M⁻¹Aᵀ) λ_k = ε/δ² λ_{k−1} + A M⁻¹Q + (A v_{k−1} + c_t)/δ\n"
       "a_k = M⁻¹(Q − Aᵀλ_k),   v_{k+1} = v_{k−1} + h a_k,   q_{k+1} = q_{k−1} ⊕ h v_k",
       "Two-stage central difference with multipliers by implicit half steps: order 2, no numerical damping, no rank "
       "is "
       "ever decided, whatever rows appear, vanish or repeat one another. For comparison with papers and for rows that "
       "lose and regain their independence on the way. The step is checked against its limits (2 over the fastest "
       "vibration, 2 rad a step of a spinning body; remark from 80 % on, S480 beyond). Constraints hold to about "
       "2 h², not to rounding, because `stabilize: staggered` is what goes with it; `stabilize: projection` may be set "
       "where all rows are holonomic and takes the energy away where they are not. Settings: `multipliers` velocity | "
       "acceleration | midpoint, `chains` two | one | lagged, `epsilon` or `epsilon_share`, `merge`. The second of "
       "each "
       "and the third are comparators that are known to fail.",
       "2 evaluations and 2 sparse solutions a step.",
       "until: 1, integrator: {type: staggered-explicit-implicit, merge: 10}, step: 0.005"},
      {"generalized-alpha",
       "M w + Aᵀλ = Q at tₙ₊₁,   qₙ₊₁ = qₙ ⊕ (h vₙ + h² ((½ − β) aₙ + β aₙ₊₁)),   vₙ₊₁ = vₙ + h ((1 − γ) aₙ + γ aₙ₊₁)\n"
       "(1 − α_m) aₙ₊₁ + α_m aₙ = (1 − α_f) wₙ₊₁ + α_f wₙ,   φ(qₙ₊₁) = 0   or   A vₙ₊₁ + c_t = 0\n"
       "α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f − α_m,  β = ¼ (γ + ½)²",
       "Stiff springs, dampers and bushings in mechanisms of any size and with redundant rows: implicit, of second "
       "order "
       "in positions, velocities and multipliers, rotations on their group, the rows solved along. `rho` (0 to 1, 0.8) "
       "is "
       "what a step leaves of infinitely stiff vibrations; `level: position` (index 3) fulfils the rows in positions, "
       "`level: velocity` (index 2) in velocities, with a drift of positions that is reported, or projected with "
       "`stabilize: projection`. Singular poses are passed at `level: position`; at the other one they may end the "
       "run (S498). "
       "`rho: 1` damps nothing, nor does it damp ringing of multipliers at position level. "
       "There is no error control: halve the step to see the error. Beside `bdf`: second order instead of up to five "
       "and no "
       "error control, but a step costs what its bodies cost (`bdf` factors a dense matrix of all coordinates), its "
       "rows "
       "hold without projection, checkpoints hold its whole history, and damping can be chosen. Beside `adams`: for "
       "smooth "
       "motions without stiffness `adams` needs far fewer evaluations for the same error.",
       "6 to 8 evaluations and substitutions a step and one elimination of its sparse matrix, whose differences "
       "take 3 or 6 evaluations a colour of the joint graph, again when they are too old.",
       "until: 1, integrator: {type: generalized-alpha, rho: 0.8}, step: 0.001", "stiff"},
      {"bdf", "Σ αᵢyₙ₋ᵢ = h β₀ f(tₙ, yₙ) by a modified Newton method",
       "Stiff springs, dampers and bushings, where other integrators take steps far shorter than the motion asks. By "
       "CVODE of SUNDIALS; in builds without it the name is known and says so.",
       "n evaluations for the Jacobian every 20 to 50 steps, n³ to factor it.",
       "until: 1, integrator: bdf, tolerance: 1e-6", "stiff"},
      {"trapezoidal",
       "(κ + A M⁻¹Aᵀ) λ⁺ = r,   a⁺ = M⁻¹(Q − Aᵀλ⁺),   v⁺ = v + h/2 (a + a⁺),   q⁺ = q ⊕ h/2 (v + v⁺)\n"
       "scheme anchored-iterated:   δ²r = φ(q_p) + A(h_q − q_p) + δ A w,   κ = ε/δ²,   δ = h/2   (ends at φ⁺ = ελ⁺)\n"
       "       anchored, history:   δ²r = φ + δφ̇ + δ (A w + c_t),   or ε(λ + δλ̇) in the place of φ + δφ̇\n"
       "       baumgarte-implicit, -explicit, -integral:   κ = 0, φ̈ + 2αφ̇ + β²φ = 0 at the new time",
       "Redundant rows, singular poses, rows switched on and off: κ > 0 decides no rank. `correctors` repeats the step "
       "with what came out, a number of times or until `converged` to the tolerance; the report tells how often. "
       "`epsilon` is given or automatic, a hundredth of δ²A M⁻¹Aᵀ. No damping: long runs of large steps ring up "
       "(S487); "
       "with `stabilize: projection` they do not. Springs and dampers have to be soft against the step (S486). The "
       "schemes of Baumgarte are there to be compared with: dependent rows end them (S485).",
       "an evaluation, a sparse factorisation and a solution, once and for each corrector; one more evaluation.",
       "until: 1, integrator: {type: trapezoidal, scheme: anchored-iterated, correctors: 1}, step: 0.002"},
      {"backward-euler", "as trapezoidal with δ = h:   v⁺ = v + h a⁺,   q⁺ = q ⊕ h v⁺",
       "Order one, and it damps: stiff rows fade instead of ringing. With scheme anchored-iterated this is the "
       "compliant "
       "step of position-based dynamics, with its mass matrix solved exactly. For what must not fail; accuracy costs "
       "small steps.",
       "as trapezoidal.", "until: 1, integrator: {type: backward-euler, correctors: converged}, step: 0.001"},
  };
  return all;
}

const std::vector<MethodPage>& stabilization_pages() {
  static const std::vector<MethodPage> all{
      {"projection", "δq = −Ω⁻¹Aᵀ(A Ω⁻¹Aᵀ)⁺φ (repeated),   δv = −Ω⁻¹Aᵀ(A Ω⁻¹Aᵀ)⁺(A v + c_t),   Ω = M or I",
       "The default: constraints hold to rounding after every step, in positions and velocities, whatever their rank.",
       "a substitution an iteration with the factorisation at hand.", "until: 1, stabilize: projection"},
      {"baumgarte",
       "φ̈ + 2α φ̇ + β²φ = 0:   b ← b − 2α φ̇ − β²φ\n"
       "ψ̇ + γψ = 0 (rolling):   b ← b − γψ",
       "Real time and comparisons: cheap, but constraints hold only as well as the gains allow, and large gains make "
       "the "
       "equations stiff. Begin with alpha = beta = 10 and look at constraint.position.",
       "a few operations a row.", "until: 1, stabilize: {type: baumgarte, alpha: 10, beta: 10}"},
      {"partition", "φ(q_i, q_d) = 0 by Newton:   q_d ← q_d − A_d⁺φ,   v_d = −A_d⁺(A_i v_i + c_t)",
       "Independent coordinates are integrated in earnest, the dependent ones solved for in every evaluation. Fails "
       "(S433) very near poses where the rank falls; projection passes them.",
       "two decompositions of A an iteration.", "until: 1, stabilize: partition"},
      {"staggered", "ε λ̇ = φ̇ (holonomic),   ε λ̇ = A a − b (rolling):   (κ + A M⁻¹Aᵀ) λ⁺ = r in implicit steps",
       "Multipliers are integrated beside the coordinates instead of being solved for: positive definite whatever the "
       "rank of A, rows may come and go. What is left of a row is ε|λ|. Goes with the integrators trapezoidal, "
       "backward-euler and staggered-explicit-implicit, where it is the default; others say so (M480).",
       "that of the integrator.", "until: 1, stabilize: staggered, integrator: trapezoidal, step: 0.002"},
      {"penalty", "λ = φ/ε,   λ = ψ/ε (rolling):   M a = Q − Aᵀλ",
       "Stiff springs and dampers in the place of joints: no rank, nothing solved for, and each row misses by ε|λ|. It "
       "rings with √(s/ε), s of A M⁻¹Aᵀ, and integrators follow that frequency: costs grow with 1/√ε, bdf damps. "
       "Automatic ε: rows miss a share of their size, the tolerance of the run but no less than 1e-6. To be compared "
       "with; `staggered` is its implicit form. Not with friction that uses reactions (M483).",
       "a solution with M an evaluation.", "until: 1, stabilize: {type: penalty, epsilon: 1e-6}"},
      {"none", "A a = b, nothing else",
       "To see how fast constraints drift: quadratically in time at best. Never for results.", "nothing.",
       "until: 1, stabilize: none"},
  };
  return all;
}

}  // namespace mortise::view
