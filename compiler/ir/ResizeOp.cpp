//===- ResizeOp.cpp - Interpolation to another size -----------------------===//
//
// What a resize is; ResizeElement.cpp emits it.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/OpUtils.h"

#include <cmath>

using namespace mlir;
using namespace amp;

LogicalResult ResizeOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (failed(verifySameRank(*this, getSource(), getResult())) ||
      failed(verifyDims(*this, getDims(), result)))
    return failure();
  if (getScales().size() != getAxes().size())
    return emitOpError("has ") << getScales().size() << " scales for "
                               << getAxes().size() << " axes";
  SmallVector<int64_t> axes(getAxes()), expected(source.getShape());
  llvm::sort(axes);
  for (int64_t axis : axes) {
    if (failed(verifyAxis(*this, axis, source.getRank())))
      return failure();
    expected[axis] = result.getDimSize(axis);
  }
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    return emitOpError("resizes a dimension twice");
  if (failed(verifyShape(*this, "a result", result.getShape(), expected)))
    return failure();
  size_t roi = getCoordinate() == CoordinateMode::TfCropAndResize
                   ? 2 * getAxes().size()
                   : 0;
  if (getRoi().size() != roi)
    return emitOpError("needs ") << roi << " values of roi for "
                                 << stringifyCoordinateMode(getCoordinate());
  if (getAntialias() && getMode() == ResizeMode::Nearest)
    return emitOpError("has no filter to widen in nearest mode");
  return success();
}

LogicalResult ResizeOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

/// Elements read for one of the result, at least (antialiasing reads more).
static double tapsOf(ResizeOp op) {
  double each = op.getMode() == ResizeMode::Nearest  ? 1
                : op.getMode() == ResizeMode::Linear ? 2
                                                     : 4;
  return std::pow(each, double(op.getAxes().size()));
}

ErrorClass ResizeOp::getErrorClass() {
  return getMode() == ResizeMode::Nearest ? ErrorClass::Exact
                                          : ErrorClass::Pointwise;
}
double ResizeOp::getFlops(DimFn dimOf) {
  if (getMode() == ResizeMode::Nearest)
    return 0;
  return product(2 * tapsOf(*this), elementCount(getResult(), dimOf));
}
double ResizeOp::getReductionLength(DimFn) { return tapsOf(*this); }

bool ResizeOp::keepsInnermost() {
  return !llvm::is_contained(getAxes(), typeOf(getSource()).getRank() - 1);
}

bool ResizeOp::isCheapToRepeat() { return getMode() == ResizeMode::Nearest; }
