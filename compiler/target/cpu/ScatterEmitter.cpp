//===- ScatterEmitter.cpp - Copies with elements replaced -----------------===//
//
// The copy is made first, then updates meet it one after the other, in
// row-major order: which of several updates of one element comes last is part
// of the result. So there is one iteration, on one thread.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/RowLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor.getType()); }

class ScatterKernel {
public:
  ScatterKernel(Operation *op, KernelEmission &emission, Value source,
                Value indices, Value updates, amp::ScatterKind kind)
      : op(op), emission(emission), values(emission.values),
        b(emission.builder), loc(emission.loc()), ix(b, loc), source(source),
        indices(indices), updates(updates), kind(kind) {}

  /// `place` maps the indices of an update to those of the copy.
  LogicalResult
  emit(llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> place) {
    amp::YieldOp yield = emission.kernel().getYield();
    if (yield.getValues().size() != 1 ||
        yield.getValues()[0] != op->getResult(0))
      return op->emitOpError("must be alone in its kernel");
    from = contractionBuffer(values, op, source);
    index = contractionBuffer(values, op, indices);
    update = contractionBuffer(values, op, updates);
    if (!from || !index || !update)
      return failure();
    forAll(values.outDims(0), [&](ArrayRef<Value> at) {
      storeElements(b, loc, load(from, at, source), values.out(0), at);
    });
    forAll(values.dims(updates), [&](ArrayRef<Value> at) {
      SmallVector<Value> to = place(at);
      Value old = load(values.out(0), to, source);
      storeElements(b, loc, meet(old, load(update, at, updates)), values.out(0),
                    to);
    });
    return success();
  }

  /// An index as read, brought into [0, size).
  Value indexAt(ArrayRef<Value> at, OpFoldResult size) {
    Value raw = load(index, at, indices);
    OpFoldResult i =
        Value(b.create<arith::IndexCastOp>(loc, b.getIndexType(), raw));
    Value negative = ix.compare(arith::CmpIPredicate::slt, i, ix.constant(0));
    OpFoldResult wrapped = Value(b.create<arith::SelectOp>(
        loc, negative, ix.value(ix.add(i, size)), ix.value(i)));
    return ix.value(
        ix.max(ix.constant(0), ix.min(wrapped, ix.sub(size, ix.constant(1)))));
  }

  IndexBuilder &arithmetic() { return ix; }

private:
  Value load(Value buffer, ArrayRef<Value> at, Value tensor) {
    return loadElements(b, loc, buffer, at, elementOf(tensor), 1);
  }

  Value meet(Value old, Value added) {
    Type element = elementOf(source);
    auto combine = [&](amp::ReduceKind how) {
      Combiner combiner{how, rowType(element), element.isInteger(1)};
      return fromRowType(b, loc,
                         combiner.combine(b, loc, toRowType(b, loc, old),
                                          toRowType(b, loc, added)),
                         element);
    };
    switch (kind) {
    case amp::ScatterKind::Replace:
      return added;
    case amp::ScatterKind::Add:
      return combine(amp::ReduceKind::Sum);
    case amp::ScatterKind::Mul:
      return combine(amp::ReduceKind::Prod);
    case amp::ScatterKind::Max:
      return combine(amp::ReduceKind::Max);
    case amp::ScatterKind::Min:
      return combine(amp::ReduceKind::Min);
    }
    llvm_unreachable("all kinds are handled");
  }

  void forAll(ArrayRef<OpFoldResult> sizes,
              llvm::function_ref<void(ArrayRef<Value>)> body) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> at;
    Value zero = ix.value(ix.constant(0)), one = ix.value(ix.constant(1));
    for (OpFoldResult size : sizes) {
      auto loop = b.create<scf::ForOp>(loc, zero, ix.value(size), one);
      b.setInsertionPointToStart(loop.getBody());
      at.push_back(loop.getInductionVar());
    }
    body(at);
  }

  Operation *op;
  KernelEmission &emission;
  KernelValues &values;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  Value source, indices, updates;
  amp::ScatterKind kind;
  Value from, index, update;
};

/// The launch does all or nothing.
ParallelRange oneIteration(KernelValues &values) {
  Location loc = values.getKernel().getLoc();
  return {values.site().create<arith::ConstantIndexOp>(loc, 1), 1};
}

struct ScatterElementsEmitter
    : CpuKernelEmitterInterface::ExternalModel<ScatterElementsEmitter,
                                               amp::ScatterElementsOp> {
  ParallelRange getParallelRange(Operation *, KernelValues &values,
                                 const CpuTarget &) const {
    return oneIteration(values);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ScatterElementsOp>(root);
    ScatterKernel kernel(op, emission, op.getSource(), op.getIndices(),
                         op.getUpdates(), op.getKind());
    OpFoldResult size = emission.values.outDim(0, op.getAxis());
    return kernel.emit([&](ArrayRef<Value> at) {
      SmallVector<Value> to(at);
      to[op.getAxis()] = kernel.indexAt(at, size);
      return to;
    });
  }
};

struct ScatterNDEmitter
    : CpuKernelEmitterInterface::ExternalModel<ScatterNDEmitter,
                                               amp::ScatterNDOp> {
  ParallelRange getParallelRange(Operation *, KernelValues &values,
                                 const CpuTarget &) const {
    return oneIteration(values);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ScatterNDOp>(root);
    ScatterKernel kernel(op, emission, op.getSource(), op.getIndices(),
                         op.getUpdates(), op.getKind());
    auto type = cast<RankedTensorType>(op.getIndices().getType());
    const int64_t batch = type.getRank() - 1, tuple = type.getShape().back();
    return kernel.emit([&](ArrayRef<Value> at) {
      SmallVector<Value> to, where(at.take_front(batch));
      where.push_back(nullptr);
      IndexBuilder &ix = kernel.arithmetic();
      for (int64_t i = 0; i < tuple; ++i) {
        where.back() = ix.value(ix.constant(i));
        to.push_back(kernel.indexAt(where, emission.values.outDim(0, i)));
      }
      to.append(at.begin() + batch, at.end());
      return to;
    });
  }
};

} // namespace

void registerScatterEmitters(MLIRContext *context) {
  amp::ScatterElementsOp::attachInterface<ScatterElementsEmitter>(*context);
  amp::ScatterNDOp::attachInterface<ScatterNDEmitter>(*context);
}

} // namespace ampc::cpu
