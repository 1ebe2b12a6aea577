//===- BoxOps.cpp - Ops of object detection -------------------------------===//

#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

LogicalResult SuppressBoxesOp::verify() {
  RankedTensorType boxes = typeOf(getBoxes()), scores = typeOf(getScores());
  if (boxes.getRank() != 3 || scores.getRank() != 3)
    return emitOpError("needs boxes and scores of rank 3");
  if (!boxes.getElementType().isF32() || !scores.getElementType().isF32())
    return emitOpError("needs boxes and scores of f32");
  SmallVector<int64_t> expected{scores.getDimSize(0), scores.getDimSize(2), 4};
  if (failed(verifyShape(*this, "boxes", boxes.getShape(), expected)) ||
      failed(verifyShape(*this, "an order", typeOf(getOrder()).getShape(),
                         scores.getShape())))
    return failure();
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     scores.getShape());
}

LogicalResult
SuppressBoxesOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getScores(), shapes);
}

/// As if each box met one that is kept.
double SuppressBoxesOp::getFlops(DimFn dimOf) {
  return product(12, elementCount(getScores(), dimOf));
}

bool SuppressBoxesOp::allowsEpilogue() { return false; }
