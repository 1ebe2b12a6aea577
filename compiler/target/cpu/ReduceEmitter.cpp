//===- ReduceEmitter.cpp - Reductions, arguments of extrema, scans --------===//

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/RowLoops.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor.getType()); }

//===----------------------------------------------------------------------===//
// amp.reduce
//===----------------------------------------------------------------------===//

RowLoops loopsOf(amp::ReduceOp op, KernelValues &values,
                 const CpuTarget &target) {
  RowLoops::Options options;
  options.source = op.getSource();
  options.axes.assign(op.getAxes().begin(), op.getAxes().end());
  options.result = op.getResult();
  return RowLoops(values, target, options);
}

struct ReduceEmitter
    : CpuKernelEmitterInterface::ExternalModel<ReduceEmitter, amp::ReduceOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    return loopsOf(cast<amp::ReduceOp>(op), values, target).range();
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ReduceOp>(root);
    Type element = elementOf(op.getSource());
    Combiner combiner{op.getKind(), rowType(element),
                      op.getUnsignedSource() || element.isInteger(1)};
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) -> LogicalResult {
      Row::Values sum = row.reduce(
          combiner, [&](ArrayRef<Value> at, int64_t lanes) -> Row::Values {
            Value x = row.element(op.getSource(), at, lanes);
            return x ? Row::Values{x} : Row::Values{};
          });
      if (sum.empty())
        return failure();
      Value result =
          fromRowType(row.b, row.loc, sum[0], elementOf(op.getResult()));
      return storeOutputs(emission, op.getResult(), row.keptIndices(), result,
                          row.lanes());
    });
  }
};

//===----------------------------------------------------------------------===//
// amp.arg_reduce
//===----------------------------------------------------------------------===//

RowLoops loopsOf(amp::ArgReduceOp op, KernelValues &values,
                 const CpuTarget &target) {
  RowLoops::Options options;
  options.source = op.getSource();
  options.axes = {int64_t(op.getAxis())};
  options.result = op.getResult();
  options.sequential = true;
  options.costPerElement = 4;
  return RowLoops(values, target, options);
}

/// Whether `x` takes the place of `best`, which comes before it.
Value isBetter(OpBuilder &b, Location loc, amp::ArgReduceOp op, Value x,
               Value best) {
  bool max = op.getKind() == amp::ReduceKind::Max;
  if (isa<FloatType>(getElementTypeOrSelf(x.getType()))) {
    // Unordered comparisons hold for NaN on either side, so the one that should
    // win is sorted out: x if it is NaN (and, unless the last wins, best is
    // not).
    auto compare = [&](arith::CmpFPredicate predicate, Value l, Value r) {
      return b.create<arith::CmpFOp>(loc, predicate, l, r);
    };
    using P = arith::CmpFPredicate;
    Value ordered = compare(max ? (op.getLast() ? P::OGE : P::OGT)
                                : (op.getLast() ? P::OLE : P::OLT),
                            x, best);
    Value nan = compare(P::UNO, x, x);
    if (!op.getLast())
      nan = b.create<arith::AndIOp>(loc, nan, compare(P::ORD, best, best));
    return b.create<arith::OrIOp>(loc, ordered, nan);
  }
  using P = arith::CmpIPredicate;
  bool isUnsigned =
      op.getUnsignedSource() || elementOf(op.getSource()).isInteger(1);
  P predicate = max ? (op.getLast() ? (isUnsigned ? P::uge : P::sge)
                                    : (isUnsigned ? P::ugt : P::sgt))
                    : (op.getLast() ? (isUnsigned ? P::ule : P::sle)
                                    : (isUnsigned ? P::ult : P::slt));
  return b.create<arith::CmpIOp>(loc, predicate, x, best);
}

struct ArgReduceEmitter
    : CpuKernelEmitterInterface::ExternalModel<ArgReduceEmitter,
                                               amp::ArgReduceOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    return loopsOf(cast<amp::ArgReduceOp>(op), values, target).range();
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ArgReduceOp>(root);
    Type indexType = elementOf(op.getResult());
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) -> LogicalResult {
      OpBuilder &b = row.b;
      Location loc = row.loc;
      // Every buffer has room for one element, so an empty row gives index 0.
      Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
      Value first =
          row.element(op.getSource(), row.indicesAt(zero), row.lanes());
      if (!first)
        return failure();
      Value index = amp::splatInteger(
          b, loc, amp::shapedLike(indexType, first.getType()), 0);
      Row::Values best = row.fold(
          {first, index},
          [&](ArrayRef<Value> at, Value position,
              ArrayRef<Value> state) -> Row::Values {
            Value x = row.element(op.getSource(), at, row.lanes());
            if (!x)
              return {};
            Value here = row.spread(
                b.create<arith::IndexCastOp>(loc, indexType, position),
                row.lanes());
            Value better = isBetter(b, loc, op, x, state[0]);
            return {b.create<arith::SelectOp>(loc, better, x, state[0]),
                    b.create<arith::SelectOp>(loc, better, here, state[1])};
          },
          /*reverse=*/false, /*start=*/1);
      if (best.empty())
        return failure();
      return storeOutputs(emission, op.getResult(), row.keptIndices(), best[1],
                          row.lanes());
    });
  }
};

//===----------------------------------------------------------------------===//
// amp.scan
//===----------------------------------------------------------------------===//

RowLoops loopsOf(amp::ScanOp op, KernelValues &values,
                 const CpuTarget &target) {
  RowLoops::Options options;
  options.source = op.getSource();
  options.axes = {int64_t(op.getAxis())};
  options.result = op.getResult();
  options.keepsShape = options.sequential = true;
  options.costPerElement = 4;
  return RowLoops(values, target, options);
}

struct ScanEmitter
    : CpuKernelEmitterInterface::ExternalModel<ScanEmitter, amp::ScanOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    return loopsOf(cast<amp::ScanOp>(op), values, target).range();
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ScanOp>(root);
    Type element = elementOf(op.getSource());
    Combiner combiner{op.getKind(), rowType(element)};
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) -> LogicalResult {
      bool stored = true;
      row.fold(
          combiner.neutral(row.b, row.loc, row.lanes()),
          [&](ArrayRef<Value> at, Value, ArrayRef<Value> state) -> Row::Values {
            Value x = row.element(op.getSource(), at, row.lanes());
            stored = bool(x);
            if (!x)
              return {};
            Value sum = combiner.combine(row.b, row.loc, state[0], x);
            Value out = op.getExclusive() ? state[0] : sum;
            stored = succeeded(storeOutputs(
                emission, op.getResult(), at,
                fromRowType(row.b, row.loc, out, element), row.lanes()));
            return {sum};
          },
          op.getReverse());
      return success(stored);
    });
  }
};

} // namespace

void registerReduceEmitters(MLIRContext *context) {
  amp::ReduceOp::attachInterface<ReduceEmitter>(*context);
  amp::ArgReduceOp::attachInterface<ArgReduceEmitter>(*context);
  amp::ScanOp::attachInterface<ScanEmitter>(*context);
}

} // namespace ampc::cpu
