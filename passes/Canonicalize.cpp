//===- Canonicalize.cpp - Canonicalization of tensors ---------------------===//
//
// Upstream's folders make a constant of x - x whatever the type of x is. One of
// a type with dynamic sizes has lost them: nothing computes them any more.
// Nor do they know that a size is not negative, which models ask whether one
// that was given stands for -1, "as it is".
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "compiler/ir/Amp.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace amp {
#define GEN_PASS_DEF_CANONICALIZE
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {
/// Makes a splat of each constant without sizes, which the op that was folded
/// still knows.
class SizeKeeper : public RewriterBase::Listener {
public:
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    // Elements inside a kernel are evaluated without asking for sizes.
    if (op->getParentOfType<KernelOp>() || op->getNumResults() != 1 ||
        !op->hasTrait<OpTrait::Elementwise>() ||
        !isa<RankedTensorType>(op->getOperand(0).getType()))
      return;
    auto constant = values.front().getDefiningOp<arith::ConstantOp>();
    auto type = dyn_cast<RankedTensorType>(values.front().getType());
    if (constant && type && !type.hasStaticShape())
      folded[op] = constant;
  }

  /// All uses are of the constant by now.
  void notifyOperationErased(Operation *op) override {
    arith::ConstantOp constant = folded.lookup(op);
    if (!constant)
      return;
    folded.erase(op);
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(constant.getType());
    SmallVector<Value> sizes;
    for (auto [i, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(
            builder.create<tensor::DimOp>(op->getLoc(), op->getOperand(0), i));
    Value element = builder.create<arith::ConstantOp>(
        op->getLoc(), cast<DenseElementsAttr>(constant.getValue())
                          .getSplatValue<TypedAttr>());
    constant.replaceAllUsesWith(
        builder.create<SplatOp>(op->getLoc(), type, element, sizes)
            .getResult());
  }

private:
  llvm::DenseMap<Operation *, arith::ConstantOp> folded;
};

/// A size is no negative number.
struct FoldSizeEquality : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    bool differs = op.getPredicate() == arith::CmpIPredicate::ne;
    std::optional<int64_t> number = getConstantIntValue(op.getRhs());
    if ((!differs && op.getPredicate() != arith::CmpIPredicate::eq) ||
        !op.getLhs().getDefiningOp<tensor::DimOp>() || !number || *number >= 0)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(differs));
    return success();
  }
};

struct Canonicalize : public amp::impl::CanonicalizeBase<Canonicalize> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    all.add<FoldSizeEquality>(context);
    // Takes the type that a carried tensor starts with for the type it always
    // has; one that collects what iterations give starts empty and grows.
    patterns = FrozenRewritePatternSet(
        std::move(all), {"(anonymous namespace)::ForOpTensorCastFolder"});
    return success();
  }

  void runOnOperation() override {
    SizeKeeper keeper;
    GreedyRewriteConfig config;
    config.listener = &keeper;
    // As upstream's pass: not to reach a fixed point is no failure.
    (void)applyPatternsAndFoldGreedily(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
