//===- MathExponential.cpp - exp, log and what is made of them ------------===//

#include "compiler/target/cpu/MathFunctions.h"

using namespace mlir;

namespace ampc::cpu {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kLog2E = 1.44269504088896340736;
static constexpr double kLn2 = 0.693147180559945309417;
/// log 2 in two parts: the first has so few bits that multiples are exact.
static constexpr double kLn2HighF32 = 0.693359375;
static constexpr double kLn2LowF32 = -2.12194440e-4;

//===----------------------------------------------------------------------===//
// In f32
//===----------------------------------------------------------------------===//

/// 2^n for whole n within the normal range.
static Expr powerOfTwoF32(Expr n) {
  return fromBits(shiftLeft(add(n, 127), 23));
}

/// exp(c) = 2^n exp(r), where |r| is ln 2 / 2 at most: exp(r). The polynomial
/// is that of Cephes' expf.c (S. L. Moshier).
static Expr reducedExpF32(Expr c, Expr n) {
  Expr r = fma(n, -kLn2LowF32, fma(n, -kLn2HighF32, c));
  Expr p = polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                          4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return fma(p, r * r, r) + 1.0;
}

Expr expF32(Expr x) {
  // Beyond these the result is infinite or zero anyway.
  Expr c = clamp(x, -104.0, 89.0);
  Expr n = roundeven(c * kLog2E);
  Expr y = reducedExpF32(c, n);
  // Two factors, as 2^n itself may be out of range; only the last
  // multiplication rounds, and only where the result is subnormal.
  Expr k = toInt(n, 32);
  Expr half = shiftRightSigned(k, 1);
  return y * powerOfTwoF32(half) * powerOfTwoF32(sub(k, half));
}

Expr expNotPositiveF32(Expr x) {
  // At the lower end n is -127, for which the bits of 2^n are those of 0.
  Expr c = select(x < -88.0, -88.0, x);
  // Near 1.5 * 2^23 numbers are whole, and their last bits count them.
  const double whole = 0x1.8p23;
  Expr shifted = fma(c, kLog2E, c.number(whole));
  Expr y = reducedExpF32(c, shifted - whole);
  return y * fromBits(add(shiftLeft(bits(shifted), 23), 127 << 23));
}

/// log(x) = e log 2 + log(m), m within [sqrt(1/2), sqrt(2)). The polynomial is
/// that of Cephes' logf.c (S. L. Moshier).
Expr logF32(Expr x) {
  constexpr double kMinNormal = 0x1p-126;
  Expr subnormal = x < kMinNormal;
  Expr scaled = select(subnormal, x * 0x1p23, x);
  Expr u = bits(scaled);
  // The exponent of x / sqrt(1/2), so that m comes out around 1.
  constexpr int64_t kSqrtHalf = 0x3f3504f3;
  Expr k = shiftRightSigned(add(u, -kSqrtHalf), 23);
  Expr m = fromBits(sub(u, shiftLeft(k, 23)));
  Expr e = toFloat(k) - select(subnormal, 23.0, x.number(0));
  Expr z = m - 1.0;
  Expr p = polynomial(z, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                          -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                          2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Expr z2 = z * z;
  Expr y = fma(e, kLn2LowF32, p * (z2 * z));
  y = fma(z2, -0.5, y) + z;
  y = fma(e, kLn2HighF32, y);
  y = select(x < kInfinity, y, x); // inf and NaN stay
  y = select(x == 0.0, -kInfinity, y);
  return select(x < 0.0, kNaN, y);
}

/// A polynomial near zero, where 1 - 2 / (exp(2x) + 1) would cancel.
/// Coefficients found by minimizing the relative error over |x| <= 0.55.
Expr tanhF32(Expr x) {
  Expr t = abs(x), s = x * x;
  Expr small = polynomial(s, {1.643758066599993e-2, -5.267181327760551e-2,
                              1.332072505223051e-1, -3.333294663641083e-1});
  small = fma(small * s, x, x);
  Expr large = 1.0 - 2.0 / (expF32(t + t) + 1.0);
  return copysign(select(t < 0.55, small, large), x);
}

/// x + x p(x^2) near zero, else 1 - exp(q(|x|)). Coefficients of N. Juffa's
/// erff
/// ("my_erff", 2016, BSD licence).
Expr erfF32(Expr x) {
  Expr t = abs(x), s = x * x;
  Expr q = fma(fma(t, -1.72853470e-5, x.number(3.83197126e-4)), s,
               fma(t, -3.88396438e-3, x.number(2.42546219e-2)));
  q = fma(q, t, x.number(-1.06777877e-1));
  q = fma(q, t, x.number(-6.34846687e-1));
  q = fma(q, t, x.number(-1.28717512e-1));
  q = fma(q, t, -t);
  // q grows with t^7; beyond 4 the result is 1.
  q = select(t > 4.0, -20.0, q);
  Expr large = copysign(1.0 - expF32(q), x);
  Expr p = polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                          1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  Expr small = fma(p, x, x);
  Expr y = select(t > 0.927734375, large, small);
  return select(isNaN(x), x, y);
}

//===----------------------------------------------------------------------===//
// In f64
//===----------------------------------------------------------------------===//

/// 2^n for whole n within the normal range. Adding 1.5 * 2^52 puts n into the
/// low bits without an instruction that converts.
static Expr powerOfTwoF64(Expr n) {
  return fromBits(shiftLeft(bits(n + (0x1.8p52 + 1023)), 52));
}

/// r and n with x = n log 2 + r, |r| <= log 2 / 2.
static std::pair<Expr, Expr> reduceExp(Expr x) {
  constexpr double kHigh = 6.93147180369123816490e-01;
  constexpr double kLow = 1.90821492927058770002e-10;
  Expr n = roundeven(x * kLog2E);
  return {fma(n, -kLow, fma(n, -kHigh, x)), n};
}

/// exp(r) - 1 by Taylor's series: the next term is below 2^-40 r.
static Expr expm1Series(Expr r) {
  Expr p = polynomial(r, {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                          1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2});
  return fma(p, r * r, r);
}

Expr wideExp(Expr x) {
  auto [r, n] = reduceExp(x);
  return (expm1Series(r) + 1.0) * powerOfTwoF64(n);
}

Expr wideExpm1(Expr x) {
  auto [r, n] = reduceExp(x);
  Expr scale = powerOfTwoF64(n);
  return fma(expm1Series(r), scale, scale - 1.0);
}

/// 2 atanh(s) by Taylor's series, |s| <= 0.172.
static Expr atanhSeries(Expr s) {
  Expr z = s * s;
  Expr p = polynomial(
      z, {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3});
  Expr twice = s + s;
  return fma(p * z, twice, twice);
}

/// log(m) = 2 atanh((m - 1) / (m + 1)).
Expr wideLog(Expr x) {
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Expr u = bits(x);
  // x / sqrt(1/2) has the exponent e + 1023; offset so that it isn't negative.
  Expr k = shiftRight(add(u, (int64_t(1023) << 52) - kSqrtHalf), 52);
  Expr m = fromBits(sub(u, shiftLeft(add(k, -1023), 52)));
  Expr e = fromBits(bitOr(k, int64_t(0x4330000000000000))) - (0x1p52 + 1023);
  Expr y = fma(e, kLn2, atanhSeries((m - 1.0) / (m + 1.0)));
  y = select(x < kInfinity, y, x);
  y = select(x == 0.0, -kInfinity, y);
  return select(x < 0.0, kNaN, y);
}

Expr wideLog1p(Expr x) {
  // Near zero 1 + x would lose x; there the series holds directly.
  Expr near = atanhSeries(x / (x + 2.0));
  return select(abs(x) < 0.25, near, wideLog(x + 1.0));
}

Expr exp2F32(Expr x) {
  return toF32(wideExp(clamp(toF64(x), -160, 160) * kLn2));
}
Expr expm1F32(Expr x) {
  // The sign of zero is lost in the series' sum.
  return copysign(toF32(wideExpm1(clamp(toF64(x), -100, 100))), x);
}
Expr log2F32(Expr x) { return toF32(wideLog(toF64(x)) * kLog2E); }
Expr log10F32(Expr x) {
  return toF32(wideLog(toF64(x)) * 0.434294481903251827651);
}
Expr log1pF32(Expr x) {
  Expr y = toF32(wideLog1p(toF64(x)));
  return select(x == 0.0, x, y);
}

Expr sinhF32(Expr x) {
  Expr e = wideExpm1(clamp(toF64(abs(x)), 0, 100));
  return copysign(toF32((e + e / (e + 1.0)) * 0.5), x);
}
Expr coshF32(Expr x) {
  Expr e = wideExp(clamp(toF64(abs(x)), 0, 100));
  return toF32((e + 1.0 / e) * 0.5);
}
/// asinh(x) = log1p(x + x^2 / (1 + sqrt(1 + x^2))) for x >= 0.
Expr asinhF32(Expr x) {
  Expr t = toF64(abs(x)), s = t * t;
  Expr y = wideLog1p(t + s / (sqrt(s + 1.0) + 1.0));
  y = select(t == kInfinity, t, y);
  return copysign(toF32(y), x);
}
/// acosh(1 + t) = log1p(t + sqrt(2t + t^2)).
Expr acoshF32(Expr x) {
  Expr t = toF64(x) - 1.0;
  Expr y = toF32(wideLog1p(t + sqrt(fma(t, t, t + t))));
  return select(x < 1.0, kNaN, y);
}
/// atanh(x) = log1p(2x / (1 - x)) / 2.
Expr atanhF32(Expr x) {
  Expr t = toF64(abs(x));
  return copysign(toF32(wideLog1p((t + t) / (1.0 - t)) * 0.5), x);
}
Expr cbrtF32(Expr x) {
  Expr y = wideExp(clamp(wideLog(toF64(abs(x))) * (1.0 / 3), -200, 200));
  return copysign(toF32(y), x);
}

/// |x|^y = exp(y log |x|), and C's rules for signs and limits.
Expr powF32(Expr x, Expr y) {
  Expr a = abs(x);
  Expr power = clamp(toF64(y) * wideLog(toF64(a)), -200, 200);
  Expr z = toF32(wideExp(power));
  Expr whole = trunc(y) == y;
  Expr h = y * 0.5;
  Expr odd = whole && !(trunc(h) == h);
  z = select(odd, copysign(z, x), z);
  z = select((x < 0.0) && !whole && (a < kInfinity), kNaN, z);
  // (-1)^inf.
  z = select((a == 1.0) && (abs(y) == kInfinity), 1.0, z);
  return select((x == 1.0) || (y == 0.0), 1.0, z);
}

} // namespace ampc::cpu
