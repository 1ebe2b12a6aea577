//===- NonMaxSuppression.cpp - NonMaxSuppression --------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Select.h"

#include <limits>

using namespace mlir;

namespace ampc::onnx_import {

/// The one element of an optional input as a scalar, or `missing`.
static FailureOr<Scalar> number(NodeBuilder &b, unsigned i, Scalar missing) {
  if (!b.has(i))
    return missing;
  auto list = b.list(i);
  if (failed(list))
    return failure();
  if (list->size() != 1)
    return b.fail("input " + Twine(i) + " is not one number");
  return list->front();
}

/// Boxes sorted by score, marks on those kept, and of each mark its batch,
/// class and box.
static LogicalResult buildNonMaxSuppression(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Builder &builder = b.builder();
  auto limit = number(b, 2, s.index(0));
  auto overlap = number(b, 3, Attribute(builder.getF32FloatAttr(0)));
  auto threshold = number(b, 4,
                          Attribute(builder.getF32FloatAttr(
                              -std::numeric_limits<float>::infinity())));
  if (failed(limit) || failed(overlap) || failed(threshold))
    return failure();
  Tensor boxes = b.tensor(0), scores = b.tensor(1);
  if (boxes.rank() != 3 || scores.rank() != 3)
    return b.fail("needs boxes and scores of rank 3");
  if (failed(b.requireEqual(boxes.dims[0], scores.dims[0],
                            "boxes and scores differ in the batch")) ||
      failed(b.requireEqual(boxes.dims[1], scores.dims[2],
                            "boxes and scores differ in number")) ||
      failed(b.requireEqual(boxes.dims[2], s.index(4),
                            "boxes are not four numbers each")))
    return failure();
  Scalar classes = scores.dims[1], count = scores.dims[2];
  SmallVector<Value> size = b.dynamic({count});
  auto sorted = b.create<amp::TopKOp>(
      scores.type(), b.type(DType::Int64, scores.dims), scores.value,
      /*axis=*/2, size.empty() ? Value() : size.front(), /*largest=*/true,
      /*unsigned_source=*/false);
  Tensor order{sorted.getIndices(), DType::Int64, scores.dims, {}};
  Value marks = b.create<amp::SuppressBoxesOp>(
      b.type(DType::Bool, scores.dims), boxes.value, scores.value, order.value,
      s.value(*limit), s.value(*overlap), s.value(*threshold),
      b.intAttr("center_point_box", 0) != 0);
  Tensor kept = positionsOfTrue(
      b, flatten(b, Tensor{marks, DType::Bool, scores.dims, {}}));

  auto by = [&](Scalar divisor) {
    return filled(b, s.max(divisor, s.index(1)), kept.dims);
  };
  auto quotient = [&](const Tensor &x, Scalar divisor) {
    return b.pointwise<arith::DivUIOp>(DType::Int64, x, by(divisor));
  };
  auto remainder = [&](const Tensor &x, Scalar divisor) {
    return b.pointwise<arith::RemUIOp>(DType::Int64, x, by(divisor));
  };
  Tensor row = quotient(kept, count);
  Tensor columns[] = {quotient(row, classes), remainder(row, classes),
                      b.gather(flatten(b, order), kept, 0)};
  SmallVector<Tensor> parts;
  for (const Tensor &column : columns)
    parts.push_back(b.unsqueeze(column, {1}));
  return b.output(0, b.concat(parts, 1));
}

void registerNonMaxSuppressionOps(OpTable &t) {
  t.add("NonMaxSuppression", 10, 28, buildNonMaxSuppression);
}

} // namespace ampc::onnx_import
