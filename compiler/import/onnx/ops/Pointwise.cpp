//===- Pointwise.cpp - Arithmetic ops -------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"
#include "compiler/import/onnx/ops/AxisBroadcast.h"
#include "compiler/import/onnx/ops/Ranks.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

/// An op that is one instruction for each kind of type.
template <typename FloatOp, typename SignedOp, typename UnsignedOp = SignedOp>
static LogicalResult buildBinary(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    return p.byType<FloatOp, SignedOp, UnsignedOp>(dtype, x);
  });
}

/// Folds any number of inputs from the left.
template <typename FloatOp, typename SignedOp, typename UnsignedOp = SignedOp>
static LogicalResult buildVariadic(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    Value result = x.front();
    for (Value next : x.drop_front())
      result = p.byType<FloatOp, SignedOp, UnsignedOp>(dtype, {result, next});
    return result;
  });
}

static LogicalResult buildMean(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    Value sum = x.front();
    for (Value next : x.drop_front())
      sum = p.emit<arith::AddFOp>(sum, next);
    return Value(p.emit<arith::DivFOp>(sum, p.constant(x.size(), dtype)));
  });
}

static LogicalResult buildDiv(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    return isFloat(dtype) ? p.emit<arith::DivFOp>(x[0], x[1])
                          : p.divideInts(dtype, x[0], x[1]);
  });
}

/// fmod 0: the sign of the divisor (Python's %); fmod 1: the dividend's.
static LogicalResult buildMod(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  bool fmod = b.intAttr("fmod");
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    Value rest = isFloat(dtype) ? p.emit<arith::RemFOp>(x[0], x[1])
                                : p.remainderInts(dtype, x[0], x[1]);
    if (fmod || isUnsigned(dtype))
      return rest;
    Value zero = p.constant(0, dtype);
    Value differ =
        p.emit<arith::XOrIOp>(p.compare(CmpIPredicate::slt, dtype, rest, zero),
                              p.compare(CmpIPredicate::slt, dtype, x[1], zero));
    Value shift = p.emit<arith::AndIOp>(
        differ, p.compare(CmpIPredicate::ne, dtype, rest, zero));
    Value shifted = p.byType<arith::AddFOp, arith::AddIOp>(dtype, {rest, x[1]});
    Value result = p.select(shift, shifted, rest);
    if (!isFloat(dtype))
      return result;
    // A zero has the sign of the divisor.
    Value isZero = p.compare(CmpIPredicate::eq, dtype, result, zero);
    return p.select(isZero, p.emit<math::CopySignOp>(zero, x[1]), result);
  });
}

/// The exponent if it is one constant number.
static std::optional<double> constantExponent(NodeBuilder &b) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(b.input(1).constant);
  if (!dense || !dense.isSplat() || !isFloat(b.dtype(1)))
    return std::nullopt;
  APFloat value = dense.getSplatValue<APFloat>();
  bool inexact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

static LogicalResult buildPow(NodeBuilder &b) {
  DType base = b.dtype(0), exponent = b.dtype(1);
  std::optional<double> power = constantExponent(b);
  return buildPointwise(b, base, false, [&](PointBuilder &p, ValueRange x) {
    if (isFloat(base)) {
      // Small powers are products, here as in other run times.
      if (power == 2)
        return p.emit<arith::MulFOp>(x[0], x[0]);
      if (power == 3)
        return p.emit<arith::MulFOp>(p.emit<arith::MulFOp>(x[0], x[0]), x[0]);
      return p.emit<math::PowFOp>(x[0], p.cast(x[1], exponent, base));
    }
    if (!isFloat(exponent))
      return p.emit<math::IPowIOp>(x[0], p.cast(x[1], exponent, base));
    Value real = p.emit<math::PowFOp>(p.cast(x[0], base, exponent), x[1]);
    return p.cast(real, exponent, base);
  });
}

/// Bounds are attributes up to opset 10, inputs after; a missing one bounds
/// nothing.
static LogicalResult buildClip(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  for (auto [i, name] : {std::pair(1u, "min"), std::pair(2u, "max")}) {
    Tensor bound;
    if (b.node.version < 11) {
      if (!b.node.hasAttr(name))
        continue;
      bound = b.splatLike(b.floatAttr(name), x);
    } else {
      if (!b.has(i))
        continue;
      auto given = numberInput(b, i);
      if (failed(given))
        return failure();
      bound = b.broadcast(*given, x.dims);
    }
    x = i == 1 ? b.maximum(x, bound) : b.minimum(x, bound);
  }
  return b.output(0, x);
}

void registerPointwiseOps(OpTable &t) {
  constexpr BuildFn buildAdd = buildBinary<arith::AddFOp, arith::AddIOp>,
                    buildSub = buildBinary<arith::SubFOp, arith::SubIOp>,
                    buildMul = buildBinary<arith::MulFOp, arith::MulIOp>;
  t.add("Add", 1, 6, withAxis<buildAdd>);
  t.add("Add", 7, 14, buildAdd);
  t.add("Sub", 1, 6, withAxis<buildSub>);
  t.add("Sub", 7, 14, buildSub);
  t.add("Mul", 1, 6, withAxis<buildMul>);
  t.add("Mul", 7, 14, buildMul);
  t.add("Div", 1, 6, withAxis<buildDiv>);
  t.add("Div", 7, 14, buildDiv);
  t.add("Mod", 10, 28, buildMod);
  t.add("Pow", 1, 1, withAxis<buildPow>);
  t.add("Pow", 7, 15, buildPow);
  t.add("Max", 1, 13,
        buildVariadic<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>);
  t.add("Min", 1, 13,
        buildVariadic<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>);
  t.add("Sum", 1, 13, buildVariadic<arith::AddFOp, arith::AddIOp>);
  t.add("Mean", 1, 13, buildMean);
  t.add("Clip", 1, 13, buildClip);
}

} // namespace ampc::onnx_import
