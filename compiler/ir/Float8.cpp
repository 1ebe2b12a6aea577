//===- Float8.cpp - Conversions of 8-bit floats ---------------------------===//
//
// Formats: OCP 8-bit Floating Point Specification (2023) for E4M3FN and E5M2;
// Noune et al., "8-bit Numerical Formats for Deep Neural Networks" (2022) for
// the FNUZ variants, which have one NaN, in the place of negative zero.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Float8.h"

#include "compiler/ir/ElementBuilder.h"

#include <cmath>

using namespace mlir;
using namespace amp;

namespace {
/// Codes are those of magnitudes, without the sign.
struct Float8Format {
  unsigned mantissa; // stored bits
  int bias;
  unsigned largest;  // code of the largest finite value
  unsigned overflow; // code of infinity, or else of NaN
  unsigned nan;
  bool hasInfinity;
  bool unsignedZero; // NaN is 0x80 and there is no negative zero
};
} // namespace

static std::optional<Float8Format> formatOf(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return Float8Format{3, 7, 0x7e, 0x7f, 0x7f, false, false};
  if (isa<Float8E5M2Type>(type))
    return Float8Format{2, 15, 0x7b, 0x7c, 0x7e, true, false};
  if (isa<Float8E4M3FNUZType>(type))
    return Float8Format{3, 8, 0x7f, 0x80, 0x80, false, true};
  if (isa<Float8E5M2FNUZType>(type))
    return Float8Format{2, 16, 0x7f, 0x80, 0x80, false, true};
  return std::nullopt;
}

bool amp::isFloat8(Type type) { return formatOf(type).has_value(); }

Value amp::float8ToF32(OpBuilder &builder, Location loc, Value value) {
  ElementBuilder e{builder, loc, value.getType()};
  Float8Format format = *formatOf(getElementTypeOrSelf(value.getType()));
  Type f32 = builder.getF32Type();
  Value code = e.convert<arith::ExtUIOp>(
      builder.getI32Type(), e.bitcast(builder.getIntegerType(8), value));
  Value magnitude = e.andBits(code, e.bits(0x7f, 32));
  // Exponent and mantissa in the places of f32's, then the other bias by an
  // exact product, which normalizes what is subnormal.
  Value number =
      e.bitcast(f32, e.shiftLeft(magnitude, e.bits(23 - format.mantissa, 32)));
  number =
      e.mul(number, e.constant(std::ldexp(1.0, 127 - format.bias), number));
  Value word = e.bitcast(builder.getI32Type(), number);
  if (format.hasInfinity) {
    Value infinite = e.compare(arith::CmpIPredicate::eq, magnitude,
                               e.bits(format.overflow, 32));
    word = e.select(infinite, e.bits(0x7f800000, 32), word);
  }
  Value quiet = e.bits(0x7fc00000, 32);
  Value isNaN =
      format.unsignedZero
          ? e.compare(arith::CmpIPredicate::eq, code, e.bits(format.nan, 32))
          : e.compare(
                arith::CmpIPredicate::ugt, magnitude,
                e.bits(format.hasInfinity ? format.overflow : format.largest,
                       32));
  word = e.select(isNaN, quiet, word);
  Value sign = e.shiftLeft(e.andBits(code, e.bits(0x80, 32)), e.bits(24, 32));
  return e.bitcast(f32, e.orBits(word, sign));
}

Value amp::f32ToFloat8(OpBuilder &builder, Location loc, Value value, Type to,
                       bool saturate) {
  ElementBuilder e{builder, loc, value.getType()};
  Float8Format format = *formatOf(to);
  Type i32 = builder.getI32Type();
  Value word = e.bitcast(i32, value);
  Value magnitude = e.andBits(word, e.bits(0x7fffffff, 32));
  // Normal numbers: round on the bits, ties to even, then change the bias.
  unsigned dropped = 23 - format.mantissa;
  Value odd =
      e.andBits(e.shiftRight(magnitude, e.bits(dropped, 32)), e.bits(1, 32));
  Value rounded = e.addBits(
      magnitude, e.addBits(odd, e.bits((1u << (dropped - 1)) - 1, 32)));
  Value normal =
      e.subBits(e.shiftRight(rounded, e.bits(dropped, 32)),
                e.bits(uint64_t(127 - format.bias) << format.mantissa, 32));
  // Subnormal ones: adding a number whose last place is the format's rounds to
  // it, and the code is what was added to the bits.
  Value absolute = e.bitcast(builder.getF32Type(), magnitude);
  Value anchor = e.constant(
      std::ldexp(1.0, 24 - format.bias - int(format.mantissa)), value);
  Value subnormal = e.subBits(e.bitcast(i32, e.add(absolute, anchor)),
                              e.bitcast(i32, anchor));
  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, absolute,
                e.constant(std::ldexp(1.0, 1 - format.bias), value));
  Value code = e.select(isSmall, subnormal, normal);
  Value tooLarge =
      e.compare(arith::CmpIPredicate::ugt, code, e.bits(format.largest, 32));
  code = e.select(
      tooLarge, e.bits(saturate ? format.largest : format.overflow, 32), code);
  code = e.select(e.isNaN(value), e.bits(format.nan, 32), code);
  Value sign =
      e.shiftRight(e.andBits(word, e.bits(0x80000000, 32)), e.bits(24, 32));
  if (format.unsignedZero) {
    Value zero = e.compare(arith::CmpIPredicate::eq, code, e.bits(0, 32));
    sign = e.select(zero, e.bits(0, 32), sign);
  }
  code = e.convert<arith::TruncIOp>(builder.getIntegerType(8),
                                    e.orBits(code, sign));
  return e.bitcast(to, code);
}
