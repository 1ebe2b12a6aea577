//===- NormEmitter.cpp - Softmax and layer norms --------------------------===//
//
// Rows are read several times while they lie in the cache: for the statistics,
// which are row reductions, and for the result.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/RowLoops.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor.getType()); }

//===----------------------------------------------------------------------===//
// amp.softmax
//===----------------------------------------------------------------------===//

RowLoops loopsOf(amp::SoftmaxOp op, KernelValues &values,
                 const CpuTarget &target) {
  RowLoops::Options options;
  options.source = op.getSource();
  options.axes = {int64_t(op.getAxis())};
  options.result = op.getResult();
  options.keepsShape = true;
  options.costPerElement = 24;
  return RowLoops(values, target, options);
}

struct SoftmaxEmitter
    : CpuKernelEmitterInterface::ExternalModel<SoftmaxEmitter, amp::SoftmaxOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    return loopsOf(cast<amp::SoftmaxOp>(op), values, target).range();
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::SoftmaxOp>(root);
    Type element = elementOf(op.getSource()), type = rowType(element);
    Combiner max{amp::ReduceKind::Max, type}, sum{amp::ReduceKind::Sum, type};
    // The exponentials wait in the output if it can hold them; else they are
    // computed again, which gives the same.
    Value waiting = emission.values.out(0);
    if (op.getLog() || elementOf(waiting) != type)
      waiting = nullptr;
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) -> LogicalResult {
      OpBuilder &b = row.b;
      Location loc = row.loc;
      Row::Values largest = row.reduce(
          max, [&](ArrayRef<Value> at, int64_t lanes) -> Row::Values {
            Value x = row.element(op.getSource(), at, lanes);
            return x ? Row::Values{x} : Row::Values{};
          });
      if (largest.empty())
        return failure();
      auto below = [&](ArrayRef<Value> at, int64_t lanes) -> Value {
        Value x = row.element(op.getSource(), at, lanes);
        return b.create<arith::SubFOp>(loc, x, row.spread(largest[0], lanes));
      };
      Row::Values total = row.reduce(
          sum, [&](ArrayRef<Value> at, int64_t lanes) -> Row::Values {
            Value e = b.create<math::ExpOp>(loc, below(at, lanes));
            if (waiting)
              storeElements(b, loc, e, waiting, at);
            return {e};
          });
      Value divisor = total[0];
      if (op.getLog())
        divisor = b.create<math::LogOp>(loc, divisor);
      return row.forEach([&](ArrayRef<Value> at, int64_t lanes) {
        Value all = row.spread(divisor, lanes), y;
        if (op.getLog()) {
          y = b.create<arith::SubFOp>(loc, below(at, lanes), all);
        } else {
          Value e = waiting
                        ? loadElements(b, loc, waiting, at, type, lanes)
                        : Value(b.create<math::ExpOp>(loc, below(at, lanes)));
          y = b.create<arith::DivFOp>(loc, e, all);
        }
        return storeOutputs(emission, op.getResult(), at,
                            fromRowType(b, loc, y, element), lanes);
      });
    });
  }
};

//===----------------------------------------------------------------------===//
// amp.layer_norm
//===----------------------------------------------------------------------===//

RowLoops loopsOf(amp::LayerNormOp op, KernelValues &values,
                 const CpuTarget &target) {
  RowLoops::Options options;
  options.source = op.getSource();
  int64_t rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  for (int64_t axis = op.getAxis(); axis < rank; ++axis)
    options.axes.push_back(axis);
  options.result = op.getResult();
  options.keepsShape = true;
  for (Value tensor : {op.getScale(), op.getBias()})
    if (tensor)
      options.perElement.push_back(tensor);
  options.costPerElement = 8;
  return RowLoops(values, target, options);
}

struct LayerNormEmitter
    : CpuKernelEmitterInterface::ExternalModel<LayerNormEmitter,
                                               amp::LayerNormOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    return loopsOf(cast<amp::LayerNormOp>(op), values, target).range();
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::LayerNormOp>(root);
    const bool centers = op.getKind() == amp::NormKind::Layer;
    Type element = elementOf(op.getSource()), type = rowType(element);
    Combiner sum{amp::ReduceKind::Sum, type};
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) -> LogicalResult {
      OpBuilder &b = row.b;
      Location loc = row.loc;
      IndexBuilder ix(b, loc);
      Value length =
          row.spread(b.create<arith::SIToFPOp>(
                         loc, type,
                         b.create<arith::IndexCastOp>(loc, b.getI64Type(),
                                                      ix.value(row.length()))),
                     row.lanes());
      Value mean;
      if (centers) {
        Row::Values total = row.reduce(
            sum, [&](ArrayRef<Value> at, int64_t lanes) -> Row::Values {
              Value x = row.element(op.getSource(), at, lanes);
              return x ? Row::Values{x} : Row::Values{};
            });
        if (total.empty())
          return failure();
        mean = b.create<arith::DivFOp>(loc, total[0], length);
      }
      auto centered = [&](ArrayRef<Value> at, int64_t lanes) -> Value {
        Value x = row.element(op.getSource(), at, lanes);
        if (!x || !centers)
          return x;
        return b.create<arith::SubFOp>(loc, x, row.spread(mean, lanes));
      };
      Row::Values squares = row.reduce(
          sum, [&](ArrayRef<Value> at, int64_t lanes) -> Row::Values {
            Value d = centered(at, lanes);
            if (!d)
              return {};
            return {b.create<arith::MulFOp>(loc, d, d)};
          });
      if (squares.empty())
        return failure();
      Value variance = b.create<arith::DivFOp>(loc, squares[0], length);
      Value epsilon = amp::splatConstant(b, loc, variance.getType(),
                                         op.getEpsilon().convertToDouble());
      Value deviation = b.create<math::SqrtOp>(
          loc, b.create<arith::AddFOp>(loc, variance, epsilon));
      return row.forEach([&](ArrayRef<Value> at, int64_t lanes) {
        Value y = b.create<arith::DivFOp>(loc, centered(at, lanes),
                                          row.spread(deviation, lanes));
        auto beside = [&](Value tensor) {
          Value value = row.element(
              tensor,
              at.take_back(cast<RankedTensorType>(tensor.getType()).getRank()),
              lanes);
          return value;
        };
        if (op.getScale())
          y = b.create<arith::MulFOp>(loc, y, beside(op.getScale()));
        if (op.getBias())
          y = b.create<arith::AddFOp>(loc, y, beside(op.getBias()));
        return storeOutputs(emission, op.getResult(), at,
                            fromRowType(b, loc, y, element), lanes);
      });
    });
  }
};

} // namespace

void registerNormEmitters(MLIRContext *context) {
  amp::SoftmaxOp::attachInterface<SoftmaxEmitter>(*context);
  amp::LayerNormOp::attachInterface<LayerNormEmitter>(*context);
}

} // namespace ampc::cpu
