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

/// Whether the memory of `value`, which a loop yields, is that of its own
/// argument or memory that this iteration has taken.
static bool isOwnOrNew(Value value, Value argument, Region &loop) {
  while (value != argument) {
    Operation *op = value.getDefiningOp();
    if (!op || !loop.isAncestor(op->getParentRegion()))
      return false;
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (isa<tensor::EmptyOp, tensor::FromElementsOp,
            bufferization::AllocTensorOp>(op))
      return true;
    if (auto kernel = dyn_cast<KernelOp>(op))
      value = kernel.getOuts()[number];
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      value = insert.getDest();
    else if (auto store =
                 dyn_cast<bufferization::MaterializeInDestinationOp>(op))
      value = store.getDest();
    else if (isa<ReshapeOp, tensor::CastOp, ToHostOp, ToDeviceOp>(op))
      value = op->getOperand(0);
    else if (auto inner = dyn_cast<scf::ForOp>(op)) // Its yields are as these.
      value = inner.getInitArgs()[number];
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      return isOwnOrNew(branch.thenYield().getOperand(number), argument,
                        loop) &&
             isOwnOrNew(branch.elseYield().getOperand(number), argument, loop);
    else
      return false;
  }
  return true;
}

/// Copies what a loop yields of the memory of other arguments or of values from
/// outside: no two of its arguments may share memory.
static void separateYields(Region &body, ValueRange arguments) {
  Operation *yield = body.front().getTerminator();
  OpBuilder builder(yield);
  for (auto [operand, argument] :
       llvm::zip_equal(yield->getOpOperands(), arguments)) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && !isOwnOrNew(operand.get(), argument, body))
      operand.set(builder.create<bufferization::AllocTensorOp>(
          yield->getLoc(), type, ValueRange(), operand.get()));
  }
}

/// A value that a loop writes into the memory of its argument needs no place
/// once there is no such loop: it has its own.
static void dropWithoutLoop(bufferization::MaterializeInDestinationOp op) {
  Value root = op.getDest();
  while (isa_and_nonnull<ReshapeOp, tensor::CastOp>(root.getDefiningOp()))
    root = root.getDefiningOp()->getOperand(0);
  bool isArgument =
      isa<BlockArgument>(root) &&
      isa<LoopLikeOpInterface>(root.getParentBlock()->getParentOp());
  if (isArgument || root.getDefiningOp<tensor::EmptyOp>() ||
      !op->getNumResults())
    return;
  OpBuilder builder(op);
  Value source = op.getSource();
  if (source.getType() != op.getDest().getType())
    source = builder.create<tensor::CastOp>(op.getLoc(), op.getDest().getType(),
                                            source);
  op->getResult(0).replaceAllUsesWith(source);
  op->erase();
}

/// For each value that the body yields the argument that it becomes, or null.
/// The condition may leave some out.
static SmallVector<Value> yieldedArguments(scf::WhileOp loop) {
  SmallVector<Value> arguments(loop.getBeforeArguments().size());
  for (auto [passed, argument] :
       llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
    if (auto before = dyn_cast<BlockArgument>(passed);
        before && before.getOwner() == loop.getBeforeBody())
      arguments[before.getArgNumber()] = argument;
  return arguments;
}

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

    module.walk([](Operation *op) {
      if (auto store = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
        dropWithoutLoop(store);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        separateYields(loop.getRegion(), loop.getRegionIterArgs());
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        separateYields(loop.getAfter(), yieldedArguments(loop));
    });
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
    // Ensured above; upstream would copy all that is not written in place.
    options.enforceAliasingInvariants = false;
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
