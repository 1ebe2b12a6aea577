//===- Cast.cpp - Conversions of element types ----------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

static bool isFloat8(DType dtype) {
  return dtype == DType::Float8E8M0 || (isFloat(dtype) && bitWidth(dtype) == 8);
}

/// Whether a list of scalars may have this type: narrow integers wrap, which
/// host arithmetic on `index` would not.
static bool isListType(DType dtype) {
  return isIndex(dtype) || dtype == DType::Bool ||
         (isFloat(dtype) && !isFloat8(dtype));
}

static LogicalResult convert(NodeBuilder &b, DType to) {
  DType from = b.dtype(0);
  if (!elementType(b.context(), to))
    return b.fail("converts " + dtypeName(from) + " to " + dtypeName(to) +
                  ", which is not supported");
  NamedValue &x = b.input(0);
  if (from == to)
    return b.output(0, b.node.inputs[0]);
  bool isList = x.scalars || (x.constant && x.canBeScalars());
  if (!isList || !isListType(from) || !isListType(to)) {
    auto rounding =
        amp::symbolizeScaleRounding(b.stringAttr("round_mode", "up"));
    if (!rounding)
      return b.fail("has round_mode '" + b.stringAttr("round_mode") +
                    "'; known are up, down and nearest");
    return b.output(
        0, b.cast(b.tensor(0), to,
                  /*saturate=*/isFloat8(to) && b.intAttr("saturate", 1),
                  to == DType::Float8E8M0 ? *rounding
                                          : amp::ScaleRounding::Nearest));
  }
  auto list = b.list(0);
  if (failed(list))
    return failure();
  PointBuilder point(b);
  SmallVector<Scalar> results;
  for (Scalar scalar : *list)
    results.push_back(
        getAsOpFoldResult(point.cast(b.scalars.value(scalar), from, to)));
  return b.outputList(0, to, x.rank(), std::move(results));
}

static LogicalResult buildCast(NodeBuilder &b) {
  return convert(b, static_cast<DType>(b.intAttr("to")));
}

static LogicalResult buildCastLike(NodeBuilder &b) {
  return convert(b, b.dtype(1));
}

static LogicalResult buildBitCast(NodeBuilder &b) {
  DType from = b.dtype(0), to = static_cast<DType>(b.intAttr("to"));
  Type source = elementType(b.context(), from),
       target = elementType(b.context(), to);
  if (!target || from == DType::Bool || to == DType::Bool ||
      bitWidth(from) != bitWidth(to))
    return b.fail("reinterprets " + dtypeName(from) + " as " + dtypeName(to) +
                  ", which is not supported");
  Tensor x = b.tensor(0);
  if (bitWidth(from) < 8) {
    // The bits above are extended as the new type says.
    x.dtype = bitWidth(from) == 2   ? DType::UInt2
              : bitWidth(from) == 4 ? DType::UInt4
                                    : from;
    if (isInteger(to))
      x = b.cast(x, to);
    return b.output(0, Tensor{x.value, to, x.dims, {}});
  }
  if (source == target)
    return b.output(0, Tensor{x.value, to, x.dims, {}});
  Value value = b.create<arith::BitcastOp>(b.type(to, x.dims), x.value);
  return b.output(0, Tensor{value, to, x.dims, {}});
}

void registerCastOps(OpTable &t) {
  t.add("Cast", 6, 28, buildCast);
  t.add("CastLike", 15, 25, buildCastLike);
  t.add("BitCast", 26, 26, buildBitCast);
}

} // namespace ampc::onnx_import
