//===- Conversions.cpp - Conversions between number formats ---------------===//

#include "compiler/ir/Conversions.h"

#include "compiler/ir/ElementBuilder.h"
#include "compiler/ir/MiniFloat.h"

#include <cmath>

using namespace mlir;
using namespace amp;

Type amp::shapedLike(Type type, Type like) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), type);
  return type;
}

Type amp::computeType(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element || element.getWidth() >= 32)
    return type;
  return shapedLike(Float32Type::get(type.getContext()), type);
}

static Value splatAttribute(OpBuilder &builder, Location loc, Type type,
                            TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return builder.create<arith::ConstantOp>(loc, value);
}

Value amp::splatInteger(OpBuilder &builder, Location loc, Type type,
                        int64_t value) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return splatConstant(builder, loc, type, double(value));
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  APInt bits = APInt(64, uint64_t(value)).sextOrTrunc(width);
  return splatAttribute(builder, loc, type,
                        builder.getIntegerAttr(element, bits));
}

Value amp::splatConstant(OpBuilder &builder, Location loc, Type type,
                         double value) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return splatInteger(builder, loc, type, int64_t(value));
  return splatAttribute(builder, loc, type,
                        builder.getFloatAttr(element, value));
}

//===----------------------------------------------------------------------===//
// Float to float
//===----------------------------------------------------------------------===//

/// f32 -> bf16 on the bits: add half of the last kept place, ties to even, and
/// keep NaN from rounding to infinity. Targets without the instruction would
/// call a library.
static Value roundToBF16(ElementBuilder &e, Value value) {
  Value word = e.bitcast(e.b.getI32Type(), value);
  Value sixteen = e.bits(16, 32);
  Value high = e.shiftRight(word, sixteen);
  Value bias = e.addBits(e.andBits(high, e.bits(1, 32)), e.bits(0x7fff, 32));
  Value rounded = e.shiftRight(e.addBits(word, bias), sixteen);
  Value quiet = e.orBits(high, e.bits(0x40, 32));
  Value half = e.convert<arith::TruncIOp>(
      e.b.getIntegerType(16), e.select(e.isNaN(value), quiet, rounded));
  return e.bitcast(e.b.getBF16Type(), half);
}

/// A shift; spelled out, since vectors of bf16 are not legal everywhere.
static Value bf16ToF32(ElementBuilder &e, Value value) {
  Value half = e.bitcast(e.b.getIntegerType(16), value);
  Value word = e.convert<arith::ExtUIOp>(e.b.getI32Type(), half);
  return e.bitcast(e.b.getF32Type(), e.shiftLeft(word, e.bits(16, 32)));
}

/// f64 -> f32 such that rounding again to a narrower format gives what one
/// rounding would have: round to odd (Boldo and Melquiond, "Emulation of FMA
/// and correctly rounded sums", 2008). An inexact result has its last bit set.
static Value roundToOddF32(ElementBuilder &e, Value value) {
  Type f32 = e.b.getF32Type();
  Value nearest = e.convert<arith::TruncFOp>(f32, value);
  Value back = e.convert<arith::ExtFOp>(e.b.getF64Type(), nearest);
  Value word = e.bitcast(e.b.getI32Type(), nearest);
  // Where rounding went away from zero, the neighbour toward zero.
  Value away = e.compare(arith::CmpFPredicate::OGT, e.make<math::AbsFOp>(back),
                         e.make<math::AbsFOp>(value));
  Value truncated = e.select(away, e.subBits(word, e.bits(1, 32)), word);
  Value inexact = e.compare(arith::CmpFPredicate::ONE, back, value);
  Value odd = e.orBits(truncated, e.bits(1, 32));
  return e.bitcast(f32, e.select(inexact, odd, truncated));
}

/// Any float but f64 as f32, exactly.
static Value toF32(ElementBuilder &e, Value value) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from.isF32())
    return value;
  if (from.isBF16())
    return bf16ToF32(e, value);
  if (auto mini = miniFloatOf(from))
    return decodeMiniFloat(e.b, e.loc, e.bitcast(e.b.getIntegerType(8), value),
                           *mini);
  return e.convert<arith::ExtFOp>(e.b.getF32Type(), value);
}

Value amp::convertFloat(OpBuilder &builder, Location loc, Value value, Type to,
                        bool saturate) {
  ElementBuilder e{builder, loc, value.getType()};
  Type from = getElementTypeOrSelf(value.getType());
  to = getElementTypeOrSelf(to);
  if (from == to)
    return value;
  if (from.isF64() && to.isF32())
    return e.convert<arith::TruncFOp>(to, value);
  // All other ways lead over f32, which holds the narrower formats exactly.
  Value single = from.isF64() ? roundToOddF32(e, value) : toF32(e, value);
  if (to.isF32())
    return single;
  if (to.isF64())
    return e.convert<arith::ExtFOp>(to, single);
  if (to.isBF16())
    return roundToBF16(e, single);
  if (auto mini = miniFloatOf(to))
    return e.bitcast(to,
                     encodeMiniFloat(builder, loc, single, *mini, saturate));
  return e.convert<arith::TruncFOp>(to, single);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Toward zero, saturating, NaN to zero; nothing here is poison.
static Value floatToInteger(ElementBuilder &e, Value value, IntegerType to,
                            bool isUnsigned) {
  value = convertFloat(e.b, e.loc, value, computeType(value.getType()));
  unsigned width = to.getWidth();
  // Bounds are powers of two (or zero), hence exact in every format.
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double low = isUnsigned ? 0.0 : -high;
  Value below =
      e.compare(arith::CmpFPredicate::OLT, value, e.constant(low, value));
  Value above =
      e.compare(arith::CmpFPredicate::OGE, value, e.constant(high, value));
  Value outside = e.orBits(e.orBits(below, above), e.isNaN(value));
  Value safe = e.select(outside, e.constant(0.0, value), value);
  Value result = isUnsigned ? e.convert<arith::FPToUIOp>(to, safe)
                            : e.convert<arith::FPToSIOp>(to, safe);
  APInt most =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt least =
      isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  result = e.select(below, e.bits(least.getZExtValue(), width), result);
  return e.select(above, e.bits(most.getZExtValue(), width), result);
}

/// A 64-bit integer such that rounding it to f64 and then to 16 bits or fewer
/// rounds it once: where f64 would have to round, the low bits are merged into
/// one that no such format keeps (round to odd).
static Value stickyInteger(ElementBuilder &e, Value value, bool isUnsigned) {
  constexpr uint64_t exact = uint64_t(1) << 53, low = 0x7ff;
  Value isLarge = isUnsigned ? e.compare(arith::CmpIPredicate::ugt, value,
                                         e.bits(exact, 64))
                             : e.compare(arith::CmpIPredicate::ugt,
                                         e.addBits(value, e.bits(exact, 64)),
                                         e.bits(2 * exact, 64));
  Value rest = e.andBits(value, e.bits(low, 64));
  Value sticky =
      e.select(e.compare(arith::CmpIPredicate::ne, rest, e.bits(0, 64)),
               e.bits(low + 1, 64), e.bits(0, 64));
  Value merged = e.orBits(e.andBits(value, e.bits(~low, 64)), sticky);
  return e.select(isLarge, merged, value);
}

static Value integerToFloat(ElementBuilder &e, Value value, Type to,
                            const ConversionFlags &flags) {
  unsigned width =
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  bool isUnsigned = flags.unsignedSource || width == 1;
  Type by = to;
  if (to.getIntOrFloatBitWidth() < 32) {
    by = e.b.getF64Type();
    if (width == 64)
      value = stickyInteger(e, value, isUnsigned);
  }
  Value number = isUnsigned ? e.convert<arith::UIToFPOp>(by, value)
                            : e.convert<arith::SIToFPOp>(by, value);
  return convertFloat(e.b, e.loc, number, to, flags.saturate);
}

static Value integerToInteger(ElementBuilder &e, Value value, Type to,
                              bool isUnsigned) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(),
           width = to.getIntOrFloatBitWidth();
  if (width == from)
    return value;
  if (width < from)
    return e.convert<arith::TruncIOp>(to, value);
  return isUnsigned || from == 1 ? e.convert<arith::ExtUIOp>(to, value)
                                 : e.convert<arith::ExtSIOp>(to, value);
}

//===----------------------------------------------------------------------===//
// Formats kept in bytes
//===----------------------------------------------------------------------===//

unsigned amp::narrowIntegerBits(ByteFormat format) {
  switch (format) {
  case ByteFormat::U2:
  case ByteFormat::I2:
    return 2;
  case ByteFormat::U4:
  case ByteFormat::I4:
    return 4;
  default:
    return 0;
  }
}

bool amp::isUnsignedFormat(ByteFormat format) {
  return format == ByteFormat::U2 || format == ByteFormat::U4;
}

/// A byte whose bits above `bits` are zeros, or copies of the sign.
static Value extendLowBits(ElementBuilder &e, Value byte, unsigned bits,
                           bool isUnsigned) {
  if (isUnsigned)
    return e.andBits(byte, e.bits((1u << bits) - 1, 8));
  Value above = e.bits(8 - bits, 8);
  return e.make<arith::ShRSIOp>(e.shiftLeft(byte, above), above);
}

/// What a byte stands for: an i8, or an f32 that holds it exactly.
static Value decodeByte(ElementBuilder &e, Value byte, ByteFormat format) {
  if (unsigned bits = narrowIntegerBits(format))
    return extendLowBits(e, byte, bits, isUnsignedFormat(format));
  if (format == ByteFormat::F8E8M0)
    return decodeE8M0(e.b, e.loc, byte);
  return decodeMiniFloat(e.b, e.loc, byte, *miniFloatOf(format));
}

static Value encodeByte(OpBuilder &builder, Location loc, Value value,
                        const ConversionFlags &flags) {
  ElementBuilder e{builder, loc, value.getType()};
  Type i32 = builder.getI32Type(), i8 = builder.getIntegerType(8);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  if (unsigned bits = narrowIntegerBits(flags.result)) {
    Value integer = convertElement(builder, loc, value, isFloat ? i32 : i8,
                                   {flags.unsignedSource});
    integer = convertElement(builder, loc, integer, i8);
    return extendLowBits(e, integer, bits, isUnsignedFormat(flags.result));
  }
  // Rounded once: by way of f64 and then to odd, where f32 is too short.
  Type f64 = builder.getF64Type();
  if (!isFloat) {
    unsigned width =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    bool isUnsigned = flags.unsignedSource || width == 1;
    if (width == 64)
      value = stickyInteger(e, value, isUnsigned);
    value = isUnsigned ? e.convert<arith::UIToFPOp>(f64, value)
                       : e.convert<arith::SIToFPOp>(f64, value);
  }
  bool isWide = getElementTypeOrSelf(value.getType()).isF64();
  Value single = isWide ? roundToOddF32(e, value) : toF32(e, value);
  if (flags.result == ByteFormat::F8E8M0)
    return encodeE8M0(builder, loc, single, flags.rounding, flags.saturate);
  return encodeMiniFloat(builder, loc, single, *miniFloatOf(flags.result),
                         /*saturate=*/true);
}

Value amp::convertElement(OpBuilder &builder, Location loc, Value value,
                          Type to, ConversionFlags flags) {
  ElementBuilder e{builder, loc, value.getType()};
  if (flags.source != ByteFormat::Byte) {
    value = decodeByte(e, value, flags.source);
    flags.unsignedSource = isUnsignedFormat(flags.source);
    flags.source = ByteFormat::Byte;
  }
  Type from = getElementTypeOrSelf(value.getType()), i64 = builder.getI64Type();
  to = getElementTypeOrSelf(to);
  if (flags.result != ByteFormat::Byte)
    return encodeByte(builder, loc, value, flags);
  if (from == to)
    return value;
  // `index` has 64 bits on every target.
  if (from.isIndex())
    return convertElement(builder, loc,
                          e.convert<arith::IndexCastOp>(i64, value), to, flags);
  if (to.isIndex())
    return e.convert<arith::IndexCastOp>(
        to, convertElement(builder, loc, value, i64, flags));
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1)) {
    if (!fromFloat)
      return e.compare(arith::CmpIPredicate::ne, value,
                       splatInteger(builder, loc, value.getType(), 0));
    // NaN is not equal to zero.
    Value wide = convertFloat(builder, loc, value, computeType(from));
    return e.compare(arith::CmpFPredicate::UNE, wide, e.constant(0.0, wide));
  }
  if (fromFloat && toFloat)
    return convertFloat(builder, loc, value, to, flags.saturate);
  if (fromFloat)
    return floatToInteger(e, value, cast<IntegerType>(to),
                          flags.unsignedResult);
  if (toFloat)
    return integerToFloat(e, value, to, flags);
  return integerToInteger(e, value, to, flags.unsignedSource);
}
