// A pack: one double of each of four copies, as the scalar of kernels that are templates on it.
//
// Arithmetic is that of double, lane by lane: what a lane holds never depends on its neighbours, so a copy has the same
// bits wherever it stands. Where lanes differ there is no branch: a comparison gives a Mask, `select` chooses by it.
// Four lanes on every machine (SSE2 has two registers for them, AVX one), so the layout is part of the interface and
// the bits do not depend on the instruction set. Aligned to 16 bytes, as all that Eigen holds here.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace mortise::linalg {

inline constexpr int pack_width = 4;

namespace detail {
#if defined(__AVX__)
inline constexpr int pack_registers = 1;
#else
inline constexpr int pack_registers = 2;
#endif
using Register = double __attribute__((vector_size(32 / pack_registers), aligned(16), may_alias));
using Bits = std::int64_t __attribute__((vector_size(32 / pack_registers), aligned(16), may_alias));
inline constexpr int register_lanes = pack_width / pack_registers;

// Register by register, without a loop that the compiler might leave one.
template <class Out, class F>
[[gnu::always_inline]] inline Out by_register(F&& f) {
  Out out;
  out.r[0] = f(0);
  if constexpr (pack_registers == 2) out.r[pack_registers - 1] = f(1);
  return out;
}
}  // namespace detail

struct alignas(16) Mask {
  detail::Bits r[detail::pack_registers];  // all bits of a lane, or none

  static Mask none() { return {}; }
  bool operator[](int lane) const { return r[lane / detail::register_lanes][lane % detail::register_lanes] != 0; }
  void set(int lane, bool on) { r[lane / detail::register_lanes][lane % detail::register_lanes] = on ? -1 : 0; }

  [[gnu::always_inline]] friend Mask operator&(const Mask& a, const Mask& b) {
    return detail::by_register<Mask>([&](int i) { return a.r[i] & b.r[i]; });
  }
  [[gnu::always_inline]] friend Mask operator|(const Mask& a, const Mask& b) {
    return detail::by_register<Mask>([&](int i) { return a.r[i] | b.r[i]; });
  }
  [[gnu::always_inline]] friend Mask operator~(const Mask& a) {
    return detail::by_register<Mask>([&](int i) { return ~a.r[i]; });
  }
  [[gnu::always_inline]] friend bool any(const Mask& a) {
    detail::Bits all = a.r[0];
    if constexpr (detail::pack_registers == 2) all |= a.r[detail::pack_registers - 1];
    std::int64_t sum = 0;
    for (int k = 0; k < detail::register_lanes; ++k) sum |= all[k];
    return sum != 0;
  }
};

struct alignas(16) Pack {
  detail::Register r[detail::pack_registers];

  Pack() = default;  // as a double: nothing is written
  // NOLINTNEXTLINE(google-explicit-constructor): kernels mix numbers and scalars.
  [[gnu::always_inline]] Pack(double x) {
    *this = detail::by_register<Pack>([x](int) { return x - detail::Register{}; });
  }

  double operator[](int lane) const { return r[lane / detail::register_lanes][lane % detail::register_lanes]; }
  void set(int lane, double x) { r[lane / detail::register_lanes][lane % detail::register_lanes] = x; }
};

// ---- arithmetic
// ---------------------------------------------------------------------------------------------------------

#define MORTISE_PACK_OPERATOR(op)                                                \
  [[gnu::always_inline]] inline Pack operator op(const Pack& a, const Pack& b) { \
    return detail::by_register<Pack>([&](int i) { return a.r[i] op b.r[i]; });   \
  }                                                                              \
  [[gnu::always_inline]] inline Pack& operator op##=(Pack& a, const Pack& b) { return a = a op b; }
MORTISE_PACK_OPERATOR(+)
MORTISE_PACK_OPERATOR(-)
MORTISE_PACK_OPERATOR(*)
MORTISE_PACK_OPERATOR(/)
#undef MORTISE_PACK_OPERATOR

#define MORTISE_PACK_COMPARISON(op)                                                          \
  [[gnu::always_inline]] inline Mask operator op(const Pack& a, const Pack& b) {             \
    return detail::by_register<Mask>([&](int i) { return detail::Bits(a.r[i] op b.r[i]); }); \
  }
MORTISE_PACK_COMPARISON(<)
MORTISE_PACK_COMPARISON(<=)
MORTISE_PACK_COMPARISON(>)
MORTISE_PACK_COMPARISON(>=)
MORTISE_PACK_COMPARISON(==)
#undef MORTISE_PACK_COMPARISON

[[gnu::always_inline]] inline Pack operator-(const Pack& a) {
  return detail::by_register<Pack>([&](int i) { return -a.r[i]; });
}

[[gnu::always_inline]] inline Pack select(const Mask& where, const Pack& yes, const Pack& no) {
  return detail::by_register<Pack>([&](int i) {
    return detail::Register((detail::Bits(yes.r[i]) & where.r[i]) | (detail::Bits(no.r[i]) & ~where.r[i]));
  });
}
[[gnu::always_inline]] inline double select(bool where, double yes, double no) { return where ? yes : no; }

[[gnu::always_inline]] inline Pack abs(const Pack& a) {
  return detail::by_register<Pack>(
      [&](int i) { return detail::Register(detail::Bits(a.r[i]) & std::int64_t{0x7fffffffffffffff}); });
}

// The larger one; b where one is not a number.
[[gnu::always_inline]] inline Pack max(const Pack& a, const Pack& b) { return select(a > b, a, b); }

// Lane by lane through a function of double.
template <class F>
inline Pack map(const Pack& x, F&& f) {
  Pack out;
  for (int lane = 0; lane < pack_width; ++lane) out.set(lane, f(x[lane]));
  return out;
}

[[gnu::always_inline]] inline Pack sqrt(const Pack& x) {
#if defined(__AVX__)
  return detail::by_register<Pack>([&](int i) { return detail::Register(_mm256_sqrt_pd(x.r[i])); });
#elif defined(__SSE2__)
  return detail::by_register<Pack>([&](int i) { return detail::Register(_mm_sqrt_pd(x.r[i])); });
#else
  return map(x, [](double a) { return std::sqrt(a); });
#endif
}

inline Pack floor(const Pack& x) {
  return map(x, [](double a) { return std::floor(a); });
}
inline Pack atan2(const Pack& y, const Pack& x) {
  Pack out;
  for (int lane = 0; lane < pack_width; ++lane) out.set(lane, std::atan2(y[lane], x[lane]));
  return out;
}

// Both at once, to a unit or two of rounding: x = k π/2 + r with π/2 in three pieces, then Taylor's series of r, which
// is at most π/4, up to r^17. Beyond a million quarter turns the functions of the C library.
inline void sincos(const Pack& x, Pack& sine, Pack& cosine) {
  constexpr double shift = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to a whole number
  constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
  constexpr double most = 1e6;
  const Pack shifted = x * Pack(0x1.45f306dc9c883p-1) + Pack(shift), k = shifted - Pack(shift);
  const Pack rest = ((x - k * Pack(first)) - k * Pack(second)) - k * Pack(third), z = rest * rest;
  Pack s(1.0 / 355687428096000.0);  // 1/17!
  for (const double c : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0,
                         1.0 / 120.0, -1.0 / 6.0})
    s = s * z + Pack(c);
  s = rest + rest * (z * s);
  Pack c(1.0 / 20922789888000.0);  // 1/16!
  for (const double d :
       {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0})
    c = c * z + Pack(d);
  c = Pack(1) - (Pack(0.5) * z - z * (z * c));
  // The last bits of the shifted number are the quadrant: odd ones swap the two, the second bit changes signs.
  const auto bit = [&](std::int64_t add, int which) {
    return detail::by_register<Mask>(
        [&](int i) { return detail::Bits(((detail::Bits(shifted.r[i]) + add) >> which & 1) != 0); });
  };
  const Mask swap = bit(0, 0), minus_sine = bit(0, 1), minus_cosine = bit(1, 1);
  const Pack a = select(swap, c, s), b = select(swap, s, c);
  sine = select(minus_sine, -a, a);
  cosine = select(minus_cosine, -b, b);
  const Mask large = ~(abs(x) < Pack(most));  // not a number, too
  if (any(large)) {
    sine = select(large, map(x, [](double v) { return std::sin(v); }), sine);
    cosine = select(large, map(x, [](double v) { return std::cos(v); }), cosine);
  }
}

}  // namespace mortise::linalg

// Small vectors of packs.
template <>
struct Eigen::NumTraits<mortise::linalg::Pack> : Eigen::GenericNumTraits<mortise::linalg::Pack> {
  using Real = mortise::linalg::Pack;
  using NonInteger = mortise::linalg::Pack;
  using Nested = mortise::linalg::Pack;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 2,
    AddCost = 2,
    MulCost = 2
  };
};
