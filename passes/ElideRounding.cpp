//===- ElideRounding.cpp - Inside kernels nothing is rounded --------------===//
//
// What a kernel keeps in registers stays f32; what it stores is rounded once,
// last. Ops that round nothing (maximum, select, transpose, ...) give numbers
// of the format that their operands have, so a rounding before them serves as
// well behind them.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/KnownFormats.h"
#include "passes/Passes.h"

namespace amp {
#define GEN_PASS_DEF_ELIDEROUNDING
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

struct ElideRounding : public amp::impl::ElideRoundingBase<ElideRounding> {
  using ElideRoundingBase::ElideRoundingBase;

  void runOnOperation() override {
    KnownFormats formats;
    getOperation()->walk([&](KernelOp kernel) { elide(kernel, formats); });
  }

private:
  void elide(KernelOp kernel, KnownFormats &formats) {
    YieldOp yield = kernel.getYield();
    SmallVector<std::optional<Format>> stored;
    for (auto [value, result] :
         llvm::zip(yield.getValues(), kernel.getResults())) {
      bool isF32 = getElementTypeOrSelf(value.getType()).isF32();
      stored.push_back(isF32 ? formats.of(value) : std::nullopt);
      formats.set(result, stored.back());
    }
    if (!strict)
      for (auto round :
           llvm::make_early_inc_range(kernel.getBody().getOps<RoundToOp>())) {
        round.replaceAllUsesWith(round.getSource());
        round.erase();
      }
    OpBuilder builder(yield);
    for (auto [index, format] : llvm::enumerate(stored)) {
      Value value = yield.getValues()[index];
      if (format && !value.getDefiningOp<RoundToOp>())
        yield->setOperand(index, builder.create<RoundToOp>(yield.getLoc(),
                                                           value.getType(),
                                                           value, *format));
    }
  }
};

} // namespace
