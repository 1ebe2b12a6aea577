//===- PoolEmitter.cpp - Pooling ------------------------------------------===//
//
// A window is combined by one chain in row-major order. Vectors run along
// channels where these are innermost, else along output rows where whole
// windows lie inside the source.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/ElementEvaluator.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/RowLoops.h"
#include "compiler/target/cpu/WindowLoops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor.getType()); }

/// Elements of the source `stride` apart, as rowType(). Null after an error.
Value loadLanes(KernelEmission &emission, Value source, ArrayRef<Value> at,
                int64_t stride, int64_t lanes) {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  Type element = elementOf(source);
  auto argument = dyn_cast<BlockArgument>(source);
  Value value;
  if (lanes == 1 || stride == 1) {
    value = ElementEvaluator(emission.values, b, lanes).at(source, at);
  } else if (argument && !element.isInteger(1) &&
             hasUnitInnermostStride(
                 cast<MemRefType>(emission.values.in(argument).getType()))) {
    value = loadEvery(b, loc, emission.values.in(argument), at, stride, lanes);
  } else {
    IndexBuilder ix(b, loc);
    ElementEvaluator evaluator(emission.values, b, 1);
    SmallVector<Value> elements, here(at);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      here.back() =
          ix.value(ix.add(OpFoldResult(at.back()), ix.constant(lane * stride)));
      elements.push_back(evaluator.at(source, here));
      if (!elements.back())
        return nullptr;
    }
    value = b.create<vector::FromElementsOp>(
        loc, VectorType::get({lanes}, element), elements);
  }
  return value ? toRowType(b, loc, value) : value;
}

//===----------------------------------------------------------------------===//
// amp.pool
//===----------------------------------------------------------------------===//

/// The number of elements that an average divides by, as `type`.
Value countInside(KernelEmission &emission, amp::PoolOp op,
                  const WindowLoops &loops, ArrayRef<Value> indices,
                  int64_t lanes, Type type) {
  OpBuilder &b = emission.builder;
  IndexBuilder ix(b, emission.loc());
  OpFoldResult count = ix.constant(1);
  for (size_t i = 0; i < loops.rank(); ++i) {
    int64_t dim = op.getSpatialDim(i);
    OpFoldResult size = emission.values.dim(op.getSource(), dim);
    OpFoldResult at = indices[dim];
    // Lanes that are pixels are given whole windows only.
    if (!loops.sharesBounds(lanes) && i + 1 == loops.rank()) {
      count = ix.mul(count, ix.constant(loops.kernel[i]));
    } else if (op.getCountIncludePad()) {
      // Positions up to the end of the high padding.
      OpFoldResult start = ix.sub(ix.mul(at, ix.constant(loops.strides[i])),
                                  ix.constant(loops.pads[i]));
      OpFoldResult end =
          ix.add(size, ix.constant(loops.pads[loops.rank() + i]));
      count = ix.mul(
          count, ix.min(ix.constant(loops.kernel[i]),
                        ix.ceilDiv(ix.max(ix.constant(0), ix.sub(end, start)),
                                   loops.dilations[i])));
    } else {
      auto [first, last] = loops.inside(ix, i, at, size);
      count = ix.mul(count, ix.max(ix.constant(0), ix.sub(last, first)));
    }
  }
  Value integer = b.create<arith::IndexCastOp>(emission.loc(), b.getI64Type(),
                                               ix.value(count));
  if (isa<FloatType>(type))
    integer = b.create<arith::SIToFPOp>(emission.loc(), type, integer);
  else
    integer = amp::convertElement(b, emission.loc(), integer, type);
  return fillLanes(b, emission.loc(), integer, lanes);
}

struct PoolEmitter
    : CpuKernelEmitterInterface::ExternalModel<PoolEmitter, amp::PoolOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &) const {
    return WindowLoops(cast<amp::PoolOp>(op)).range(values, 0.5);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::PoolOp>(root);
    Type element = elementOf(op.getSource()), type = rowType(element);
    Combiner combiner{op.getKind() == amp::PoolKind::Max ? amp::ReduceKind::Max
                                                         : amp::ReduceKind::Sum,
                      type, op.getUnsignedSource() || element.isInteger(1)};
    WindowLoops loops(op);
    int64_t lanes = emission.target.lanes(type.getIntOrFloatBitWidth());
    return loops.forEachOutput(
        emission, lanes, [&](ArrayRef<Value> indices, int64_t lanes) {
          OpBuilder &b = emission.builder;
          Location loc = emission.loc();
          WindowLoops::Values sum = loops.fold(
              emission, indices, lanes, {combiner.neutral(b, loc, lanes)},
              [&](ArrayRef<Value> at,
                  WindowLoops::Values state) -> WindowLoops::Values {
                Value x = loadLanes(emission, op.getSource(), at,
                                    loops.laneStride(), lanes);
                if (!x)
                  return {};
                return {combiner.combine(b, loc, state[0], x)};
              });
          if (sum.empty())
            return failure();
          Value result = sum[0];
          if (op.getKind() == amp::PoolKind::Average) {
            Value count =
                countInside(emission, op, loops, indices, lanes, type);
            result = isa<FloatType>(type)
                         ? Value(b.create<arith::DivFOp>(loc, result, count))
                         : Value(b.create<arith::DivSIOp>(loc, result, count));
          }
          return storeOutputs(emission, op.getResult(), indices,
                              fromRowType(b, loc, result, element), lanes);
        });
  }
};

//===----------------------------------------------------------------------===//
// amp.pool_arg
//===----------------------------------------------------------------------===//

struct PoolArgEmitter
    : CpuKernelEmitterInterface::ExternalModel<PoolArgEmitter, amp::PoolArgOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &) const {
    return WindowLoops(cast<amp::PoolArgOp>(op)).range(values, 8);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::PoolArgOp>(root);
    WindowLoops loops(op);
    Type element = elementOf(op.getSource());
    Type indexType = elementOf(op.getResult());
    return loops.forEachOutput(
        emission, 1, [&](ArrayRef<Value> indices, int64_t) {
          OpBuilder &b = emission.builder;
          Location loc = emission.loc();
          Combiner max{amp::ReduceKind::Max, rowType(element),
                       op.getUnsignedSource()};
          // No element yet: the first is better than none.
          Value none = b.create<arith::ConstantIndexOp>(loc, -1);
          WindowLoops::Values best = loops.fold(
              emission, indices, 1, {max.neutral(b, loc, 1), none},
              [&](ArrayRef<Value> at,
                  WindowLoops::Values state) -> WindowLoops::Values {
                Value x = loadLanes(emission, op.getSource(), at, 1, 1);
                if (!x)
                  return {};
                Value better = b.create<arith::OrIOp>(
                    loc,
                    b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                            state[1], none),
                    exceeds(b, loc, op, x, state[0]));
                return {b.create<arith::SelectOp>(loc, better, x, state[0]),
                        b.create<arith::SelectOp>(loc, better,
                                                  flatIndex(emission, op, at),
                                                  state[1])};
              });
          if (best.empty())
            return failure();
          Value index = b.create<arith::IndexCastOp>(loc, indexType, best[1]);
          return storeOutputs(emission, op.getResult(), indices, index, 1);
        });
  }

private:
  static Value exceeds(OpBuilder &b, Location loc, amp::PoolArgOp op, Value x,
                       Value best) {
    if (!isa<FloatType>(x.getType()))
      return b.create<arith::CmpIOp>(loc,
                                     op.getUnsignedSource()
                                         ? arith::CmpIPredicate::ugt
                                         : arith::CmpIPredicate::sgt,
                                     x, best);
    using P = arith::CmpFPredicate;
    Value newNaN = b.create<arith::AndIOp>(
        loc, b.create<arith::CmpFOp>(loc, P::UNO, x, x),
        b.create<arith::CmpFOp>(loc, P::ORD, best, best));
    return b.create<arith::OrIOp>(
        loc, b.create<arith::CmpFOp>(loc, P::OGT, x, best), newNaN);
  }

  static Value flatIndex(KernelEmission &emission, amp::PoolArgOp op,
                         ArrayRef<Value> at) {
    IndexBuilder ix(emission.builder, emission.loc());
    auto size = [&](size_t dim) {
      return emission.values.dim(op.getSource(), dim);
    };
    OpFoldResult flat =
        ix.add(ix.mul(OpFoldResult(at[0]), size(1)), OpFoldResult(at[1]));
    SmallVector<size_t> order;
    for (size_t dim = 2; dim < at.size(); ++dim)
      order.push_back(dim);
    if (op.getColumnMajor())
      std::reverse(order.begin(), order.end());
    for (size_t dim : order)
      flat = ix.add(ix.mul(flat, size(dim)), OpFoldResult(at[dim]));
    return ix.value(flat);
  }
};

} // namespace

void registerPoolEmitters(MLIRContext *context) {
  amp::PoolOp::attachInterface<PoolEmitter>(*context);
  amp::PoolArgOp::attachInterface<PoolArgEmitter>(*context);
}

} // namespace ampc::cpu
