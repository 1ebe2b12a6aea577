//===- ReductionOps.cpp - Reductions, pooling, norms, scans ---------------===//

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace amp;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

/// Formats of an op whose statistics are f32 whatever its operand is stored in.
static SmallVector<Format> reductionFormats(Value operand) {
  Type element = typeOf(operand).getElementType();
  if (!isa<FloatType>(element) || element.isF64())
    return {};
  return {Format::F32, Format::BF16, Format::F16};
}

static double timesPerElement(Value value, double each, DimFn dimOf) {
  double count = elementCount(value, dimOf);
  return count < 0 ? -1 : count * each;
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError("has axis ")
         << axis << ", which is outside of [0, " << rank << ")";
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  SmallVector<bool> reduced(source.getRank(), false);
  for (int64_t axis : getAxes()) {
    if (failed(verifyAxis(*this, axis, source.getRank())))
      return failure();
    if (reduced[axis])
      return emitOpError("reduces dimension ") << axis << " twice";
    reduced[axis] = true;
  }
  if (source.getElementType() != result.getElementType())
    return emitOpError("may not change the element type");
  if (result.getRank() != source.getRank() - int64_t(getAxes().size()))
    return emitOpError("has a result of rank ")
           << result.getRank() << " instead of "
           << source.getRank() - int64_t(getAxes().size());
  for (int64_t i = 0, next = 0; i < source.getRank(); ++i)
    if (!reduced[i] &&
        differ(source.getDimSize(i), result.getDimSize(next++)))
      return emitOpError("changes dimension ") << i << ", which it keeps";
  return success();
}

LogicalResult
ReduceOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> kept;
  for (auto [i, size] : llvm::enumerate(dimsOf(builder, getLoc(), getSource())))
    if (!llvm::is_contained(getAxes(), int64_t(i)))
      kept.push_back(size);
  shapes.push_back(kept);
  return success();
}

SmallVector<Format> ReduceOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass ReduceOp::getErrorClass() {
  if (getKind() == ReduceKind::Max || getKind() == ReduceKind::Min)
    return ErrorClass::Exact;
  return isa<FloatType>(typeOf(getSource()).getElementType())
             ? ErrorClass::Reduction
             : ErrorClass::Integer;
}
double ReduceOp::getFlops(DimFn dimOf) {
  return elementCount(getSource(), dimOf);
}
double ReduceOp::getReductionLength(DimFn dimOf) {
  double length = 1;
  for (int64_t axis : getAxes()) {
    int64_t size = dimOf(getSource(), axis);
    if (size < 0)
      return -1;
    length *= size;
  }
  return length;
}
/// Each element is read once.
bool ReduceOp::allowsPrologue(unsigned) { return true; }

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError("finds the max or the min, no ")
           << stringifyReduceKind(getKind());
  if (!result.getElementType().isSignlessInteger())
    return emitOpError("gives indices, which are integers");
  if (result.getRank() != source.getRank() - 1)
    return emitOpError("has a result of rank ")
           << result.getRank() << " instead of " << source.getRank() - 1;
  return verifyAxis(*this, getAxis(), source.getRank());
}

LogicalResult
ArgReduceOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getSource());
  sizes.erase(sizes.begin() + getAxis());
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> ArgReduceOp::getLegalFormats() {
  return reductionFormats(getSource());
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
  shapes.push_back(dimsOf(builder, getLoc(), getSource()));
  return success();
}
SmallVector<Format> SoftmaxOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass SoftmaxOp::getErrorClass() { return ErrorClass::Normalization; }
/// Maximum, difference, exponential, sum, quotient.
double SoftmaxOp::getFlops(DimFn dimOf) {
  return timesPerElement(getSource(), 5, dimOf);
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
  for (Value parameter : {getScale(), getBias()}) {
    if (!parameter)
      continue;
    ArrayRef<int64_t> shape = typeOf(parameter).getShape(),
                      expected = source.getShape().drop_front(getAxis());
    if (shape.size() != expected.size())
      return emitOpError("has scale or bias of rank ")
             << shape.size() << " for " << expected.size()
             << " normalized dimensions";
    for (auto [a, b] : llvm::zip(shape, expected))
      if (differ(a, b))
        return emitOpError("has scale or bias whose shape is not that of the "
                           "normalized dimensions");
  }
  return success();
}
LogicalResult
LayerNormOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, getLoc(), getSource()));
  return success();
}
SmallVector<Format> LayerNormOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass LayerNormOp::getErrorClass() { return ErrorClass::Normalization; }
/// Sum, difference, square, sum, quotient, scale and bias.
double LayerNormOp::getFlops(DimFn dimOf) {
  return timesPerElement(getSource(), 7, dimOf);
}
double LayerNormOp::getReductionLength(DimFn dimOf) {
  double length = 1;
  for (int64_t i = getAxis(); i < typeOf(getSource()).getRank(); ++i) {
    int64_t size = dimOf(getSource(), i);
    if (size < 0)
      return -1;
    length *= size;
  }
  return length;
}
bool LayerNormOp::allowsPrologue(unsigned index) { return index == 0; }

//===----------------------------------------------------------------------===//
// PoolOp, PoolArgOp
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyWindow(Op op) {
  RankedTensorType source = typeOf(op.getSource()), result = typeOf(op.getResult());
  int64_t spatial = op.getKernel().size();
  if (spatial < 1 || source.getRank() != spatial + 2)
    return op.emitOpError("has a kernel of ")
           << spatial << " dimensions for an operand of rank "
           << source.getRank();
  if (result.getRank() != source.getRank())
    return op.emitOpError("has a result of another rank than its operand");
  if (int64_t(op.getStrides().size()) != spatial ||
      int64_t(op.getDilations().size()) != spatial ||
      int64_t(op.getPads().size()) != 2 * spatial)
    return op.emitOpError("needs ")
           << spatial << " strides and dilations and " << 2 * spatial << " pads";
  auto positive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(op.getKernel(), positive) ||
      !llvm::all_of(op.getStrides(), positive) ||
      !llvm::all_of(op.getDilations(), positive))
    return op.emitOpError("needs positive kernel sizes, strides and dilations");
  if (!llvm::all_of(op.getPads(), [](int64_t pad) { return pad >= 0; }))
    return op.emitOpError("needs pads of zero or more");
  return success();
}

template <typename Op>
static void reifyWindow(Op op, OpBuilder &builder,
                        ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, op.getLoc(), op.getSource());
  size_t spatial = op.getKernel().size();
  for (size_t i = 0; i < spatial; ++i)
    sizes[i + 2] = windowedSize(
        builder, op.getLoc(), sizes[i + 2], op.getKernel()[i],
        op.getStrides()[i], op.getDilations()[i], op.getPads()[i],
        op.getPads()[spatial + i], op.getCeilMode());
  shapes.push_back(sizes);
}

static double windowSize(ArrayRef<int64_t> kernel) {
  double size = 1;
  for (int64_t extent : kernel)
    size *= extent;
  return size;
}

LogicalResult PoolOp::verify() {
  if (typeOf(getSource()).getElementType() != typeOf(getResult()).getElementType())
    return emitOpError("may not change the element type");
  return verifyWindow(*this);
}
LogicalResult
PoolOp::reifyResultShapes(OpBuilder &builder,
                          ReifiedRankedShapedTypeDims &shapes) {
  reifyWindow(*this, builder, shapes);
  return success();
}
SmallVector<Format> PoolOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass PoolOp::getErrorClass() {
  return getKind() == PoolKind::Max ? ErrorClass::Exact : ErrorClass::Reduction;
}
double PoolOp::getFlops(DimFn dimOf) {
  return timesPerElement(getResult(), windowSize(getKernel()), dimOf);
}
double PoolOp::getReductionLength(DimFn) { return windowSize(getKernel()); }
/// Windows that do not overlap read each element once.
static bool readsOnce(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides) {
  return llvm::all_of(llvm::zip(kernel, strides), [](auto pair) {
    return std::get<0>(pair) <= std::get<1>(pair);
  });
}
bool PoolOp::allowsPrologue(unsigned) {
  return readsOnce(getKernel(), getStrides());
}

LogicalResult PoolArgOp::verify() {
  if (!typeOf(getResult()).getElementType().isSignlessInteger())
    return emitOpError("gives indices, which are integers");
  return verifyWindow(*this);
}
LogicalResult
PoolArgOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  reifyWindow(*this, builder, shapes);
  return success();
}
SmallVector<Format> PoolArgOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass PoolArgOp::getErrorClass() { return ErrorClass::Exact; }
double PoolArgOp::getFlops(DimFn dimOf) {
  return timesPerElement(getResult(), windowSize(getKernel()), dimOf);
}
double PoolArgOp::getReductionLength(DimFn) { return windowSize(getKernel()); }
bool PoolArgOp::allowsPrologue(unsigned) {
  return readsOnce(getKernel(), getStrides());
}

//===----------------------------------------------------------------------===//
// ScanOp, TopKOp
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (getKind() != ReduceKind::Sum && getKind() != ReduceKind::Prod)
    return emitOpError("runs a sum or a prod, no ")
           << stringifyReduceKind(getKind());
  return verifyAxis(*this, getAxis(), typeOf(getSource()).getRank());
}
LogicalResult
ScanOp::reifyResultShapes(OpBuilder &builder,
                          ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, getLoc(), getSource()));
  return success();
}
SmallVector<Format> ScanOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass ScanOp::getErrorClass() {
  return isa<FloatType>(typeOf(getSource()).getElementType())
             ? ErrorClass::Reduction
             : ErrorClass::Integer;
}
double ScanOp::getFlops(DimFn dimOf) { return elementCount(getSource(), dimOf); }
double ScanOp::getReductionLength(DimFn dimOf) {
  return dimOf(getSource(), getAxis());
}
bool ScanOp::allowsPrologue(unsigned) { return true; }

LogicalResult TopKOp::verify() {
  RankedTensorType source = typeOf(getSource()), values = typeOf(getValues()),
                   indices = typeOf(getIndices());
  if (failed(verifyAxis(*this, getAxis(), source.getRank())))
    return failure();
  if (values.getShape() != indices.getShape() ||
      values.getRank() != source.getRank())
    return emitOpError("needs values and indices of one shape, of its "
                       "operand's rank");
  if (values.getElementType() != source.getElementType() ||
      !indices.getElementType().isSignlessInteger())
    return emitOpError("gives values of its operand's type and integer indices");
  if (bool(getK()) != values.isDynamicDim(getAxis()))
    return emitOpError("takes k exactly when the axis of the result is dynamic");
  int64_t k = values.getDimSize(getAxis()), size = source.getDimSize(getAxis());
  if (!ShapedType::isDynamic(k) && !ShapedType::isDynamic(size) && k > size)
    return emitOpError("takes ") << k << " of " << size << " elements";
  return success();
}
LogicalResult
TopKOp::reifyResultShapes(OpBuilder &builder,
                          ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getSource());
  sizes[getAxis()] =
      getK() ? OpFoldResult(getK())
             : builder.getIndexAttr(typeOf(getValues()).getDimSize(getAxis()));
  shapes.assign(2, sizes);
  return success();
}
SmallVector<Format> TopKOp::getLegalFormats() {
  return reductionFormats(getSource());
}
ErrorClass TopKOp::getErrorClass() { return ErrorClass::Exact; }
double TopKOp::getFlops(DimFn dimOf) { return elementCount(getSource(), dimOf); }
double TopKOp::getReductionLength(DimFn dimOf) {
  return dimOf(getSource(), getAxis());
}
