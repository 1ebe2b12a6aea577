//===- SortEmitter.cpp - The k best elements of rows ----------------------===//
//
// The outputs hold the best elements so far, sorted; each element that beats
// the last of them is inserted where it belongs.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/RowLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

RowLoops loopsOf(amp::TopKOp op, KernelValues &values,
                 const CpuTarget &target) {
  RowLoops::Options options;
  options.source = op.getSource();
  options.axes = {int64_t(op.getAxis())};
  options.result = op.getValues();
  options.keepsShape = options.sequential = true;
  options.costPerElement = 16;
  // One row at a time: rows insert at different places.
  options.scalarRows = true;
  return RowLoops(values, target, options);
}

/// Whether `x` goes before `y`, which has the smaller index. NaN is greater
/// than any number.
Value goesBefore(OpBuilder &b, Location loc, amp::TopKOp op, Value x, Value y) {
  if (!isa<FloatType>(x.getType())) {
    using P = arith::CmpIPredicate;
    bool isUnsigned =
        op.getUnsignedSource() ||
        getElementTypeOrSelf(op.getSource().getType()).isInteger(1);
    P predicate = op.getLargest() ? (isUnsigned ? P::ugt : P::sgt)
                                  : (isUnsigned ? P::ult : P::slt);
    return b.create<arith::CmpIOp>(loc, predicate, x, y);
  }
  using P = arith::CmpFPredicate;
  auto compare = [&](P predicate, Value l, Value r) {
    return b.create<arith::CmpFOp>(loc, predicate, l, r);
  };
  Value first = op.getLargest() ? x : y, second = op.getLargest() ? y : x;
  // Greater, or NaN where the other is a number.
  Value onlyFirst = b.create<arith::AndIOp>(loc, compare(P::UNO, first, first),
                                            compare(P::ORD, second, second));
  return b.create<arith::OrIOp>(loc, compare(P::OGT, first, second), onlyFirst);
}

struct TopKEmitter
    : CpuKernelEmitterInterface::ExternalModel<TopKEmitter, amp::TopKOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    return loopsOf(cast<amp::TopKOp>(op), values, target).range();
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::TopKOp>(root);
    // The results are built in place, so they have to be what is stored.
    int64_t valuesOut = -1, indicesOut = -1;
    for (auto [i, value] :
         llvm::enumerate(emission.kernel().getYield().getValues())) {
      if (value == op.getValues())
        valuesOut = i;
      else if (value == op.getIndices())
        indicesOut = i;
      else
        return op.emitOpError("must be alone in its kernel");
    }
    if (valuesOut < 0)
      return op.emitOpError("needs a buffer for its values");
    Value best = emission.values.out(valuesOut);
    Value where = indicesOut < 0 ? Value() : emission.values.out(indicesOut);
    Type element = getElementTypeOrSelf(op.getSource().getType());
    OpFoldResult k = emission.values.outDim(valuesOut, op.getAxis());
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) -> LogicalResult {
      OpBuilder &b = row.b;
      Location loc = row.loc;
      IndexBuilder ix(b, loc);
      Value one = ix.value(ix.constant(1));
      auto slot = [&](Value position) {
        Row::Values at = row.indicesAt(one);
        at[op.getAxis()] = position;
        return at;
      };
      auto valueAt = [&](Value position) {
        Value x = loadElements(b, loc, best, slot(position), element, 1);
        return toRowType(b, loc, x);
      };
      bool read = true;
      row.fold(
          {},
          [&](ArrayRef<Value> at, Value position,
              ArrayRef<Value>) -> Row::Values {
            Value x = row.element(op.getSource(), at, 1);
            read = bool(x);
            if (!read)
              return {};
            OpFoldResult p = position;
            Value count = ix.value(ix.min(p, k));
            // Room at the end, or a last element to drop.
            Value fits = ix.compare(arith::CmpIPredicate::slt, p, k);
            auto enters = b.create<scf::IfOp>(
                loc, fits,
                [&](OpBuilder &, Location) {
                  b.create<scf::YieldOp>(
                      loc, Value(b.create<arith::ConstantIntOp>(loc, 1, 1)));
                },
                [&](OpBuilder &, Location) {
                  Value some =
                      ix.compare(arith::CmpIPredicate::sgt, k, ix.constant(0));
                  auto inner = b.create<scf::IfOp>(
                      loc, some,
                      [&](OpBuilder &, Location) {
                        Value last =
                            valueAt(ix.value(ix.sub(k, ix.constant(1))));
                        b.create<scf::YieldOp>(loc,
                                               goesBefore(b, loc, op, x, last));
                      },
                      [&](OpBuilder &, Location) {
                        b.create<scf::YieldOp>(
                            loc,
                            Value(b.create<arith::ConstantIntOp>(loc, 0, 1)));
                      });
                  b.create<scf::YieldOp>(loc, inner.getResult(0));
                });
            b.create<scf::IfOp>(
                loc, enters.getResult(0), [&](OpBuilder &, Location) {
                  // Shift what x goes before, from the end.
                  Value end = b.create<arith::SelectOp>(
                      loc, fits, count, ix.value(ix.sub(k, ix.constant(1))));
                  auto shift = b.create<scf::WhileOp>(
                      loc, TypeRange(b.getIndexType()), ValueRange(end),
                      [&](OpBuilder &, Location, ValueRange args) {
                        Value more =
                            ix.compare(arith::CmpIPredicate::sgt,
                                       OpFoldResult(args[0]), ix.constant(0));
                        auto moves = b.create<scf::IfOp>(
                            loc, more,
                            [&](OpBuilder &, Location) {
                              Value before = ix.value(ix.sub(
                                  OpFoldResult(args[0]), ix.constant(1)));
                              b.create<scf::YieldOp>(
                                  loc,
                                  goesBefore(b, loc, op, x, valueAt(before)));
                            },
                            [&](OpBuilder &, Location) {
                              b.create<scf::YieldOp>(
                                  loc, Value(b.create<arith::ConstantIntOp>(
                                           loc, 0, 1)));
                            });
                        b.create<scf::ConditionOp>(loc, moves.getResult(0),
                                                   args);
                      },
                      [&](OpBuilder &, Location, ValueRange args) {
                        Value before = ix.value(
                            ix.sub(OpFoldResult(args[0]), ix.constant(1)));
                        for (Value buffer : {best, where})
                          if (buffer)
                            b.create<memref::StoreOp>(
                                loc,
                                b.create<memref::LoadOp>(loc, buffer,
                                                         slot(before)),
                                buffer, slot(args[0]));
                        b.create<scf::YieldOp>(loc, before);
                      });
                  Row::Values at = slot(shift.getResult(0));
                  storeElements(b, loc, fromRowType(b, loc, x, element), best,
                                at);
                  if (where) {
                    Type indexType = getElementTypeOrSelf(where.getType());
                    storeElements(
                        b, loc,
                        b.create<arith::IndexCastOp>(loc, indexType, position),
                        where, at);
                  }
                  b.create<scf::YieldOp>(loc);
                });
            return {};
          });
      return success(read);
    });
  }
};

} // namespace

void registerSortEmitters(MLIRContext *context) {
  amp::TopKOp::attachInterface<TopKEmitter>(*context);
}

} // namespace ampc::cpu
