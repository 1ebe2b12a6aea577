//===- MiniFloat.cpp - Conversions of floats of 8 bits and fewer ----------===//
//
// Formats: OCP 8-bit Floating Point Specification (2023) for E4M3FN and E5M2;
// Noune et al., "8-bit Numerical Formats for Deep Neural Networks" (2022) for
// the FNUZ variants, which have one NaN, in the place of negative zero; OCP
// Microscaling Formats (2023) for those of 6 and 4 bits, which have none.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/MiniFloat.h"

#include "compiler/ir/ElementBuilder.h"

#include <cmath>

using namespace mlir;
using namespace amp;

std::optional<MiniFloat> amp::miniFloatOf(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return MiniFloat{8, 3, 7, 0x7e, 0x7f, 0x7f, false, true, false};
  if (isa<Float8E5M2Type>(type))
    return MiniFloat{8, 2, 15, 0x7b, 0x7c, 0x7e, true, true, false};
  if (isa<Float8E4M3FNUZType>(type))
    return MiniFloat{8, 3, 8, 0x7f, 0x80, 0x80, false, true, true};
  if (isa<Float8E5M2FNUZType>(type))
    return MiniFloat{8, 2, 16, 0x7f, 0x80, 0x80, false, true, true};
  return std::nullopt;
}

std::optional<MiniFloat> amp::miniFloatOf(ByteFormat format) {
  switch (format) {
  case ByteFormat::F4E2M1:
    return MiniFloat{4, 1, 1, 0x7, 0x7, 0, false, false, false};
  case ByteFormat::F6E2M3:
    return MiniFloat{6, 3, 1, 0x1f, 0x1f, 0, false, false, false};
  case ByteFormat::F6E3M2:
    return MiniFloat{6, 2, 3, 0x1f, 0x1f, 0, false, false, false};
  default:
    return std::nullopt;
  }
}

Value amp::decodeMiniFloat(OpBuilder &builder, Location loc, Value byte,
                           const MiniFloat &format) {
  ElementBuilder e{builder, loc, byte.getType()};
  Type f32 = builder.getF32Type();
  Value code = e.convert<arith::ExtUIOp>(builder.getI32Type(), byte);
  uint64_t signBit = uint64_t(1) << (format.width - 1);
  Value magnitude = e.andBits(code, e.bits(signBit - 1, 32));
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
  if (format.hasNaN) {
    Value isNaN =
        format.unsignedZero
            ? e.compare(arith::CmpIPredicate::eq, code, e.bits(format.nan, 32))
            : e.compare(
                  arith::CmpIPredicate::ugt, magnitude,
                  e.bits(format.hasInfinity ? format.overflow : format.largest,
                         32));
    word = e.select(isNaN, e.bits(0x7fc00000, 32), word);
  }
  Value sign = e.shiftLeft(e.andBits(code, e.bits(signBit, 32)),
                           e.bits(32 - format.width, 32));
  return e.bitcast(f32, e.orBits(word, sign));
}

Value amp::encodeMiniFloat(OpBuilder &builder, Location loc, Value value,
                           const MiniFloat &format, bool saturate) {
  ElementBuilder e{builder, loc, value.getType()};
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
  Value sign = e.shiftRight(e.andBits(word, e.bits(0x80000000, 32)),
                            e.bits(32 - format.width, 32));
  if (format.unsignedZero) {
    Value zero = e.compare(arith::CmpIPredicate::eq, code, e.bits(0, 32));
    sign = e.select(zero, e.bits(0, 32), sign);
  }
  return e.convert<arith::TruncIOp>(builder.getIntegerType(8),
                                    e.orBits(code, sign));
}

Value amp::decodeE8M0(OpBuilder &builder, Location loc, Value byte) {
  ElementBuilder e{builder, loc, byte.getType()};
  Value code = e.convert<arith::ExtUIOp>(builder.getI32Type(), byte);
  Value word = e.shiftLeft(code, e.bits(23, 32));
  auto is = [&](uint64_t value) {
    return e.compare(arith::CmpIPredicate::eq, code, e.bits(value, 32));
  };
  word = e.select(is(0), e.bits(0x00400000, 32), word); // 2^-127, subnormal
  word = e.select(is(0xff), e.bits(0x7fc00000, 32), word);
  return e.bitcast(builder.getF32Type(), word);
}

Value amp::encodeE8M0(OpBuilder &builder, Location loc, Value value,
                      ScaleRounding rounding, bool saturate) {
  ElementBuilder e{builder, loc, value.getType()};
  Value word = e.bitcast(builder.getI32Type(), value);
  Value magnitude = e.andBits(word, e.bits(0x7fffffff, 32));
  Value code = e.shiftRight(magnitude, e.bits(23, 32));
  Value special = e.compare(arith::CmpIPredicate::eq, code, e.bits(0xff, 32));
  // A carry out of the mantissa is the exponent's next step. Halves go up,
  // except the subnormal one, which is 2^-127 itself.
  if (rounding == ScaleRounding::Up) {
    code = e.shiftRight(e.addBits(magnitude, e.bits(0x7fffff, 32)),
                        e.bits(23, 32));
  } else if (rounding == ScaleRounding::Nearest) {
    Value isSubnormal =
        e.compare(arith::CmpIPredicate::eq, code, e.bits(0, 32));
    Value half =
        e.select(isSubnormal, e.bits(0x3fffff, 32), e.bits(0x400000, 32));
    code = e.shiftRight(e.addBits(magnitude, half), e.bits(23, 32));
  }
  if (saturate)
    code = e.make<arith::MinUIOp>(code, e.bits(0xfe, 32));
  code = e.select(special, e.bits(0xff, 32), code);
  return e.convert<arith::TruncIOp>(builder.getIntegerType(8), code);
}
