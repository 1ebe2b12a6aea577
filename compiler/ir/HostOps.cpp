//===- HostOps.cpp - Weights, views, checks, places -----------------------===//

#include "compiler/ir/OpUtils.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// WeightDataOp, WeightOp
//===----------------------------------------------------------------------===//

LogicalResult WeightDataOp::verify() {
  ShapedType type = getValue().getShapedType();
  if (!type.hasStaticShape())
    return emitOpError("needs a static shape, not ") << type;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(getValue())) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return emitOpError("has a resource without data");
    unsigned bits =
        type.getElementType().isInteger(1) ? 8 : type.getElementTypeBitWidth();
    uint64_t bytes = (uint64_t(type.getNumElements()) * bits + 7) / 8;
    if (blob->getData().size() != bytes)
      return emitOpError("has ")
             << blob->getData().size() << " bytes of data where its type needs "
             << bytes;
  }
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto data =
      symbols.lookupNearestSymbolFrom<WeightDataOp>(*this, getDataAttr());
  if (!data)
    return emitOpError("refers to '")
           << getData() << "', which is no amp.weight_data of the module";
  ShapedType type = data.getValue().getShapedType(),
             mine = cast<ShapedType>(getResult().getType());
  // Booleans are bytes once they lie in buffers.
  auto stored = [](Type t, bool buffer) {
    return buffer && t.isInteger(1) ? IntegerType::get(t.getContext(), 8) : t;
  };
  bool buffer = isa<MemRefType>(mine);
  if (type.getShape() != mine.getShape() ||
      (mine.getElementType() != type.getElementType() &&
       mine.getElementType() != stored(type.getElementType(), buffer)))
    return emitOpError("has type ") << mine << " but its data is " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (failed(verifySameElement(*this, getSource(), getResult())) ||
      failed(verifyDims(*this, getDims(), result)))
    return failure();
  if (source.hasStaticShape() && result.hasStaticShape() &&
      source.getNumElements() != result.getNumElements())
    return emitOpError("has ")
           << source.getNumElements() << " elements before and "
           << result.getNumElements() << " after";
  return success();
}

LogicalResult
ReshapeOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

/// Whether a tensor comes out of control flow, so that no op tells its sizes.
static bool isFromControlFlow(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    op = tensor.getParentBlock()->getParentOp();
  return isa_and_nonnull<RegionBranchOpInterface>(op);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = typeOf(getResult());
  // With one dynamic dim at the same place, equal counts make it equal. What
  // comes out of control flow has its sizes from this op.
  if (getSource().getType() == type &&
      (type.hasStaticShape() ||
       (type.getNumDynamicDims() == 1 && !isFromControlFlow(getSource()))))
    return getSource();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    if (type.hasStaticShape())
      return dense.reshape(type);
  return {};
}

namespace {
/// reshape(reshape(x)) -> reshape(x): only the last shape counts.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getSourceMutable().assign(inner.getSource()); });
    return success();
  }
};

/// Sizes that turned out constant move into the type.
struct StaticReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getResult());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> dims;
    unsigned next = 0;
    for (int64_t &size : shape) {
      if (!ShapedType::isDynamic(size))
        continue;
      Value dim = op.getDims()[next++];
      if (auto constant = getConstantIntValue(dim); constant && *constant >= 0)
        size = *constant;
      else
        dims.push_back(dim);
    }
    if (dims.size() == op.getDims().size())
      return failure();
    auto fixed = RankedTensorType::get(shape, type.getElementType());
    Value reshaped =
        rewriter.create<ReshapeOp>(op.getLoc(), fixed, op.getSource(), dims);
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, type, reshaped);
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes, StaticReshape>(context);
}

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

void CheckOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  // A check known to hold is no check. One known to fail stays: the run says
  // so.
  patterns.add(+[](CheckOp op, PatternRewriter &rewriter) -> LogicalResult {
    if (!matchPattern(op.getCondition(), m_One()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// ToHostOp, ToDeviceOp
//===----------------------------------------------------------------------===//

LogicalResult ToHostOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

LogicalResult
ToDeviceOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

OpFoldResult ToHostOp::fold(FoldAdaptor) {
  if (auto there = getSource().getDefiningOp<ToDeviceOp>())
    return there.getSource();
  return {};
}

OpFoldResult ToDeviceOp::fold(FoldAdaptor) {
  if (auto there = getSource().getDefiningOp<ToHostOp>())
    return there.getSource();
  return {};
}
