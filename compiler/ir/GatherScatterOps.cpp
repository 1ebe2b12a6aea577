//===- GatherScatterOps.cpp - Ops that move elements by index tensors -----===//

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace amp;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError("has axis ")
         << axis << ", which is outside of [0, " << rank << ")";
}

template <typename Op> LogicalResult verifyElement(Op op) {
  if (typeOf(op.getSource()).getElementType() ==
      typeOf(op.getResult()).getElementType())
    return success();
  return op.emitOpError("may not change the element type");
}

/// An index read from a tensor: from the end if negative, then into bounds.
/// Kernels cannot fail, so what is out of bounds is clamped.
Value normalized(OpBuilder &b, Location loc, Value index, Value size) {
  if (!index.getType().isIndex())
    index = b.create<arith::IndexCastOp>(loc, b.getIndexType(), index);
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  Value one = b.create<arith::ConstantIndexOp>(loc, 1);
  Value negative =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, index, zero);
  Value wrapped = b.create<arith::AddIOp>(loc, index, size);
  index = b.create<arith::SelectOp>(loc, negative, wrapped, index);
  Value last = b.create<arith::SubIOp>(loc, size, one);
  index = b.create<arith::MinSIOp>(loc, index, last);
  return b.create<arith::MaxSIOp>(loc, index, zero);
}

} // namespace

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices()),
                   result = typeOf(getResult());
  if (failed(verifyAxis(*this, getAxis(), source.getRank())) ||
      failed(verifyElement(*this)))
    return failure();
  if (result.getRank() != source.getRank() - 1 + indices.getRank())
    return emitOpError("has a result of rank ")
           << result.getRank() << " instead of "
           << source.getRank() - 1 + indices.getRank();
  return success();
}

LogicalResult
GatherOp::reifyResultShapes(OpBuilder &builder,
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
  size_t axis = getAxis(), rank = typeOf(getIndices()).getRank();
  Value index = access.readOne(getIndices(), at.slice(axis, rank));
  SmallVector<Value> mapped(at.take_front(axis));
  mapped.push_back(normalized(builder, getLoc(), index,
                              access.dim(getSource(), axis)));
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
      failed(verifyElement(*this)))
    return failure();
  if (indices.getRank() != source.getRank() ||
      indices.getShape() != typeOf(getResult()).getShape())
    return emitOpError("needs indices of its operand's rank and its result's "
                       "shape");
  return success();
}

LogicalResult
GatherElementsOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, getLoc(), getIndices()));
  return success();
}

Value GatherElementsOp::emitElement(OpBuilder &builder, ElementAccess &access,
                                    unsigned, ArrayRef<Value> at) {
  Value index = access.readOne(getIndices(), at);
  SmallVector<Value> mapped(at);
  mapped[getAxis()] = normalized(builder, getLoc(), index,
                                 access.dim(getSource(), getAxis()));
  return access.read(getSource(), mapped);
}

bool GatherElementsOp::keepsInnermost() { return false; }

//===----------------------------------------------------------------------===//
// GatherNDOp
//===----------------------------------------------------------------------===//

LogicalResult GatherNDOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices()),
                   result = typeOf(getResult());
  int64_t batch = getBatchDims();
  if (failed(verifyElement(*this)))
    return failure();
  if (indices.getRank() == 0 || indices.isDynamicDim(indices.getRank() - 1))
    return emitOpError("needs index tuples of static length");
  int64_t tuple = indices.getDimSize(indices.getRank() - 1);
  if (batch < 0 || batch >= indices.getRank() ||
      batch + tuple > source.getRank())
    return emitOpError("has tuples of ")
           << tuple << " indices after " << batch
           << " batch dimensions for an operand of rank " << source.getRank();
  int64_t rank = indices.getRank() - 1 + source.getRank() - batch - tuple;
  if (result.getRank() != rank)
    return emitOpError("has a result of rank ")
           << result.getRank() << " instead of " << rank;
  return success();
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
  Location loc = getLoc();
  size_t outer = typeOf(getIndices()).getRank() - 1;
  int64_t tuple = typeOf(getIndices()).getShape().back();
  SmallVector<Value> mapped(at.take_front(getBatchDims()));
  for (int64_t i = 0; i < tuple; ++i) {
    SmallVector<Value> where(at.take_front(outer));
    where.push_back(builder.create<arith::ConstantIndexOp>(loc, i));
    Value index = access.readOne(getIndices(), where);
    mapped.push_back(normalized(builder, loc, index,
                                access.dim(getSource(), mapped.size())));
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
    return op.emitOpError("has updates of another element type than its operand");
  return success();
}

LogicalResult ScatterElementsOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices()),
                   updates = typeOf(getUpdates());
  if (failed(verifyScatter(*this)) ||
      failed(verifyAxis(*this, getAxis(), source.getRank())))
    return failure();
  if (indices.getRank() != source.getRank() ||
      updates.getRank() != source.getRank())
    return emitOpError("needs indices and updates of its operand's rank");
  for (auto [a, b] : llvm::zip(indices.getShape(), updates.getShape()))
    if (differ(a, b))
      return emitOpError("needs one index an update");
  return success();
}

LogicalResult
ScatterElementsOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, getLoc(), getSource()));
  return success();
}

LogicalResult ScatterNDOp::verify() {
  RankedTensorType source = typeOf(getSource()), indices = typeOf(getIndices()),
                   updates = typeOf(getUpdates());
  if (failed(verifyScatter(*this)))
    return failure();
  if (indices.getRank() == 0 || indices.isDynamicDim(indices.getRank() - 1))
    return emitOpError("needs index tuples of static length");
  int64_t tuple = indices.getShape().back();
  if (tuple > source.getRank())
    return emitOpError("has tuples of ")
           << tuple << " indices for an operand of rank " << source.getRank();
  if (updates.getRank() != indices.getRank() - 1 + source.getRank() - tuple)
    return emitOpError("has updates of rank ")
           << updates.getRank() << " instead of "
           << indices.getRank() - 1 + source.getRank() - tuple;
  return success();
}

LogicalResult
ScatterNDOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, getLoc(), getSource()));
  return success();
}
