//===- Bufferize.cpp - Tensors of host code become buffers ----------------===//
//
// One-shot bufferization with the choices that ampc depends on, in one place.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace amp {
#define GEN_PASS_DEF_BUFFERIZE
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {
struct Bufferize : public amp::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    ModuleOp module = getOperation();

    // Without this, functions' arguments are written in place.
    auto writable = bufferization::BufferizationDialect::kWritableAttrName;
    Builder builder(module);
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (isa<TensorType>(function.getArgument(i).getType()))
          function.setArgAttr(i, writable, builder.getBoolAttr(false));

    // CSE has made one of all that are of one size. Apart again, each is a
    // buffer of its own without the analysis having to find out: its time grows
    // with the square of the uses that may alias.
    SmallVector<tensor::EmptyOp> shared;
    module.walk([&](tensor::EmptyOp empty) {
      if (!empty->hasOneUse())
        shared.push_back(empty);
    });
    for (tensor::EmptyOp empty : shared) {
      OpBuilder builder(empty);
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses()))
        if (!empty->hasOneUse())
          use.set(builder.clone(*empty)->getResult(0));
    }

    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    options.unknownTypeConverterFn =
        [](Value value, Attribute space,
           const bufferization::BufferizationOptions &) {
          return bufferization::getMemRefTypeWithStaticIdentityLayout(
              cast<TensorType>(value.getType()), space);
        };
    options.allowReturnAllocsFromLoops = true;
    // Bodies of kernels stay on tensors. Kernels on buffers are done, though
    // their block arguments are tensors: one that is made in the memory of an
    // erased op would be taken for that op and reported as not bufferized.
    options.opFilter.denyOperation([](Operation *op) {
      auto kernel = dyn_cast<KernelOp>(op);
      return (kernel && kernel.isBufferized()) ||
             op->getParentOfType<KernelOp>();
    });
    if (failed(bufferization::runOneShotModuleBufferize(module, options)))
      signalPassFailure();
  }
};
} // namespace
