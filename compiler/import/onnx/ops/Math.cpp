//===- Math.cpp - Functions of one number ---------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

/// A float function of the math dialect.
template <typename Op> static LogicalResult buildMath(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  return b.output(0, b.pointwise<Op>(x.dtype, x));
}

/// One that is exact, so that shape values may go through it.
template <typename Op> static LogicalResult buildExact(NodeBuilder &b) {
  return buildPointwise(b, b.dtype(0), true, [](PointBuilder &p, ValueRange x) {
    return Value(p.emit<Op>(x[0]));
  });
}

static LogicalResult buildNeg(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    return isFloat(dtype) ? p.emit<arith::NegFOp>(x[0])
                          : p.emit<arith::SubIOp>(p.constant(0, dtype), x[0]);
  });
}

static LogicalResult buildAbs(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    if (isUnsigned(dtype))
      return x[0];
    return p.byType<math::AbsFOp, math::AbsIOp>(dtype, x[0]);
  });
}

static LogicalResult buildSign(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    Value zero = p.constant(0, dtype);
    // Zeros and NaN are their own sign.
    Value sign = p.select(p.compare(CmpIPredicate::sgt, dtype, x[0], zero),
                          p.constant(1, dtype), x[0]);
    if (isUnsigned(dtype))
      return sign;
    return p.select(p.compare(CmpIPredicate::slt, dtype, x[0], zero),
                    p.constant(-1, dtype), sign);
  });
}

static LogicalResult buildReciprocal(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    return Value(p.emit<arith::DivFOp>(p.constant(1, dtype), x[0]));
  });
}

static LogicalResult buildIsNaN(NodeBuilder &b) {
  return buildPointwise(
      b, DType::Bool, true, [&](PointBuilder &p, ValueRange x) {
        return Value(p.emit<arith::CmpFOp>(CmpFPredicate::UNO, x[0], x[0]));
      });
}

static LogicalResult buildIsInf(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  bool positive = b.intAttr("detect_positive", 1);
  bool negative = b.intAttr("detect_negative", 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return buildPointwise(
      b, DType::Bool, true, [&](PointBuilder &p, ValueRange x) {
        auto is = [&](double value) {
          return p.compare(CmpIPredicate::eq, dtype, x[0],
                           p.constant(value, dtype));
        };
        if (positive && negative)
          return Value(p.emit<arith::OrIOp>(is(infinity), is(-infinity)));
        if (positive || negative)
          return is(positive ? infinity : -infinity);
        return p.constant(0, DType::Bool);
      });
}

void registerMathOps(OpTable &t) {
  t.add("Neg", 6, 13, buildNeg);
  t.add("Abs", 6, 13, buildAbs);
  t.add("Sign", 9, 13, buildSign);
  t.add("Reciprocal", 6, 13, buildReciprocal);
  t.add("IsNaN", 9, 20, buildIsNaN);
  t.add("IsInf", 10, 20, buildIsInf);
  t.add("Sqrt", 6, 13, buildExact<math::SqrtOp>);
  t.add("Ceil", 6, 13, buildExact<math::CeilOp>);
  t.add("Floor", 6, 13, buildExact<math::FloorOp>);
  t.add("Round", 11, 22, buildExact<math::RoundEvenOp>);
  t.add("Exp", 6, 13, buildMath<math::ExpOp>);
  t.add("Log", 6, 13, buildMath<math::LogOp>);
  t.add("Erf", 9, 13, buildMath<math::ErfOp>);
  t.add("Tanh", 6, 13, buildMath<math::TanhOp>);
  t.add("Sin", 7, 22, buildMath<math::SinOp>);
  t.add("Cos", 7, 22, buildMath<math::CosOp>);
  t.add("Tan", 7, 22, buildMath<math::TanOp>);
  t.add("Asin", 7, 22, buildMath<math::AsinOp>);
  t.add("Acos", 7, 22, buildMath<math::AcosOp>);
  t.add("Atan", 7, 22, buildMath<math::AtanOp>);
  t.add("Sinh", 9, 22, buildMath<math::SinhOp>);
  t.add("Cosh", 9, 22, buildMath<math::CoshOp>);
  t.add("Asinh", 9, 22, buildMath<math::AsinhOp>);
  t.add("Acosh", 9, 22, buildMath<math::AcoshOp>);
  t.add("Atanh", 9, 22, buildMath<math::AtanhOp>);
}

} // namespace ampc::onnx_import
