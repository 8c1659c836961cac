// rkv56: Verner's robust pair of orders 6 and 5, nine stages, the last of them f(t + h, y₁).
//
// Source: J. H. Verner, Numerically optimal Runge-Kutta pairs with interpolants, Numer. Algorithms 53 (2010) 383-396;
// of the pairs IIIXb the robust one. The "efficient" one of the same family has an error constant 300 times smaller,
// but coefficients up to 208 that cancel (b₇ = −176, b₈ = 172): in double precision its steps carry noise of about
// 1e-11 of h f, so that below tolerances of 1e-10 it falls behind rk45. This one keeps what it promises down to
// rounding. Cost: 8 evaluations a trial, one more where settling moved y; 2 for dense output, in steps that are asked
// for it.
#include "mortise/integrate/tableau.h"

namespace mortise::integrate {

namespace {

constexpr double c[] = {
    0, 9.0 / 50, 1.0 / 6, 1.0 / 4, 53.0 / 100, 3.0 / 5, 4.0 / 5, 1, 1,  //
};

constexpr double a[] = {
    9.0 / 50,  //
    29.0 / 324,
    25.0 / 324,  //
    1.0 / 16,
    0,
    3.0 / 16,  //
    79129.0 / 250000,
    0,
    -261237.0 / 250000,
    19663.0 / 15625,  //
    1336883.0 / 4909125,
    0,
    -25476.0 / 30875,
    194159.0 / 185250,
    8225.0 / 78546,  //
    -2459386.0 / 14727375,
    0,
    19504.0 / 30875,
    2377474.0 / 13615875,
    -6157250.0 / 5773131,
    902.0 / 735,  //
    2699.0 / 7410,
    0,
    -252.0 / 1235,
    -1393253.0 / 3993990,
    236875.0 / 72618,
    -135.0 / 49,
    15.0 / 22,  //
    11.0 / 144,
    0,
    0,
    256.0 / 693,
    0,
    125.0 / 504,
    125.0 / 528,
    5.0 / 72,  //
};

constexpr double b[] = {
    11.0 / 144, 0, 0, 256.0 / 693, 0, 125.0 / 504, 125.0 / 528, 5.0 / 72, 0,  //
};

constexpr double b_hat[] = {
    28.0 / 477, 0, 0, 212.0 / 441, -312500.0 / 366177, 2125.0 / 1764, 0, -2105.0 / 35532, 2995.0 / 17766,  //
};

}  // namespace

const Tableau& rkv56_tableau() {
  // The fourth stage is exact to order 3, and its place is far from ½, where a quartic would be undetermined.
  static const Tableau table{"rkv56", 9, 6, true, c, a, b, b_hat, {3}, {{0.18, 0.82}}};
  return table;
}

}  // namespace mortise::integrate
