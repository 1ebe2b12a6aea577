//===- HoistInvariants.cpp - What a loop computes alike, before it --------===//
//
// Bodies of loops hold whatever the source model put there: transposed weights,
// products of captured values. What is repeated in every user anyway stays.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace amp {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

/// Whether `op` computes a tensor that is worth a buffer outside.
static bool isWorthABuffer(Operation *op) {
  if (op->getNumRegions() || !isPure(op) ||
      llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
      op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return false;
  auto elemental = dyn_cast<ElementalOpInterface>(op);
  return !elemental || !elemental.isCheapToRepeat() ||
         !elemental.keepsInnermost() ||
         op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
         op->hasTrait<OpTrait::SameOperandsAndResultType>();
}

namespace {
struct HoistInvariants
    : public amp::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first, so that what leaves one may leave the next, too.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          [](Operation *op, Region *) { return isWorthABuffer(op); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace
