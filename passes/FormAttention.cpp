//===- FormAttention.cpp - Recognize attention ----------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace amp {
#define GEN_PASS_DEF_FORMATTENTION
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The number that every element of `value` is, if it is known.
std::optional<double> constantOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<SplatOp, BroadcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(attribute)) {
    if (!elements.isSplat())
      return std::nullopt;
    return elements.getSplatValue<APFloat>().convertToDouble();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  return std::nullopt;
}

/// What becomes of a product before its softmax.
struct Scores {
  MatmulOp product;
  double scale = 1;
  Value mask; ///< Null: none.
};

/// Whether a product is of nothing but its operands.
bool isPlain(MatmulOp op) {
  return !op.getBias() && !op.getPanels() && !op.getAlgorithm() &&
         !op.getTransposeLhs() &&
         isa<FloatType>(typeOf(op.getResult()).getElementType());
}

/// `value` as a product, scaled.
std::optional<Scores> scaledProduct(Value value) {
  Scores scores;
  while (Operation *op = value.getDefiningOp()) {
    if (!value.hasOneUse())
      return std::nullopt;
    if (auto product = dyn_cast<MatmulOp>(op)) {
      scores.product = product;
      return isPlain(product) ? std::optional(scores) : std::nullopt;
    }
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      return std::nullopt;
    auto factor = constantOf(op->getOperand(1));
    value = op->getOperand(0);
    if (!factor && isa<arith::MulFOp>(op)) {
      factor = constantOf(value);
      value = op->getOperand(1);
    }
    if (!factor)
      return std::nullopt;
    scores.scale *= isa<arith::MulFOp>(op) ? *factor : 1 / *factor;
  }
  return std::nullopt;
}

/// `value` as a product, scaled and added to.
std::optional<Scores> matchScores(Value value) {
  if (auto scores = scaledProduct(value))
    return scores;
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum || !value.hasOneUse())
    return std::nullopt;
  Value terms[] = {sum.getLhs(), sum.getRhs()};
  for (auto [term, other] : {std::pair(0, 1), {1, 0}}) {
    auto scores = scaledProduct(terms[term]);
    if (!scores)
      continue;
    scores->mask = terms[other];
    // What may turn out to be repeated at run time cannot be read in place.
    if (auto repeated = scores->mask.getDefiningOp<BroadcastOp>();
        repeated && repeated.getMaybeOne().empty())
      scores->mask = repeated.getSource();
    return scores;
  }
  return std::nullopt;
}

/// Whether the products are of one matrix of keys and one of values for each of
/// queries: nothing is repeated.
bool isHeadByHead(RankedTensorType query, RankedTensorType key,
                  RankedTensorType value) {
  ArrayRef<int64_t> batch = query.getShape().drop_back(2);
  // Dynamic sizes are equal where none is a static 1.
  return key.getShape().drop_back(2) == batch &&
         value.getShape().drop_back(2) == batch;
}

struct FoldAttention : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto softmax = op.getLhs().getDefiningOp<SoftmaxOp>();
    if (!softmax || !softmax->hasOneUse() || softmax.getLog() ||
        int64_t(softmax.getAxis()) != typeOf(softmax).getRank() - 1 ||
        !isPlain(op) || op.getTransposeRhs())
      return failure();
    auto scores = matchScores(softmax.getSource());
    if (!scores)
      return failure();
    MatmulOp product = scores->product;
    Value query = product.getLhs(), key = product.getRhs(), value = op.getRhs();
    const int64_t rank = typeOf(query).getRank();
    Type element = typeOf(op).getElementType();
    for (Value operand : {query, key, value, Value(product)})
      if (typeOf(operand).getRank() != rank || rank > 4 ||
          typeOf(operand).getElementType() != element)
        return rewriter.notifyMatchFailure(op, "has other ranks or types");
    if (!isHeadByHead(typeOf(query), typeOf(key), typeOf(value)))
      return rewriter.notifyMatchFailure(op, "repeats keys or values");
    if (!AttentionOp::fitsKernel(typeOf(query), typeOf(value)))
      return rewriter.notifyMatchFailure(op, "has heads of a size too large");

    Location loc =
        rewriter.getFusedLoc({product.getLoc(), softmax.getLoc(), op.getLoc()});
    if (!product.getTransposeRhs())
      key = swapLast(rewriter, loc, key);
    Value all[] = {withRankFour(rewriter, loc, query),
                   withRankFour(rewriter, loc, key),
                   withRankFour(rewriter, loc, value)};
    Value result = rewriter.create<AttentionOp>(
        loc, rankFour(typeOf(op)), all[0], all[1], all[2], scores->mask,
        APFloat(static_cast<float>(scores->scale)),
        /*causal=*/false, /*heads_inner=*/false, AlgorithmAttr());
    if (rank < 4) {
      auto type = typeOf(op);
      auto sizes = dimsOf(rewriter, loc, op.getResult());
      result = rewriter.create<ReshapeOp>(
          loc, type, result, dynamicDims(rewriter, loc, type, sizes));
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static RankedTensorType typeOf(Value value) { return ::typeOf(value); }

  static Value swapLast(OpBuilder &b, Location loc, Value value) {
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return b.createOrFold<TransposeOp>(loc, permuted(value.getType(), order),
                                       value, order);
  }

  /// Leading dimensions of 1 before those of `type`.
  static RankedTensorType rankFour(RankedTensorType type) {
    SmallVector<int64_t> shape(4 - type.getRank(), 1);
    shape.append(type.getShape().begin(), type.getShape().end());
    return type.clone(shape);
  }
  static Value withRankFour(OpBuilder &b, Location loc, Value value) {
    RankedTensorType type = typeOf(value);
    if (type.getRank() == 4)
      return value;
    auto sizes = dimsOf(b, loc, value);
    return b.create<ReshapeOp>(loc, rankFour(type), value,
                               dynamicDims(b, loc, type, sizes));
  }
};

struct FormAttention : public amp::impl::FormAttentionBase<FormAttention> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldAttention>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
