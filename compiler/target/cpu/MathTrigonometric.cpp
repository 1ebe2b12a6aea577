//===- MathTrigonometric.cpp - Sines, tangents and their inverses ---------===//

#include "compiler/target/cpu/MathFunctions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kPi = 3.14159265358979323846;

namespace {
/// x = quadrant pi / 2 + r, |r| <= pi / 4: an i32 (modulo 4) and an f64.
struct Reduced {
  Expr quadrant, r;
};
} // namespace

/// Below 2^30: pi / 2 in two parts, the quotient fits an i32.
static Reduced reduceModerate(Expr x) {
  constexpr double kHigh = 0x1.921fb54442d18p+0, kLow = 0x1.1a62633145c07p-54;
  Expr wide = toF64(x);
  Expr n = roundeven(wide * (2 / kPi));
  return {toInt(n, 32), fma(n, -kLow, fma(n, -kHigh, wide))};
}

/// Any finite argument (Payne and Hanek, 1983): the product of the 24
/// significant bits of x with those 96 bits of 2 / pi that matter at its
/// exponent. After N. Juffa's trig_red_slowpath_f (BSD licence).
static Reduced reduceHuge(Expr x) {
  // A quarter of 2 / pi, 32 bits a word, behind one word of zeros.
  static const int64_t kTwoOverPi[] = {0x00000000, 0x28be60db, 0x9391054a,
                                       0x7f09d5f4, 0x7d4d3770, 0x36d8a566,
                                       0x4f10e410};
  Expr u = bits(x);
  Expr mantissa =
      extend(bitOr(shiftLeft(bitAnd(u, 0x7fffff), 8), int64_t(0x80000000)), 64);
  Expr exponent = add(bitAnd(shiftRight(u, 23), 0xff), -126);
  Expr word = shiftRight(exponent, 5), shift = bitAnd(exponent, 31);
  auto pick = [&](int offset) {
    Expr value = extend(word, 64).integer(kTwoOverPi[offset]);
    for (int i = 1; i + offset < 7; ++i)
      value =
          select(equal(word, i), value.integer(kTwoOverPi[i + offset]), value);
    return value;
  };
  // Each word with the bits that its successor contributes at this shift.
  Expr wideShift = extend(shift, 64);
  Expr w0 = pick(0), w1 = pick(1), w2 = pick(2), w3 = pick(3);
  auto shifted = [&](Expr high, Expr low) {
    Expr both = bitOr(shiftLeft(high, 32), low);
    return bitAnd(shiftRight(shiftLeft(both, wideShift), 32), 0xffffffff);
  };
  Expr high = shifted(w0, w1), middle = shifted(w1, w2), low = shifted(w2, w3);
  Expr p = mul(mantissa, low);
  p = add(mul(mantissa, middle), shiftRight(p, 32));
  p = add(shiftLeft(mul(mantissa, high), 32), p);
  Expr quadrant = shiftRight(p, 62);
  Expr fraction = bitAnd(p, 0x3fffffffffffffff);
  Expr above = equal(bitAnd(shiftRight(fraction, 61), 1), 1);
  fraction = select(above, add(fraction, -0x4000000000000000), fraction);
  quadrant = select(above, add(quadrant, 1), quadrant);
  Expr r = toF64(fraction) * (kPi / 2 * 0x1p-62);
  Expr negative = x < 0.0;
  Expr q = truncate(quadrant, 32);
  return {select(negative, sub(q.integer(0), q), q), select(negative, -r, r)};
}

static Reduced reduce(Expr x) {
  OpBuilder &b = x.builder();
  Location loc = x.location();
  Expr huge = abs(x) >= 0x1p30;
  Value any = huge.value();
  if (isa<VectorType>(any.getType()))
    any = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, any);
  Reduced moderate = reduceModerate(select(huge, 0.0, x));
  auto choose = b.create<scf::IfOp>(
      loc, any,
      [&](OpBuilder &, Location) {
        Reduced far = reduceHuge(x);
        b.create<scf::YieldOp>(
            loc,
            ValueRange{select(huge, far.quadrant, moderate.quadrant).value(),
                       select(huge, far.r, moderate.r).value()});
      },
      [&](OpBuilder &, Location) {
        b.create<scf::YieldOp>(
            loc, ValueRange{moderate.quadrant.value(), moderate.r.value()});
      });
  return {x.with(choose.getResult(0)), x.with(choose.getResult(1))};
}

/// Taylor's series; the next term is below 2^-48.
static Expr sinSeries(Expr r) {
  Expr z = r * r;
  Expr p = polynomial(z, {1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                          -1.0 / 5040, 1.0 / 120, -1.0 / 6});
  return fma(p * z, r, r);
}
static Expr cosSeries(Expr r) {
  Expr z = r * r;
  return polynomial(z, {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
                        -1.0 / 720, 1.0 / 24, -1.0 / 2, 1.0});
}

/// sin(quadrant pi / 2 + r).
static Expr sineOf(Expr quadrant, Expr sine, Expr cosine) {
  Expr y = select(equal(bitAnd(quadrant, 1), 1), cosine, sine);
  return select(equal(bitAnd(quadrant, 2), 2), -y, y);
}

/// NaN for infinities.
static Expr finiteOnly(Expr y, Expr x) {
  return select(abs(x) < kInfinity, y, x - x);
}

Expr sinF32(Expr x) {
  Reduced a = reduce(x);
  Expr y = sineOf(a.quadrant, sinSeries(a.r), cosSeries(a.r));
  return select(x == 0.0, x, finiteOnly(toF32(y), x));
}
Expr cosF32(Expr x) {
  Reduced a = reduce(x);
  Expr y = sineOf(add(a.quadrant, 1), sinSeries(a.r), cosSeries(a.r));
  return finiteOnly(toF32(y), x);
}
Expr tanF32(Expr x) {
  Reduced a = reduce(x);
  Expr s = sinSeries(a.r), c = cosSeries(a.r);
  Expr odd = equal(bitAnd(a.quadrant, 1), 1);
  Expr y = select(odd, -c, s) / select(odd, s, c);
  return select(x == 0.0, x, finiteOnly(toF32(y), x));
}

/// The angle of the point (x, y) in f64; C's rules for zeros and infinities.
/// Taylor's series after a rotation by pi / 4 where the quotient exceeds tan(pi
/// / 8).
static Expr wideAtan2(Expr y, Expr x) {
  Expr a = abs(y), b = abs(x);
  Expr steep = a > b;
  Expr low = select(steep, b, a), high = select(steep, a, b);
  Expr q = low / high;
  q = select(low == kInfinity, 1.0, q); // Both infinite.
  q = select(high == 0.0, 0.0, q);      // Both zero.
  Expr rotate = q > 0.41421356237309504880;
  Expr s = select(rotate, (q - 1.0) / (q + 1.0), q);
  Expr z = s * s;
  Expr p = polynomial(z, {-1.0 / 31, 1.0 / 29, -1.0 / 27, 1.0 / 25, -1.0 / 23,
                          1.0 / 21, -1.0 / 19, 1.0 / 17, -1.0 / 15, 1.0 / 13,
                          -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3});
  Expr angle = fma(p * z, s, s);
  angle = select(rotate, angle + kPi / 4, angle);
  angle = select(steep, kPi / 2 - angle, angle);
  // The sign bit, since x may be -0.
  Expr left = copysign(x.number(1), x) < 0.0;
  angle = select(left, kPi - angle, angle);
  return select(isNaN(x) || isNaN(y), x + y, copysign(angle, y));
}

Expr atan2F32(Expr y, Expr x) { return toF32(wideAtan2(toF64(y), toF64(x))); }
Expr atanF32(Expr x) {
  Expr wide = toF64(x);
  Expr y = toF32(wideAtan2(wide, wide.number(1)));
  return select(x == 0.0, x, y);
}
Expr asinF32(Expr x) {
  Expr wide = toF64(x);
  Expr other = sqrt((1.0 - wide) * (wide + 1.0));
  Expr y = toF32(wideAtan2(wide, other));
  return select(x == 0.0, x, y);
}
Expr acosF32(Expr x) {
  Expr wide = toF64(x);
  return toF32(wideAtan2(sqrt((1.0 - wide) * (wide + 1.0)), wide));
}

} // namespace ampc::cpu
