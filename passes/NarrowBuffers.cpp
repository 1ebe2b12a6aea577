//===- NarrowBuffers.cpp - Rounded values are stored in fewer bits --------===//

#include "compiler/ir/Amp.h"
#include "passes/NarrowReaders.h"
#include "passes/Passes.h"

namespace amp {
#define GEN_PASS_DEF_NARROWBUFFERS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

/// The rounding that a kernel's result ends with, if it does.
RoundToOp roundingOf(Value result) {
  auto kernel = result.getDefiningOp<KernelOp>();
  if (!kernel)
    return nullptr;
  unsigned number = cast<OpResult>(result).getResultNumber();
  auto init = kernel.getOuts()[number].getDefiningOp<tensor::EmptyOp>();
  if (!init || !init->hasOneUse())
    return nullptr;
  return kernel.getYield().getValues()[number].getDefiningOp<RoundToOp>();
}

struct NarrowBuffers : public amp::impl::NarrowBuffersBase<NarrowBuffers> {
  void runOnOperation() override {
    SmallVector<Value> results;
    getOperation()->walk([&](KernelOp kernel) {
      for (Value result : kernel.getResults())
        if (roundingOf(result))
          results.push_back(result);
    });
    for (Value result : results)
      if (getElementTypeOrSelf(result.getType()).isF32())
        narrow(result);
  }

private:
  void narrow(Value result) {
    const Format format = roundingOf(result).getFormat();
    if (format != Format::BF16 && format != Format::F16)
      return; // Kernels read nothing narrower.
    auto type = cast<FloatType>(formatType(&getContext(), format));
    NarrowReaders readers;
    auto isRounded = [&](Value source) {
      RoundToOp rounding = roundingOf(source);
      return rounding && rounding.getFormat() == format;
    };
    if (!readers.add(result) ||
        !llvm::all_of(readers.getSources(), isRounded) || !readers.canBe(type))
      return;
    for (Value source : readers.getSources())
      store(cast<OpResult>(source), type);
    readers.narrow(type);
  }

  /// Has the kernel store what it rounds to.
  static void store(OpResult result, FloatType type) {
    auto kernel = cast<KernelOp>(result.getOwner());
    const unsigned number = result.getResultNumber();
    Value init = kernel.getOuts()[number];
    init.setType(cast<RankedTensorType>(init.getType()).clone(type));
    YieldOp yield = kernel.getYield();
    RoundToOp rounding = roundingOf(result);
    OpBuilder builder(yield);
    yield->setOperand(
        number, builder.create<CastOp>(
                    rounding.getLoc(),
                    cast<RankedTensorType>(rounding.getType()).clone(type),
                    rounding.getSource(), CastOrigin::Ampc));
    if (rounding.use_empty())
      rounding.erase();
  }
};

} // namespace
