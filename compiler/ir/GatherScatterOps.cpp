//===- GatherScatterOps.cpp - Ops that move elements by index tensors -----===//

#include "compiler/ir/IndexArithmetic.h"
#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> source = typeOf(getSource()).getShape(),
                    indices = typeOf(getIndices()).getShape();
  if (failed(verifyAxis(*this, getAxis(), source.size())) ||
      failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  SmallVector<int64_t> expected(source.take_front(getAxis()));
  llvm::append_range(expected, indices);
  llvm::append_range(expected, source.drop_front(getAxis() + 1));
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     expected);
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  auto source = dimsOf(builder, getLoc(), getSource()),
       indices = dimsOf(builder, getLoc(), getIndices());
  SmallVector<OpFoldResult> sizes(source.begin(), source.begin() + getAxis());
  sizes.append(indices);
  sizes.append(source.begin() + getAxis() + 1, source.end());
  shapes.push_back(sizes);
  return success();
}

Value GatherOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                            ArrayRef<Value> at) {
  IndexArithmetic ix{builder, getLoc()};
  size_t axis = getAxis(), rank = typeOf(getIndices()).getRank();
  Value index = access.readOne(getIndices(), at.slice(axis, rank));
  if (!index)
    return nullptr;
  SmallVector<Value> mapped(at.take_front(axis));
  mapped.push_back(ix.wrap(index, access.dim(getSource(), axis)));
  mapped.append(at.begin() + axis + rank, at.end());
  return access.read(getSource(), mapped);
}

/// Rows are consecutive unless the indices run along the innermost dimension.
bool GatherOp::keepsInnermost() {
  return int64_t(getAxis()) < typeOf(getSource()).getRank() - 1;
}

//===----------------------------------------------------------------------===//
// GatherElementsOp
//===----------------------------------------------------------------------===//

LogicalResult GatherElementsOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices());
  if (failed(verifyAxis(*this, getAxis(), source.getRank())) ||
      failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  if (indices.getRank() != source.getRank())
    return emitOpError("has indices of rank ")
           << indices.getRank() << " for an operand of rank "
           << source.getRank();
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     indices.getShape());
}

LogicalResult
GatherElementsOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getIndices(), shapes);
}

Value GatherElementsOp::emitElement(OpBuilder &builder, ElementAccess &access,
                                    unsigned, ArrayRef<Value> at) {
  IndexArithmetic ix{builder, getLoc()};
  Value index = access.readOne(getIndices(), at);
  if (!index)
    return nullptr;
  SmallVector<Value> mapped(at);
  mapped[getAxis()] = ix.wrap(index, access.dim(getSource(), getAxis()));
  return access.read(getSource(), mapped);
}

bool GatherElementsOp::keepsInnermost() { return false; }

//===----------------------------------------------------------------------===//
// GatherNDOp
//===----------------------------------------------------------------------===//

/// Verifies the index tuples of a gather or scatter into `source`, of which the
/// first `batch` dimensions are not indexed.
static LogicalResult verifyTuples(Operation *op, RankedTensorType indices,
                                  RankedTensorType source, int64_t batch) {
  if (indices.getRank() == 0 || indices.isDynamicDim(indices.getRank() - 1))
    return op->emitOpError("needs index tuples of static length");
  int64_t tuple = indices.getShape().back();
  if (batch < 0 || batch >= indices.getRank() ||
      batch + tuple > source.getRank())
    return op->emitOpError("has tuples of ")
           << tuple << " indices after " << batch
           << " batch dimensions for an operand of rank " << source.getRank();
  return verifyShape(op, "batch dimensions",
                     indices.getShape().take_front(batch),
                     source.getShape().take_front(batch));
}

/// The shape of what tuples name: one slice of `source` each.
static SmallVector<int64_t> gatheredShape(RankedTensorType indices,
                                          RankedTensorType source,
                                          int64_t batch) {
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(
      shape, source.getShape().drop_front(batch + indices.getShape().back()));
  return shape;
}

LogicalResult GatherNDOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices());
  if (failed(verifySameElement(*this, getSource(), getResult())) ||
      failed(verifyTuples(*this, indices, source, getBatchDims())))
    return failure();
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     gatheredShape(indices, source, getBatchDims()));
}

LogicalResult
GatherNDOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  auto source = dimsOf(builder, getLoc(), getSource()),
       sizes = dimsOf(builder, getLoc(), getIndices());
  int64_t tuple = typeOf(getIndices()).getShape().back();
  sizes.pop_back();
  sizes.append(source.begin() + getBatchDims() + tuple, source.end());
  shapes.push_back(sizes);
  return success();
}

Value GatherNDOp::emitElement(OpBuilder &builder, ElementAccess &access,
                              unsigned, ArrayRef<Value> at) {
  IndexArithmetic ix{builder, getLoc()};
  size_t outer = typeOf(getIndices()).getRank() - 1;
  int64_t tuple = typeOf(getIndices()).getShape().back();
  SmallVector<Value> mapped(at.take_front(getBatchDims()));
  for (int64_t i = 0; i < tuple; ++i) {
    SmallVector<Value> where(at.take_front(outer));
    where.push_back(ix.constant(i));
    Value index = access.readOne(getIndices(), where);
    if (!index)
      return nullptr;
    mapped.push_back(ix.wrap(index, access.dim(getSource(), mapped.size())));
  }
  mapped.append(at.begin() + outer, at.end());
  return access.read(getSource(), mapped);
}

bool GatherNDOp::keepsInnermost() {
  int64_t tuple = typeOf(getIndices()).getShape().back();
  return int64_t(getBatchDims()) + tuple < typeOf(getSource()).getRank();
}

//===----------------------------------------------------------------------===//
// ScatterElementsOp, ScatterNDOp
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyScatter(Op op) {
  if (op.getSource().getType() != op.getResult().getType())
    return op.emitOpError("has a result of another type than its operand");
  if (typeOf(op.getUpdates()).getElementType() !=
      typeOf(op.getSource()).getElementType())
    return op.emitOpError(
        "has updates of another element type than its operand");
  return success();
}

LogicalResult ScatterElementsOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices()),
                   updates = typeOf(getUpdates());
  if (failed(verifyScatter(*this)) ||
      failed(verifyAxis(*this, getAxis(), source.getRank())))
    return failure();
  if (indices.getRank() != source.getRank())
    return emitOpError("has indices of rank ")
           << indices.getRank() << " for an operand of rank "
           << source.getRank();
  return verifyShape(*this, "updates", updates.getShape(), indices.getShape());
}

LogicalResult
ScatterElementsOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

LogicalResult ScatterNDOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices());
  if (failed(verifyScatter(*this)) ||
      failed(verifyTuples(*this, indices, source, 0)))
    return failure();
  return verifyShape(*this, "updates", typeOf(getUpdates()).getShape(),
                     gatheredShape(indices, source, 0));
}

LogicalResult
ScatterNDOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}
