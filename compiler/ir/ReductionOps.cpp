//===- ReductionOps.cpp - Reductions, scans, norms ------------------------===//

#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

/// Ops that round only where elements are floats.
static ErrorClass floatClass(Value operand, ErrorClass errorClass) {
  return isa<FloatType>(typeOf(operand).getElementType()) ? errorClass
                                                          : ErrorClass::Integer;
}

/// The shape of `source` without dimensions `axes`.
static SmallVector<int64_t> withoutAxes(Value source, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(typeOf(source).getShape()))
    if (!llvm::is_contained(axes, int64_t(i)))
      shape.push_back(size);
  return shape;
}

static LogicalResult reifyWithout(OpBuilder &builder, Location loc,
                                  Value source, ArrayRef<int64_t> axes,
                                  ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> kept;
  for (auto [i, size] : llvm::enumerate(dimsOf(builder, loc, source)))
    if (!llvm::is_contained(axes, int64_t(i)))
      kept.push_back(size);
  shapes.push_back(kept);
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  SmallVector<int64_t> axes(getAxes());
  llvm::sort(axes);
  for (int64_t axis : axes)
    if (failed(verifyAxis(*this, axis, typeOf(getSource()).getRank())))
      return failure();
  if (auto twice = std::adjacent_find(axes.begin(), axes.end());
      twice != axes.end())
    return emitOpError("reduces dimension ") << *twice << " twice";
  if (failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     withoutAxes(getSource(), axes));
}

LogicalResult ReduceOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyWithout(builder, getLoc(), getSource(), getAxes(), shapes);
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (getAxes().empty() && getSource().getType() == getResult().getType())
    return getSource();
  return {};
}

ErrorClass ReduceOp::getErrorClass() {
  if (getKind() == ReduceKind::Max || getKind() == ReduceKind::Min)
    return ErrorClass::Exact;
  return floatClass(getSource(), ErrorClass::Reduction);
}
double ReduceOp::getFlops(DimFn dimOf) {
  return elementCount(getSource(), dimOf);
}
double ReduceOp::getReductionLength(DimFn dimOf) {
  return extentOf(getSource(), getAxes(), dimOf);
}
/// Each element is read once.
bool ReduceOp::allowsPrologue(unsigned) { return true; }

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::verify() {
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError("finds the max or the min, no ")
           << stringifyReduceKind(getKind());
  if (!typeOf(getResult()).getElementType().isSignlessInteger())
    return emitOpError("gives indices, which are integers");
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, typeOf(getSource()).getRank())))
    return failure();
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     withoutAxes(getSource(), axis));
}

LogicalResult
ArgReduceOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  int64_t axis = getAxis();
  return reifyWithout(builder, getLoc(), getSource(), axis, shapes);
}

ErrorClass ArgReduceOp::getErrorClass() { return ErrorClass::Exact; }
double ArgReduceOp::getFlops(DimFn dimOf) {
  return elementCount(getSource(), dimOf);
}
double ArgReduceOp::getReductionLength(DimFn dimOf) {
  return dimOf(getSource(), getAxis());
}
bool ArgReduceOp::allowsPrologue(unsigned) { return true; }

//===----------------------------------------------------------------------===//
// SoftmaxOp, LayerNormOp
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return verifyAxis(*this, getAxis(), typeOf(getSource()).getRank());
}

LogicalResult
SoftmaxOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

ErrorClass SoftmaxOp::getErrorClass() { return ErrorClass::Normalization; }
/// Maximum, difference, exponential, sum, quotient.
double SoftmaxOp::getFlops(DimFn dimOf) {
  return product(5, elementCount(getSource(), dimOf));
}
double SoftmaxOp::getReductionLength(DimFn dimOf) {
  return dimOf(getSource(), getAxis());
}
bool SoftmaxOp::allowsPrologue(unsigned) { return true; }

LogicalResult LayerNormOp::verify() {
  RankedTensorType source = typeOf(getSource());
  if (source != getResult().getType())
    return emitOpError("has a result of another type than its source");
  if (failed(verifyAxis(*this, getAxis(), source.getRank())))
    return failure();
  ArrayRef<int64_t> normalized = source.getShape().drop_front(getAxis());
  if (getScale() &&
      failed(verifyShape(*this, "a scale", typeOf(getScale()).getShape(),
                         normalized)))
    return failure();
  if (getBias())
    return verifyShape(*this, "a bias", typeOf(getBias()).getShape(),
                       normalized);
  return success();
}

LogicalResult
LayerNormOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

ErrorClass LayerNormOp::getErrorClass() { return ErrorClass::Normalization; }
/// Sum, difference, square, sum, quotient, scale and bias; root mean squares
/// need no mean.
double LayerNormOp::getFlops(DimFn dimOf) {
  double each = getKind() == NormKind::Layer ? 5 : 3;
  each += bool(getScale()) + bool(getBias());
  return product(each, elementCount(getSource(), dimOf));
}
double LayerNormOp::getReductionLength(DimFn dimOf) {
  return extentOf(getSource(),
                  llvm::seq<int64_t>(getAxis(), typeOf(getSource()).getRank()),
                  dimOf);
}
bool LayerNormOp::allowsPrologue(unsigned index) { return index == 0; }

//===----------------------------------------------------------------------===//
// ScanOp, TopKOp
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (getKind() != ReduceKind::Sum && getKind() != ReduceKind::Prod)
    return emitOpError("runs a sum or a prod, no ")
           << stringifyReduceKind(getKind());
  return verifyAxis(*this, getAxis(), typeOf(getSource()).getRank());
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

ErrorClass ScanOp::getErrorClass() {
  return floatClass(getSource(), ErrorClass::Reduction);
}
double ScanOp::getFlops(DimFn dimOf) {
  return elementCount(getSource(), dimOf);
}
double ScanOp::getReductionLength(DimFn dimOf) {
  return dimOf(getSource(), getAxis());
}
bool ScanOp::allowsPrologue(unsigned) { return true; }

LogicalResult TopKOp::verify() {
  RankedTensorType source = typeOf(getSource()), values = typeOf(getValues()),
                   indices = typeOf(getIndices());
  if (failed(verifyAxis(*this, getAxis(), source.getRank())))
    return failure();
  if (values.getElementType() != source.getElementType() ||
      !indices.getElementType().isSignlessInteger())
    return emitOpError(
        "gives values of its operand's type and integer indices");
  SmallVector<int64_t> expected(source.getShape());
  if (values.getRank() == source.getRank())
    expected[getAxis()] = values.getDimSize(getAxis());
  if (failed(verifyShape(*this, "values", values.getShape(), expected)) ||
      failed(verifyShape(*this, "indices", indices.getShape(), expected)))
    return failure();
  if (bool(getK()) != values.isDynamicDim(getAxis()))
    return emitOpError(
        "takes k exactly when the axis of the result is dynamic");
  int64_t k = values.getDimSize(getAxis()), size = source.getDimSize(getAxis());
  if (!ShapedType::isDynamic(k) && !ShapedType::isDynamic(size) && k > size)
    return emitOpError("takes ") << k << " of " << size << " elements";
  return success();
}

LogicalResult TopKOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getSource());
  sizes[getAxis()] =
      getK() ? OpFoldResult(getK())
             : builder.getIndexAttr(typeOf(getValues()).getDimSize(getAxis()));
  shapes.assign(2, sizes);
  return success();
}

ErrorClass TopKOp::getErrorClass() { return ErrorClass::Exact; }
/// Comparisons of a selection.
double TopKOp::getFlops(DimFn dimOf) {
  return elementCount(getSource(), dimOf);
}
double TopKOp::getReductionLength(DimFn dimOf) {
  return dimOf(getSource(), getAxis());
}
