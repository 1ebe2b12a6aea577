//===- MovementOps.cpp - Ops that move elements ---------------------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/ir/IndexArithmetic.h"
#include "compiler/ir/OpUtils.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  RankedTensorType type = typeOf(getResult());
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= type.getRank())
    return emitOpError("counts along dimension ")
           << dimension << " of a tensor of rank " << type.getRank();
  if (!type.getElementType().isIntOrIndexOrFloat() ||
      type.getElementType().isInteger(1))
    return emitOpError("cannot count in ") << type.getElementType();
  return verifyDims(*this, getDims(), type);
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value IotaOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  Location loc = getLoc();
  Type element = typeOf(getResult()).getElementType();
  Type i64 = builder.getI64Type();
  Value index =
      builder.create<arith::IndexCastOp>(loc, i64, indices[getDimension()]);
  if (access.lanes() > 1) {
    index = builder.create<vector::SplatOp>(loc, access.laned(i64), index);
    if (getDimension() == int64_t(indices.size()) - 1) {
      auto steps = llvm::to_vector(llvm::seq<int64_t>(access.lanes()));
      Value lane = builder.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(cast<VectorType>(access.laned(i64)),
                                      ArrayRef<int64_t>(steps)));
      index = builder.create<arith::AddIOp>(loc, index, lane);
    }
  }
  return convertElement(builder, loc, index, element);
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  if (failed(verifySameRank(*this, getSource(), getResult())))
    return failure();
  SmallVector<int64_t> seen(getPermutation()), expected;
  llvm::sort(seen);
  if (seen.size() != size_t(typeOf(getSource()).getRank()) ||
      !isIdentityPermutation(seen))
    return emitOpError("needs a permutation of the dimensions");
  for (int64_t from : getPermutation())
    expected.push_back(typeOf(getSource()).getDimSize(from));
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     expected);
}

LogicalResult
TransposeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getSource());
  SmallVector<OpFoldResult> permuted;
  for (int64_t from : getPermutation())
    permuted.push_back(sizes[from]);
  shapes.push_back(permuted);
  return success();
}

Value TransposeOp::emitElement(OpBuilder &, ElementAccess &access, unsigned,
                               ArrayRef<Value> indices) {
  SmallVector<Value> mapped(indices.size());
  for (auto [i, from] : llvm::enumerate(getPermutation()))
    mapped[from] = indices[i];
  return access.read(getSource(), mapped);
}

bool TransposeOp::keepsInnermost() {
  return getPermutation().empty() ||
         getPermutation().back() == int64_t(getPermutation().size()) - 1;
}

bool TransposeOp::mergeDims(int64_t dim, SmallVectorImpl<int64_t> &operands) {
  operands.assign(1, getPermutation()[dim]);
  return getPermutation()[dim] + 1 == getPermutation()[dim + 1];
}

/// The elements of a small constant at the places that `place` gives for those
/// of the result; null if it is no constant, or large.
static Attribute
foldMove(Attribute source, RankedTensorType type,
         llvm::function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)>
             place) {
  constexpr int64_t kMostElements = 64;
  auto elements = dyn_cast_or_null<DenseElementsAttr>(source);
  if (!elements || !type.hasStaticShape())
    return {};
  if (elements.isSplat())
    return elements.resizeSplat(type);
  auto from = cast<RankedTensorType>(elements.getType());
  int64_t count = type.getNumElements();
  if (count == 0 || std::max(count, from.getNumElements()) > kMostElements)
    return {};
  SmallVector<int64_t> strides = computeStrides(type.getShape()),
                       sourceStrides = computeStrides(from.getShape()),
                       indices(from.getRank());
  auto values = llvm::to_vector(elements.getValues<Attribute>());
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < count; ++i) {
    place(delinearize(i, strides), indices);
    results.push_back(values[linearize(indices, sourceStrides)]);
  }
  return DenseElementsAttr::get(type, results);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = typeOf(getResult());
  if (getSource().getType() == type && isIdentityPermutation(getPermutation()))
    return getSource();
  return foldMove(adaptor.getSource(), type,
                  [&](ArrayRef<int64_t> to, MutableArrayRef<int64_t> from) {
                    for (auto [i, dim] : llvm::enumerate(getPermutation()))
                      from[dim] = to[i];
                  });
}

namespace {
/// transpose(transpose(x)) -> transpose(x) by the composed permutation.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> composed;
    for (int64_t from : op.getPermutation())
      composed.push_back(inner.getPermutation()[from]);
    rewriter.modifyOpInPlace(op, [&] {
      op.getSourceMutable().assign(inner.getSource());
      op.setPermutation(composed);
    });
    return success();
  }
};
/// A transpose that moves dimensions of size 1 alone moves no elements.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType source = typeOf(op.getSource()),
                     type = typeOf(op.getResult());
    if (!movesNothing(source, op.getPermutation()) ||
        isIdentityPermutation(op.getPermutation()))
      return failure();
    auto sizes = applyPermutation(dimsOf(rewriter, op.getLoc(), op.getSource()),
                                  op.getPermutation());
    rewriter.replaceOpWithNewOp<ReshapeOp>(
        op, type, op.getSource(),
        dynamicDims(rewriter, op.getLoc(), type, sizes));
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes, TransposeToReshape>(context);
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state,
                    RankedTensorType type, Value source,
                    ArrayRef<OpFoldResult> starts, ArrayRef<OpFoldResult> steps,
                    ValueRange dims) {
  SmallVector<Value> dynamicStarts, dynamicSteps;
  SmallVector<int64_t> staticStarts, staticSteps;
  dispatchIndexOpFoldResults(starts, dynamicStarts, staticStarts);
  dispatchIndexOpFoldResults(steps, dynamicSteps, staticSteps);
  build(builder, state, type, source, dynamicStarts, dynamicSteps, dims,
        staticStarts, staticSteps);
}

SmallVector<OpFoldResult> SliceOp::getMixedStarts() {
  Builder builder(getContext());
  return getMixedValues(getStaticStarts(), getStarts(), builder);
}

SmallVector<OpFoldResult> SliceOp::getMixedSteps() {
  Builder builder(getContext());
  return getMixedValues(getStaticSteps(), getSteps(), builder);
}

LogicalResult SliceOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (failed(verifySameRank(*this, getSource(), getResult())) ||
      failed(verifyMixed(*this, "starts", getStaticStarts(), getStarts().size(),
                         source.getRank())) ||
      failed(verifyMixed(*this, "steps", getStaticSteps(), getSteps().size(),
                         source.getRank())))
    return failure();
  if (llvm::is_contained(getStaticSteps(), 0))
    return emitOpError("has a step of zero");
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t first = getStaticStarts()[i], size = source.getDimSize(i);
    int64_t last =
        plus(first, times(plus(result.getDimSize(i), -1), getStaticSteps()[i]));
    // A result of unknown size may be empty.
    if (result.getDimSize(i) == 0 || result.isDynamicDim(i) ||
        ShapedType::isDynamic(size))
      continue;
    for (int64_t index : {first, last})
      if (!ShapedType::isDynamic(index) && (index < 0 || index >= size))
        return emitOpError("reads element ")
               << index << " of dimension " << i << ", which has " << size;
  }
  return verifyDims(*this, getDims(), result);
}

LogicalResult SliceOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value SliceOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                           ArrayRef<Value> indices) {
  IndexArithmetic ix{builder, getLoc()};
  SmallVector<Value> mapped;
  for (auto [index, start, step] :
       llvm::zip(indices, getMixedStarts(), getMixedSteps()))
    mapped.push_back(ix.add(ix.mul(index, ix.scalar(access, step)),
                            ix.scalar(access, start)));
  return access.read(getSource(), mapped);
}

bool SliceOp::keepsInnermost() {
  return getStaticSteps().empty() || getStaticSteps().back() == 1;
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = typeOf(getResult());
  auto is = [](int64_t constant) {
    return [=](int64_t value) { return value == constant; };
  };
  if (getSource().getType() == type && type.hasStaticShape() &&
      llvm::all_of(getStaticStarts(), is(0)) &&
      llvm::all_of(getStaticSteps(), is(1)))
    return getSource();
  if (!getStarts().empty() || !getSteps().empty()) {
    // Equal elements are equal wherever they are.
    auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
    return splat && type.hasStaticShape() ? splat.resizeSplat(type)
                                          : OpFoldResult();
  }
  return foldMove(adaptor.getSource(), type,
                  [&](ArrayRef<int64_t> to, MutableArrayRef<int64_t> from) {
                    for (auto [i, start] : llvm::enumerate(getStaticStarts()))
                      from[i] = start + to[i] * getStaticSteps()[i];
                  });
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  RankedTensorType result = typeOf(getResult());
  int64_t axis = getAxis(), total = 0;
  if (getSources().empty())
    return emitOpError("needs an operand");
  if (failed(verifyAxis(*this, axis, result.getRank())))
    return failure();
  for (Value source : getSources()) {
    RankedTensorType type = typeOf(source);
    if (type.getRank() != result.getRank() ||
        type.getElementType() != result.getElementType())
      return emitOpError("joins ") << type << " into " << result;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i != axis && differ(type.getDimSize(i), result.getDimSize(i)))
        return emitOpError("joins operands that differ in dimension ") << i;
    total = plus(total, type.getDimSize(axis));
  }
  if (differ(total, result.getDimSize(axis)))
    return emitOpError("joins ")
           << total << " elements into " << result.getDimSize(axis);
  return success();
}

LogicalResult ConcatOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  IndexArithmetic ix{builder, getLoc()};
  auto sizes = dimsOf(builder, getLoc(), getSources().front());
  Value total = ix.get(sizes[getAxis()]);
  for (Value source : getSources().drop_front())
    total = ix.add(total, ix.get(dimOf(builder, getLoc(), source, getAxis())));
  sizes[getAxis()] = getAsOpFoldResult(total);
  shapes.push_back(sizes);
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getSources().size() == 1 &&
      getSources().front().getType() == getResult().getType())
    return getSources().front();
  return {};
}

//===----------------------------------------------------------------------===//
// TileOp
//===----------------------------------------------------------------------===//

LogicalResult TileOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (failed(verifySameRank(*this, getSource(), getResult())))
    return failure();
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (!ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) &&
        (from == 0 ? to != 0 : to % from != 0))
      return emitOpError("cannot fill ")
             << to << " elements with whole copies of " << from;
  return verifyDims(*this, getDims(), result);
}

LogicalResult TileOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

/// Whether dimension `dim` is repeated once.
static bool isWhole(TileOp op, int64_t dim) {
  RankedTensorType source = typeOf(op.getSource());
  return !source.isDynamicDim(dim) &&
         source.getDimSize(dim) == typeOf(op.getResult()).getDimSize(dim);
}

Value TileOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  IndexArithmetic ix{builder, getLoc()};
  SmallVector<Value> mapped;
  for (auto [i, index] : llvm::enumerate(indices))
    mapped.push_back(
        isWhole(*this, i) ? index : ix.rem(index, access.dim(getSource(), i)));
  return access.read(getSource(), mapped);
}

bool TileOp::keepsInnermost() {
  RankedTensorType source = typeOf(getSource());
  int64_t last = source.getRank() - 1;
  return last < 0 || source.getDimSize(last) == 1 || isWhole(*this, last);
}

OpFoldResult TileOp::fold(FoldAdaptor) {
  RankedTensorType type = typeOf(getResult());
  if (getSource().getType() == type && type.hasStaticShape())
    return getSource();
  return {};
}
