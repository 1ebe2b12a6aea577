//===- FoldScales.cpp - Scales and shifts of channels go into weights -----===//
//
// Batch normalization is a factor and a summand for each channel. Behind a
// convolution whose weights are known, the factors become part of the filter
// and the summands its bias, with which sums start anyway: neither costs
// anything at run time.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/Passes.h"
#include "passes/WeightSources.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace amp {
#define GEN_PASS_DEF_FOLDSCALES
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Weights with an element for each channel, or with one for all, or a number.
struct ChannelVector {
  Value elements;
  FloatAttr number; ///< Where there are no elements.

  /// `channels` elements in a tensor of rank `rank`, along dimension `dim`.
  Value along(OpBuilder &b, Location loc, int64_t channels, int64_t rank,
              int64_t dim) const {
    SmallVector<int64_t> shape(rank, 1);
    if (!elements) {
      shape[dim] = channels;
      return b.create<arith::ConstantOp>(
          loc,
          DenseElementsAttr::get(RankedTensorType::get(shape, number.getType()),
                                 ArrayRef<Attribute>(number)));
    }
    RankedTensorType type = typeOf(elements);
    shape[dim] = type.getNumElements();
    Value vector =
        b.create<ReshapeOp>(loc, type.clone(shape), elements, ValueRange());
    if (shape[dim] == channels)
      return vector;
    shape[dim] = channels;
    return b.create<BroadcastOp>(loc, type.clone(shape), vector, ValueRange(),
                                 ArrayRef<int64_t>());
  }
};

/// A pointwise op of a convolution, used nowhere else, and of a vector along
/// its channels.
struct ChannelwiseOp {
  ConvOp conv;
  ChannelVector vector;

  static std::optional<ChannelwiseOp> match(Operation *op) {
    for (unsigned i : {0, 1})
      if (auto found = match(op->getOperand(i), op->getOperand(1 - i)))
        return found;
    return std::nullopt;
  }

private:
  static std::optional<ChannelwiseOp> match(Value result, Value other) {
    auto conv = result.getDefiningOp<ConvOp>();
    if (!conv || !result.hasOneUse() || conv.getAlgorithm() ||
        conv.getPanels() || !typeOf(result).getElementType().isF32() ||
        !typeOf(conv.getFilter()).getElementType().isF32() ||
        ShapedType::isDynamic(conv.getOutChannels()))
      return std::nullopt;
    if (FloatAttr number = numberOf(other))
      return ChannelwiseOp{conv, {nullptr, number}};
    // Of an image of one pixel a vector has the shape already.
    Value vector = other;
    if (auto broadcast = other.getDefiningOp<BroadcastOp>())
      vector = broadcast.getSource();
    RankedTensorType type = typeOf(vector);
    if (!type.hasStaticShape() || !weightSourceBytes(vector))
      return std::nullopt;
    const int64_t missing = typeOf(result).getRank() - type.getRank();
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size != 1 && (int64_t(dim) + missing != conv.getChannelDim() ||
                        size != conv.getOutChannels()))
        return std::nullopt;
    return ChannelwiseOp{conv, {vector, nullptr}};
  }

  /// What all elements of `value` are, if known.
  static FloatAttr numberOf(Value value) {
    FloatAttr number;
    DenseElementsAttr elements;
    if (auto splat = value.getDefiningOp<SplatOp>())
      matchPattern(splat.getValue(), m_Constant(&number));
    else if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
      number = elements.getSplatValue<FloatAttr>();
    return number;
  }
};

/// (x * w + b) * s = x * (w * s) + b * s.
struct FoldScale : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    auto match = ChannelwiseOp::match(op);
    if (!match)
      return failure();
    auto [conv, scale] = *match;
    RankedTensorType filter = typeOf(conv.getFilter());
    // A filter that others use would be there twice.
    if (!filter.hasStaticShape() || !conv.getFilter().hasOneUse() ||
        !weightSourceBytes(conv.getFilter()))
      return failure();
    Location loc = rewriter.getFusedLoc({conv.getLoc(), op.getLoc()});
    const int64_t channels = conv.getOutChannels(), rank = filter.getRank();
    Value factors = rewriter.create<BroadcastOp>(
        loc, filter,
        scale.along(rewriter, loc, channels, rank,
                    conv.getChannelsLast() ? rank - 1 : 0),
        ValueRange(), ArrayRef<int64_t>());
    Value scaled =
        rewriter.create<arith::MulFOp>(loc, conv.getFilter(), factors);
    Value bias = conv.getBias();
    if (bias)
      bias = rewriter.create<arith::MulFOp>(
          loc, bias, scale.along(rewriter, loc, channels, 1, 0));
    replaceBy(rewriter, op, conv, loc, scaled, bias);
    return success();
  }

  /// Where `op` stands: what the new operands need is known there.
  static void replaceBy(PatternRewriter &rewriter, Operation *op, ConvOp conv,
                        Location loc, Value filter, Value bias) {
    auto folded = cast<ConvOp>(rewriter.clone(*conv));
    folded->setLoc(loc);
    folded.getFilterMutable().assign(filter);
    if (bias)
      folded.getBiasMutable().assign(bias);
    rewriter.replaceOp(op, folded.getResult());
    rewriter.eraseOp(conv);
  }
};

/// x * w + t is a convolution with bias t. One with a bias gets their sum.
struct FoldShift : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    auto match = ChannelwiseOp::match(op);
    if (!match)
      return failure();
    auto [conv, shift] = *match;
    Value old = conv.getBias();
    if (old && !weightSourceBytes(old))
      return failure();
    Location loc = rewriter.getFusedLoc({conv.getLoc(), op.getLoc()});
    Value bias = shift.along(rewriter, loc, conv.getOutChannels(), 1, 0);
    if (old)
      bias = rewriter.create<arith::AddFOp>(loc, old, bias);
    FoldScale::replaceBy(rewriter, op, conv, loc, conv.getFilter(), bias);
    return success();
  }
};

struct FoldScales : public amp::impl::FoldScalesBase<FoldScales> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldScale, FoldShift>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
