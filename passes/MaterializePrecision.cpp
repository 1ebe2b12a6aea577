//===- MaterializePrecision.cpp - Formats become roundings ----------------===//
//
// An op's format says two things: in what its result is kept, and if it is a
// contraction, what it multiplies. Everything in between stays f32. What one
// node of the source computes in several ops is rounded where it leaves the
// node; what leaves the function is not stored in between and stays as it is.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/SourceNodes.h"
#include "passes/Passes.h"
#include "passes/WeightSources.h"

namespace amp {
#define GEN_PASS_DEF_MATERIALIZEPRECISION
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

bool isF32Tensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

struct MaterializePrecision
    : public amp::impl::MaterializePrecisionBase<MaterializePrecision> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (op->hasAttr(precisionAttrName))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto label = dyn_cast<FormatAttr>(op->getAttr(precisionAttrName));
      if (!label) {
        op->emitOpError("has ") << precisionAttrName << " without a format";
        return signalPassFailure();
      }
      format = label.getValue();
      op->removeAttr(precisionAttrName);
      if (format == Format::F32 || format == Format::F64)
        continue;
      if (auto contraction = dyn_cast<ContractionOpInterface>(op))
        roundFactors(contraction);
      for (Value result : op->getResults())
        roundResult(op, result);
    }
  }

private:
  Value round(OpBuilder &builder, Location loc, Value value) {
    return builder.create<RoundToOp>(loc, value.getType(), value, format);
  }

  /// Weights are narrow for good, and computed so at compile time.
  Value narrowWeight(OpBuilder &builder, Location loc, Value weight) {
    auto type = cast<RankedTensorType>(weight.getType());
    return builder.create<CastOp>(
        loc, type.clone(formatType(builder.getContext(), format)), weight,
        CastOrigin::Ampc);
  }

  void roundFactors(ContractionOpInterface op) {
    if (op.getAlgorithmAttr() || !isF32Tensor(op->getResult(0)))
      return;
    SmallVector<unsigned> factors = op.getFactors();
    if (!llvm::all_of(factors, [&](unsigned factor) {
          return isF32Tensor(op->getOperand(factor));
        }))
      return;
    OpBuilder builder(op);
    Location loc = op->getLoc();
    for (unsigned factor : factors) {
      OpOperand &operand = op->getOpOperand(factor);
      bool narrows = isa<MatmulOp, ConvOp>(op.getOperation()) && factor == 1 &&
                     weightSourceBytes(operand.get());
      operand.set(narrows ? narrowWeight(builder, loc, operand.get())
                          : round(builder, loc, operand.get()));
    }
    op.setAlgorithmAttr(
        AlgorithmAttr::get(op->getContext(), format, Format::F32, 1));
  }

  /// Whether `user` belongs to the node that `op` is of.
  static bool isSameNode(Operation *op, Operation *user) {
    auto nodes = sourceNodes(op->getLoc());
    return !nodes.empty() && nodes == sourceNodes(user->getLoc());
  }

  void roundResult(Operation *op, Value result) {
    if (!isF32Tensor(result))
      return;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      if (!isa<func::ReturnOp, tensor::DimOp>(use.getOwner()) &&
          !isSameNode(op, use.getOwner()))
        uses.push_back(&use);
    if (uses.empty())
      return;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value rounded = round(builder, op->getLoc(), result);
    for (OpOperand *use : uses)
      use->set(rounded);
  }

  Format format;
};

} // namespace
