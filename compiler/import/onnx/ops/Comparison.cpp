//===- Comparison.cpp - Comparisons, logic and bits -----------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"
#include "compiler/import/onnx/ops/AxisBroadcast.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

template <CmpIPredicate predicate>
static LogicalResult buildCompare(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, DType::Bool, true,
                        [&](PointBuilder &p, ValueRange x) {
                          return p.compare(predicate, dtype, x[0], x[1]);
                        });
}

template <typename Op> static LogicalResult buildBits(NodeBuilder &b) {
  return buildPointwise(b, b.dtype(0), true, [](PointBuilder &p, ValueRange x) {
    return Value(p.emit<Op>(x[0], x[1]));
  });
}

static LogicalResult buildNot(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  return buildPointwise(b, dtype, true, [&](PointBuilder &p, ValueRange x) {
    return Value(p.emit<arith::XOrIOp>(x[0], p.constant(-1, dtype)));
  });
}

static LogicalResult buildWhere(NodeBuilder &b) {
  return buildPointwise(b, b.dtype(1), true, [](PointBuilder &p, ValueRange x) {
    return p.select(x[0], x[1], x[2]);
  });
}

/// Shifts by the width or more give what is left when all bits have gone.
static LogicalResult buildBitShift(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  std::string direction = b.stringAttr("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    return b.fail("has direction '" + direction + "'; it is LEFT or RIGHT");
  double width = elementType(b.context(), dtype).getIntOrFloatBitWidth();
  return buildPointwise(b, dtype, false, [&](PointBuilder &p, ValueRange x) {
    Value zero = p.constant(0, dtype);
    Value last = p.constant(width - 1, dtype);
    // Seen as unsigned, a negative shift is too far as well.
    Value far = p.emit<arith::CmpIOp>(CmpIPredicate::ugt, x[1], last);
    Value by = p.select(far, last, x[1]);
    if (direction == "LEFT")
      return p.select(far, zero, p.emit<arith::ShLIOp>(x[0], by));
    if (!isUnsigned(dtype))
      return Value(p.emit<arith::ShRSIOp>(x[0], by));
    return p.select(far, zero, p.emit<arith::ShRUIOp>(x[0], by));
  });
}

void registerComparisonOps(OpTable &t) {
  constexpr BuildFn buildEqual = buildCompare<CmpIPredicate::eq>,
                    buildLess = buildCompare<CmpIPredicate::slt>,
                    buildGreater = buildCompare<CmpIPredicate::sgt>,
                    buildAnd = buildBits<arith::AndIOp>,
                    buildOr = buildBits<arith::OrIOp>,
                    buildXor = buildBits<arith::XOrIOp>;
  t.add("Equal", 1, 1, withAxis<buildEqual>);
  t.add("Equal", 7, 19, buildEqual);
  t.add("Less", 1, 1, withAxis<buildLess>);
  t.add("Less", 7, 13, buildLess);
  t.add("LessOrEqual", 12, 16, buildCompare<CmpIPredicate::sle>);
  t.add("Greater", 1, 1, withAxis<buildGreater>);
  t.add("Greater", 7, 13, buildGreater);
  t.add("GreaterOrEqual", 12, 16, buildCompare<CmpIPredicate::sge>);
  t.add("And", 1, 1, withAxis<buildAnd>);
  t.add("And", 7, 7, buildAnd);
  t.add("Or", 1, 1, withAxis<buildOr>);
  t.add("Or", 7, 7, buildOr);
  t.add("Xor", 1, 1, withAxis<buildXor>);
  t.add("Xor", 7, 7, buildXor);
  t.add("Not", 1, 1, buildNot);
  t.add("BitwiseAnd", 18, 18, buildAnd);
  t.add("BitwiseOr", 18, 18, buildOr);
  t.add("BitwiseXor", 18, 18, buildXor);
  t.add("BitwiseNot", 18, 18, buildNot);
  t.add("BitShift", 11, 28, buildBitShift);
  t.add("Where", 9, 16, buildWhere);
}

} // namespace ampc::onnx_import
