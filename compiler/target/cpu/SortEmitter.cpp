//===- SortEmitter.cpp - The k best elements of rows ----------------------===//
//
// The output is a heap of the best elements so far, the worst of them at the
// root, which an element that beats it replaces; at the end it is sorted in
// place. With n elements, k of them wanted, that takes n log k steps.
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

/// Whether `x` goes before `y` wherever they stand. NaN is greater than any
/// number.
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

/// Selects the elements of one row.
class RowHeap {
public:
  /// Either of the buffers may be null, not both.
  RowHeap(Row &row, amp::TopKOp op, Value best, Value where)
      : row(row), b(row.b), loc(row.loc), ix(b, loc), op(op), best(best),
        where(where) {}

  /// False after an error.
  bool select(OpFoldResult k) {
    Value zero = index(0), one = index(1), count = ix.value(k);
    forEach(zero, count, [&](Value p) { raise(p, itemAt(p)); });
    auto some = b.create<scf::IfOp>(
        loc, ix.compare(arith::CmpIPredicate::sgt, k, ix.constant(0)));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(some.thenBlock());
    forEach(count, ix.value(row.length()), [&](Value p) {
      Item item = itemAt(p);
      auto enters = b.create<scf::IfOp>(loc, isBefore(item, load(zero)));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(enters.thenBlock());
      sink(item, count);
    });
    // The worst of what is left goes to the end of it.
    forEach(one, count, [&](Value done) {
      Value end = b.create<arith::SubIOp>(loc, count, done);
      Item last = load(end);
      store(end, load(zero));
      sink(last, end);
    });
    if (best && where)
      forEach(zero, count, [&](Value slot) {
        storeElements(b, loc, fromRowType(b, loc, load(slot).value, element()),
                      best, at(slot));
      });
    return ok;
  }

private:
  struct Item {
    Value value;
    Value position; ///< Null where only values count.
  };

  Value index(int64_t value) { return ix.value(ix.constant(value)); }
  Type element() { return getElementTypeOrSelf(op.getSource().getType()); }
  Row::Values at(Value slot) {
    Row::Values indices = row.indicesAt(index(0));
    indices[op.getAxis()] = slot;
    return indices;
  }

  Item itemAt(Value position) {
    Value value = row.element(op.getSource(), row.indicesAt(position), 1);
    ok &= bool(value);
    return {value, where ? position : Value()};
  }
  Item load(Value slot) {
    if (!where)
      return {
          toRowType(b, loc, loadElements(b, loc, best, at(slot), element(), 1)),
          Value()};
    Value stored = b.create<memref::LoadOp>(loc, where, at(slot));
    return itemAt(b.create<arith::IndexCastOp>(loc, b.getIndexType(), stored));
  }
  void store(Value slot, Item item) {
    if (where)
      b.create<memref::StoreOp>(
          loc,
          b.create<arith::IndexCastOp>(
              loc, getElementTypeOrSelf(where.getType()), item.position),
          where, at(slot));
    else
      storeElements(b, loc, fromRowType(b, loc, item.value, element()), best,
                    at(slot));
  }

  /// The order of the result; of equal elements the first comes first.
  Value isBefore(Item x, Item y) {
    Value before = goesBefore(b, loc, op, x.value, y.value);
    if (!where)
      return before;
    Value after = goesBefore(b, loc, op, y.value, x.value);
    Value earlier = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                            x.position, y.position);
    Value equal = b.create<arith::XOrIOp>(
        loc, after, b.create<arith::ConstantIntOp>(loc, 1, 1));
    return b.create<arith::OrIOp>(loc, before,
                                  b.create<arith::AndIOp>(loc, equal, earlier));
  }

  void forEach(Value from, Value to, llvm::function_ref<void(Value)> body) {
    auto loop = b.create<scf::ForOp>(loc, from, to, index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// Walks from slot to slot while `next` gives one (a condition and a slot),
  /// moving what is there to the slot before, and stores `item` in the last.
  void walk(Value start, Item item,
            llvm::function_ref<std::pair<Value, Value>(Value)> next) {
    Type type = b.getIndexType();
    auto loop = b.create<scf::WhileOp>(
        loc, TypeRange{type, type}, ValueRange(start),
        [&](OpBuilder &, Location, ValueRange args) {
          auto [goesOn, slot] = next(args[0]);
          b.create<scf::ConditionOp>(loc, goesOn, ValueRange{args[0], slot});
        },
        [&](OpBuilder &, Location, ValueRange args) {
          store(args[0], load(args[1]));
          b.create<scf::YieldOp>(loc, args[1]);
        });
    store(loop.getResult(0), item);
  }

  /// A condition and a slot where `condition` holds, else false.
  std::pair<Value, Value>
  guarded(Value condition, llvm::function_ref<std::pair<Value, Value>()> body) {
    auto branch = b.create<scf::IfOp>(
        loc, condition,
        [&](OpBuilder &, Location) {
          auto [goesOn, slot] = body();
          b.create<scf::YieldOp>(loc, ValueRange{goesOn, slot});
        },
        [&](OpBuilder &, Location) {
          Value no = b.create<arith::ConstantIntOp>(loc, 0, 1);
          b.create<scf::YieldOp>(loc, ValueRange{no, index(0)});
        });
    return {branch.getResult(0), branch.getResult(1)};
  }

  /// Puts `item` into a heap that ends before slot `end`.
  void raise(Value end, Item item) {
    walk(end, item, [&](Value slot) {
      Value inside = ix.compare(arith::CmpIPredicate::sgt, OpFoldResult(slot),
                                ix.constant(0));
      return guarded(inside, [&]() -> std::pair<Value, Value> {
        Value parent = ix.value(
            ix.div(ix.sub(OpFoldResult(slot), ix.constant(1)), ix.constant(2)));
        return {isBefore(load(parent), item), parent};
      });
    });
  }

  /// Puts `item` into the heap of slots below `end` instead of its root.
  void sink(Item item, Value end) {
    walk(index(0), item, [&](Value slot) {
      Value left = ix.value(
          ix.add(ix.mul(OpFoldResult(slot), ix.constant(2)), ix.constant(1)));
      Value inside = ix.compare(arith::CmpIPredicate::slt, OpFoldResult(left),
                                OpFoldResult(end));
      return guarded(inside, [&]() -> std::pair<Value, Value> {
        Value right = ix.value(ix.add(OpFoldResult(left), ix.constant(1)));
        Value two = ix.compare(arith::CmpIPredicate::slt, OpFoldResult(right),
                               OpFoldResult(end));
        // The worse of the children.
        auto [rightIsWorse, unused] =
            guarded(two, [&]() -> std::pair<Value, Value> {
              return {isBefore(load(left), load(right)), right};
            });
        Value child = b.create<arith::SelectOp>(loc, rightIsWorse, right, left);
        return {isBefore(item, load(child)), child};
      });
    });
  }

  Row &row;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  amp::TopKOp op;
  Value best, where;
  bool ok = true;
};

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
    Value best = valuesOut < 0 ? Value() : emission.values.out(valuesOut);
    Value where = indicesOut < 0 ? Value() : emission.values.out(indicesOut);
    OpFoldResult k =
        emission.values.outDim(std::max(valuesOut, int64_t(0)), op.getAxis());
    auto loops = loopsOf(op, emission.values, emission.target);
    return loops.emit(emission, [&](Row &row) {
      return success(RowHeap(row, op, best, where).select(k));
    });
  }
};

} // namespace

void registerSortEmitters(MLIRContext *context) {
  amp::TopKOp::attachInterface<TopKEmitter>(*context);
}

} // namespace ampc::cpu
