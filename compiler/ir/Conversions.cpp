//===- Conversions.cpp - Conversions between number formats ---------------===//

#include "compiler/ir/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

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
  return splatAttribute(
      builder, loc, type,
      builder.getIntegerAttr(element, APInt(width, value, true)));
}

Value amp::splatConstant(OpBuilder &builder, Location loc, Type type,
                         double value) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return splatInteger(builder, loc, type, int64_t(value));
  return splatAttribute(builder, loc, type,
                        builder.getFloatAttr(element, value));
}

namespace {

/// Element arithmetic on scalars or vectors of one shape.
struct Elements {
  OpBuilder &b;
  Location loc;
  Type like;

  Type type(Type element) { return amp::shapedLike(element, like); }
  Type integer(unsigned bits) { return type(b.getIntegerType(bits)); }
  Value bits(uint64_t value, unsigned width) {
    return splatAttribute(b, loc, integer(width),
                          b.getIntegerAttr(b.getIntegerType(width),
                                           APInt(width, value)));
  }
  template <typename Op, typename... Args> Value make(Args... args) {
    return b.create<Op>(loc, args...);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return make<arith::CmpIOp>(predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return make<arith::SelectOp>(condition, x, y);
  }
};

} // namespace

/// f32 -> bf16 on the bits: add half of the last kept place, ties to even, and
/// keep NaN from rounding to infinity. Targets without the instruction would
/// call a library.
static Value roundToBF16(Elements &e, Value value) {
  Value word = e.make<arith::BitcastOp>(e.integer(32), value);
  Value sixteen = e.bits(16, 32);
  Value odd = e.make<arith::AndIOp>(
      Value(e.make<arith::ShRUIOp>(word, sixteen)), e.bits(1, 32));
  Value bias = e.make<arith::AddIOp>(odd, e.bits(0x7fff, 32));
  Value rounded = e.make<arith::ShRUIOp>(
      Value(e.make<arith::AddIOp>(word, bias)), sixteen);
  Value quiet = e.make<arith::OrIOp>(
      Value(e.make<arith::ShRUIOp>(word, sixteen)), e.bits(0x40, 32));
  Value nan = e.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
  Value half = e.make<arith::TruncIOp>(e.integer(16), e.select(nan, quiet, rounded));
  return e.make<arith::BitcastOp>(e.type(e.b.getBF16Type()), half);
}

/// f64 -> f32 such that rounding again to a narrower format gives what one
/// rounding would have: round to odd (Boldo and Melquiond, "Emulation of FMA
/// and correctly rounded sums", 2008). An inexact result has its last bit set.
static Value roundToOddF32(Elements &e, Value value) {
  Type f32 = e.type(e.b.getF32Type());
  Value nearest = e.make<arith::TruncFOp>(f32, value);
  Value back = e.make<arith::ExtFOp>(value.getType(), nearest);
  Value word = e.make<arith::BitcastOp>(e.integer(32), nearest);
  // Where rounding went away from zero, the neighbour toward zero.
  Value magnitude = e.make<math::AbsFOp>(value),
        rounded = e.make<math::AbsFOp>(back);
  Value away =
      e.make<arith::CmpFOp>(arith::CmpFPredicate::OGT, rounded, magnitude);
  Value down = e.make<arith::SubIOp>(word, e.bits(1, 32));
  Value truncated = e.select(away, down, word);
  Value inexact =
      e.make<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, value);
  Value odd = e.make<arith::OrIOp>(truncated, e.bits(1, 32));
  return e.make<arith::BitcastOp>(f32, e.select(inexact, odd, truncated));
}

Value amp::convertFloat(OpBuilder &builder, Location loc, Value value,
                        Type to) {
  Elements e{builder, loc, value.getType()};
  Type from = getElementTypeOrSelf(value.getType());
  to = getElementTypeOrSelf(to);
  if (from == to)
    return value;
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  // Between 16-bit formats f32 holds both exactly.
  if (fromWidth == 16 && toWidth == 16)
    return convertFloat(
        builder, loc,
        convertFloat(builder, loc, value, builder.getF32Type()), to);
  if (from.isF64() && toWidth < 32)
    return convertFloat(builder, loc, roundToOddF32(e, value), to);
  if (from.isBF16() && toWidth >= 32) {
    // A shift; spelled out, since vectors of bf16 are not legal everywhere.
    Value half = e.make<arith::BitcastOp>(e.integer(16), value);
    Value word = e.make<arith::ShLIOp>(
        Value(e.make<arith::ExtUIOp>(e.integer(32), half)), e.bits(16, 32));
    Value single = e.make<arith::BitcastOp>(e.type(builder.getF32Type()), word);
    return convertFloat(builder, loc, single, to);
  }
  if (from.isF16() && to.isF64()) // By f32, which every target has at hand.
    return convertFloat(
        builder, loc,
        convertFloat(builder, loc, value, builder.getF32Type()), to);
  if (to.isBF16())
    return roundToBF16(e, value);
  if (toWidth > fromWidth)
    return e.make<arith::ExtFOp>(e.type(to), value);
  return e.make<arith::TruncFOp>(e.type(to), value);
}

/// Toward zero, saturating, NaN to zero; nothing here is poison.
static Value floatToInteger(Elements &e, Value value, IntegerType to,
                            bool isUnsigned) {
  Value wide = amp::convertFloat(e.b, e.loc, value,
                                 amp::computeType(value.getType()));
  Type type = wide.getType(), integer = e.type(to);
  unsigned width = to.getWidth();
  // Bounds that are powers of two (or zero), hence exact in every format.
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double low = isUnsigned ? 0.0 : -high;
  Value below = e.make<arith::CmpFOp>(
      arith::CmpFPredicate::OLT, wide,
      amp::splatConstant(e.b, e.loc, type, low));
  Value above = e.make<arith::CmpFOp>(
      arith::CmpFPredicate::OGE, wide,
      amp::splatConstant(e.b, e.loc, type, high));
  Value nan = e.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, wide, wide);
  Value out = e.make<arith::OrIOp>(
      Value(e.make<arith::OrIOp>(below, above)), nan);
  Value safe =
      e.select(out, amp::splatConstant(e.b, e.loc, type, 0.0), wide);
  Value result = isUnsigned ? e.make<arith::FPToUIOp>(integer, safe)
                            : e.make<arith::FPToSIOp>(integer, safe);
  APInt most = isUnsigned ? APInt::getMaxValue(width)
                          : APInt::getSignedMaxValue(width);
  APInt least = isUnsigned ? APInt::getMinValue(width)
                           : APInt::getSignedMinValue(width);
  result = e.select(below, e.bits(least.getZExtValue(), width), result);
  return e.select(above, e.bits(most.getZExtValue(), width), result);
}

Value amp::convertElement(OpBuilder &builder, Location loc, Value value,
                          Type to, bool unsignedSource, bool unsignedResult) {
  Elements e{builder, loc, value.getType()};
  Type from = getElementTypeOrSelf(value.getType());
  to = getElementTypeOrSelf(to);
  if (from == to)
    return value;
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1)) {
    if (!fromFloat)
      return e.compare(arith::CmpIPredicate::ne, value,
                       splatInteger(builder, loc, value.getType(), 0));
    Value wide = convertFloat(builder, loc, value, computeType(value.getType()));
    // NaN is not equal to zero.
    return e.make<arith::CmpFOp>(
        arith::CmpFPredicate::UNE, wide,
        splatConstant(builder, loc, wide.getType(), 0.0));
  }
  if (fromFloat && toFloat)
    return convertFloat(builder, loc, value, to);
  if (fromFloat)
    return floatToInteger(e, value, cast<IntegerType>(to), unsignedResult);
  if (toFloat) {
    bool isUnsigned = unsignedSource || from.isInteger(1);
    // By way of f64 (exact up to 32 bits) narrower formats round once; wider
    // integers first become f64 rounded to nearest, whose last bits only a tie
    // in the narrow format could tell apart from the integer.
    Type by = to.getIntOrFloatBitWidth() >= 32 ? to : Type(builder.getF64Type());
    Value number = isUnsigned ? e.make<arith::UIToFPOp>(e.type(by), value)
                              : e.make<arith::SIToFPOp>(e.type(by), value);
    return convertFloat(builder, loc, number, to);
  }
  if (from.isIndex() || to.isIndex())
    return unsignedSource ? e.make<arith::IndexCastUIOp>(e.type(to), value)
                          : e.make<arith::IndexCastOp>(e.type(to), value);
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  if (toWidth < fromWidth)
    return e.make<arith::TruncIOp>(e.type(to), value);
  if (unsignedSource || fromWidth == 1)
    return e.make<arith::ExtUIOp>(e.type(to), value);
  return e.make<arith::ExtSIOp>(e.type(to), value);
}
