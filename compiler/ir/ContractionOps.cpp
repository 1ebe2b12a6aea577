//===- ContractionOps.cpp - Matrix products and attention -----------------===//

#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// Positions of the row, column and reduced dimensions.
static int64_t rowDim(MatmulOp op) {
  return typeOf(op.getLhs()).getRank() - (op.getTransposeLhs() ? 1 : 2);
}
static int64_t depthDim(MatmulOp op) {
  return typeOf(op.getLhs()).getRank() - (op.getTransposeLhs() ? 2 : 1);
}
static int64_t columnDim(MatmulOp op) {
  return typeOf(op.getRhs()).getRank() - (op.getTransposeRhs() ? 2 : 1);
}
int64_t MatmulOp::getRhsDepthDim() {
  return typeOf(getRhs()).getRank() - (getTransposeRhs() ? 1 : 2) - getPairs();
}
int64_t MatmulOp::getRhsBatchRank() {
  return typeOf(getRhs()).getRank() - 2 - getPanels() - getPairs();
}

/// Verifies the right operand's panels against the result's columns.
static LogicalResult verifyPanels(MatmulOp op) {
  RankedTensorType rhs = typeOf(op.getRhs()), result = typeOf(op.getResult());
  const int64_t least = 3 + op.getPairs();
  if (rhs.getRank() < least)
    return op.emitOpError("needs panels of rank ") << least << " or more";
  if (op.getTransposeRhs())
    return op.emitOpError("has panels, which cannot be transposed");
  if (op.getPairs() && rhs.getShape().back() != 2)
    return op.emitOpError("needs pairs along the last dimension");
  int64_t columns = result.getShape().back(),
          width = rhs.getDimSize(op.getRhsDepthDim() + 1);
  if (ShapedType::isDynamic(columns) || ShapedType::isDynamic(width) || !width)
    return op.emitOpError("needs panels and columns of static size");
  int64_t panels = llvm::divideCeil(columns, width),
          actual = rhs.getDimSize(op.getRhsBatchRank());
  if (differ(actual, panels))
    return op.emitOpError("has ")
           << actual << " panels where " << panels << " are needed";
  return success();
}

/// Verifies that a value of `shape` is repeated to `result` by numpy's rules.
static LogicalResult verifyBroadcast(Operation *op, StringRef what,
                                     ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> result) {
  bool fits = shape.size() <= result.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = shape[i] == 1 ||
           !differ(shape[i], result[result.size() - shape.size() + i]);
  return fits ? success()
              : op->emitOpError("has ")
                    << what << " that does not broadcast to the result";
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()),
                   result = typeOf(getResult());
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitOpError("needs operands of rank 2 or more");
  if (getPairs() && !getPanels())
    return emitOpError("has pairs, which are for panels");
  if (getPanels() && failed(verifyPanels(*this)))
    return failure();
  bool integers = lhs.getElementType().isInteger();
  if (!canMultiply(lhs.getElementType(), rhs.getElementType()))
    return emitOpError("multiplies ")
           << lhs.getElementType() << " by " << rhs.getElementType();
  if (integers != result.getElementType().isInteger())
    return emitOpError("gives ")
           << result.getElementType() << " from " << lhs.getElementType();
  // Pairs may hold more than what is summed.
  int64_t depth = lhs.getDimSize(depthDim(*this));
  if (getPairs()) {
    if (ShapedType::isDynamic(depth) || rhs.isDynamicDim(getRhsDepthDim()) ||
        depth > 2 * rhs.getDimSize(getRhsDepthDim()))
      return emitOpError("sums over ") << depth << " elements where pairs hold "
                                       << 2 * rhs.getDimSize(getRhsDepthDim());
  } else if (differ(depth, rhs.getDimSize(getRhsDepthDim())))
    return emitOpError("sums over ")
           << lhs.getDimSize(depthDim(*this)) << " elements of the left and "
           << rhs.getDimSize(getRhsDepthDim()) << " of the right operand";
  // Where both are 1, so is the result; a dynamic size may be that of the
  // other.
  ArrayRef<int64_t> left = lhs.getShape().drop_back(2),
                    right = rhs.getShape().take_front(getRhsBatchRank());
  size_t batch = std::max(left.size(), right.size());
  SmallVector<int64_t> expected(batch, 1);
  for (ArrayRef<int64_t> side : {left, right})
    for (auto [i, size] : llvm::enumerate(side)) {
      int64_t &known = expected[batch - side.size() + i];
      if (size == 1 || (ShapedType::isDynamic(size) && known != 1))
        continue;
      if (known != 1 && differ(known, size))
        return emitOpError("has batch dimensions that do not broadcast");
      known = size;
    }
  expected.push_back(lhs.getDimSize(rowDim(*this)));
  // Panels may be wider than what they hold.
  expected.push_back(getPanels() ? result.getShape().back()
                                 : rhs.getDimSize(columnDim(*this)));
  if (failed(verifyShape(*this, "a result", result.getShape(), expected)))
    return failure();
  if (Value bias = getBias()) {
    if (typeOf(bias).getElementType() != result.getElementType())
      return emitOpError("has a bias of another element type than the result");
    return verifyBroadcast(*this, "a bias", typeOf(bias).getShape(),
                           result.getShape());
  }
  return success();
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  auto lhs = dimsOf(builder, loc, getLhs()),
       rhs = dimsOf(builder, loc, getRhs());
  OpFoldResult columns = getPanels()
                             ? OpFoldResult(builder.getIndexAttr(
                                   typeOf(getResult()).getShape().back()))
                             : rhs[columnDim(*this)];
  rhs.resize(getRhsBatchRank() + 2);
  size_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<OpFoldResult> sizes;
  for (size_t i = 0; i + 2 < rank; ++i) {
    // The side that is not a static 1.
    OpFoldResult size = builder.getIndexAttr(1);
    for (auto *side : {&lhs, &rhs})
      if (int64_t at = int64_t(i + side->size()) - int64_t(rank);
          at >= 0 && getConstantIntValue(size) == 1)
        size = (*side)[at];
    sizes.push_back(size);
  }
  sizes.push_back(lhs[rowDim(*this)]);
  sizes.push_back(columns);
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> MatmulOp::getLegalFormats() {
  return contractionFormats(typeOf(getLhs()).getElementType());
}
ErrorClass MatmulOp::getErrorClass() {
  return isa<FloatType>(typeOf(getLhs()).getElementType())
             ? ErrorClass::Contraction
             : ErrorClass::Integer;
}
double MatmulOp::getReductionLength(DimFn dimOf) {
  return dimOf(getLhs(), depthDim(*this));
}
double MatmulOp::getFlops(DimFn dimOf) {
  return product(2 * elementCount(getResult(), dimOf),
                 getReductionLength(dimOf));
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  RankedTensorType query = typeOf(getQuery()), key = typeOf(getKey()),
                   value = typeOf(getValue()), result = typeOf(getResult());
  for (RankedTensorType type : {query, key, value, result})
    if (type.getRank() != 4)
      return emitOpError("needs query, key, value and result of rank 4");
  for (Value operand : getOperands())
    if (typeOf(operand).getElementType() != result.getElementType())
      return emitOpError("gives ") << result.getElementType() << " from "
                                   << typeOf(operand).getElementType();
  auto sizes = [&](int64_t heads, int64_t positions, int64_t size) {
    return getHeadsInner() ? SmallVector<int64_t>{query.getDimSize(0),
                                                  positions, heads, size}
                           : SmallVector<int64_t>{query.getDimSize(0), heads,
                                                  positions, size};
  };
  int64_t heads = query.getDimSize(getHeadDim()),
          shared = key.getDimSize(getHeadDim()),
          queries = query.getDimSize(getPositionDim()),
          keys = key.getDimSize(getPositionDim());
  if (failed(verifyShape(*this, "keys", key.getShape(),
                         sizes(shared, keys, query.getDimSize(3)))) ||
      failed(verifyShape(*this, "values", value.getShape(),
                         sizes(shared, keys, value.getDimSize(3)))) ||
      failed(verifyShape(*this, "a result", result.getShape(),
                         sizes(heads, queries, value.getDimSize(3)))))
    return failure();
  if (!ShapedType::isDynamic(heads) && !ShapedType::isDynamic(shared) &&
      (shared == 0 ? heads != 0 : heads % shared != 0))
    return emitOpError("has ")
           << heads << " query heads for " << shared << " key heads";
  if (Value mask = getMask())
    return verifyBroadcast(*this, "a mask", typeOf(mask).getShape(),
                           {query.getDimSize(0), heads, queries, keys});
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getQuery());
  sizes[3] = dimOf(builder, getLoc(), getValue(), 3);
  shapes.push_back(sizes);
  return success();
}

bool AttentionOp::fitsKernel(RankedTensorType query, RankedTensorType value) {
  // A kernel holds a few tens of rows of queries and of results.
  constexpr int64_t most = 256;
  auto fits = [](int64_t size) {
    return !ShapedType::isDynamic(size) && size <= most;
  };
  return query.getElementTypeBitWidth() <= 32 &&
         fits(query.getShape().back()) && fits(value.getShape().back());
}

bool AttentionOp::fitsKernel() {
  return fitsKernel(typeOf(getQuery()), typeOf(getValue())) && !getAlgorithm();
}

SmallVector<Format> AttentionOp::getLegalFormats() {
  SmallVector<Format> formats =
      contractionFormats(typeOf(getQuery()).getElementType());
  // The softmax between the two products is kept out of 8 bits.
  llvm::erase_if(formats, [](Format format) {
    return format == Format::F8E4M3 || format == Format::F8E5M2;
  });
  return formats;
}
SmallVector<unsigned> AttentionOp::getFactors() { return {0, 1, 2}; }
ErrorClass AttentionOp::getErrorClass() { return ErrorClass::Contraction; }
/// That of the longer sum: over keys.
double AttentionOp::getReductionLength(DimFn dimOf) {
  return dimOf(getKey(), getPositionDim());
}
/// Two products and a softmax of 5 operations a score.
double AttentionOp::getFlops(DimFn dimOf) {
  double scores = product(extentOf(getQuery(), llvm::seq(0, 3), dimOf),
                          dimOf(getKey(), getPositionDim()));
  double in = dimOf(getKey(), 3), out = dimOf(getValue(), 3);
  return in < 0 || out < 0 ? -1 : product(scores, 2 * in + 2 * out + 5);
}
