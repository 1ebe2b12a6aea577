//===- SuppressEmitter.cpp - Non-maximum suppression ----------------------===//
//
// Iterations are pairs of batch and class. Each walks its boxes from the best
// and holds every candidate against those kept before it.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/IndexBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

/// Low and high corners.
struct Box {
  Value top, left, bottom, right;
};

class SuppressKernel {
public:
  SuppressKernel(amp::SuppressBoxesOp op, KernelEmission &emission)
      : op(op), emission(emission), values(emission.values),
        b(emission.builder), loc(emission.loc()), ix(b, loc) {}

  LogicalResult emit() {
    boxes = contractionBuffer(values, op, op.getBoxes());
    scores = contractionBuffer(values, op, op.getScores());
    order = contractionBuffer(values, op, op.getOrder());
    if (!boxes || !scores || !order)
      return failure();
    limit = values.scalar(op.getLimit());
    overlap = values.scalar(op.getOverlapThreshold());
    threshold = values.scalar(op.getScoreThreshold());
    SmallVector<OpFoldResult> sizes = values.outDims(0);
    count = sizes[2];
    auto loop = forEach(emission.lo, emission.hi, {});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> at = ix.delinearize(OpFoldResult(loop.getInductionVar()),
                                           {sizes[0], sizes[1]});
    batch = at[0];
    category = at[1];
    emitRow();
    return success();
  }

private:
  using P = arith::CmpFPredicate;

  Value index(int64_t value) { return ix.value(ix.constant(value)); }
  Value number(double value) {
    return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(float(value)));
  }
  template <typename Op> Value make(Value x, Value y) {
    return b.create<Op>(loc, x, y);
  }
  Value compare(P predicate, Value x, Value y) {
    return b.create<arith::CmpFOp>(loc, predicate, x, y);
  }
  scf::ForOp forEach(Value from, Value to, ValueRange state) {
    return b.create<scf::ForOp>(loc, from, to, index(1), state);
  }

  /// Keeps the best boxes of one class.
  void emitRow() {
    auto loop = forEach(index(0), ix.value(count), index(0));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value rank = loop.getInductionVar(), kept = loop.getRegionIterArgs()[0];
      Value candidate = boxNumber(rank);
      Value score = b.create<memref::LoadOp>(
          loc, scores, ValueRange{batch, category, candidate});
      Value wanted = make<arith::AndIOp>(
          compare(P::OGT, score, threshold),
          b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, kept, limit));
      auto decision = b.create<scf::IfOp>(
          loc, wanted,
          [&](OpBuilder &, Location) {
            b.create<scf::YieldOp>(loc, meetsNone(rank, boxAt(candidate)));
          },
          [&](OpBuilder &, Location) {
            b.create<scf::YieldOp>(
                loc, Value(b.create<arith::ConstantIntOp>(loc, 0, 1)));
          });
      Value keep = decision.getResult(0);
      storeElements(b, loc, keep, values.out(0), {batch, category, rank});
      Value more = b.create<arith::IndexCastUIOp>(loc, b.getIndexType(), keep);
      b.create<scf::YieldOp>(loc, make<arith::AddIOp>(kept, more));
    }
  }

  /// Whether no box that is kept before `rank` overlaps too much.
  Value meetsNone(Value rank, const Box &box) {
    Value free = b.create<arith::ConstantIntOp>(loc, 1, 1);
    auto loop = b.create<scf::WhileOp>(
        loc, TypeRange{b.getIndexType(), b.getI1Type()},
        ValueRange{index(0), free},
        [&](OpBuilder &, Location, ValueRange args) {
          Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                                 args[0], rank);
          b.create<scf::ConditionOp>(loc, make<arith::AndIOp>(inside, args[1]),
                                     args);
        },
        [&](OpBuilder &, Location, ValueRange args) {
          Value kept =
              loadElements(b, loc, values.out(0), {batch, category, args[0]},
                           b.getI1Type(), 1);
          auto check = b.create<scf::IfOp>(
              loc, kept,
              [&](OpBuilder &, Location) {
                b.create<scf::YieldOp>(loc,
                                       isApart(box, boxAt(boxNumber(args[0]))));
              },
              [&](OpBuilder &, Location) {
                b.create<scf::YieldOp>(loc, free);
              });
          b.create<scf::YieldOp>(
              loc, ValueRange{make<arith::AddIOp>(args[0], index(1)),
                              check.getResult(0)});
        });
    return loop.getResult(1);
  }

  Value boxNumber(Value rank) {
    Value stored =
        b.create<memref::LoadOp>(loc, order, ValueRange{batch, category, rank});
    OpFoldResult number =
        Value(b.create<arith::IndexCastOp>(loc, b.getIndexType(), stored));
    return ix.value(
        ix.max(ix.constant(0), ix.min(number, ix.sub(count, ix.constant(1)))));
  }

  Box boxAt(Value box) {
    Value x[4];
    for (int64_t i = 0; i < 4; ++i)
      x[i] = b.create<memref::LoadOp>(loc, boxes,
                                      ValueRange{batch, box, index(i)});
    if (op.getCentered()) {
      Value half = number(0.5);
      Value width = make<arith::MulFOp>(x[2], half),
            height = make<arith::MulFOp>(x[3], half);
      return {
          make<arith::SubFOp>(x[1], height), make<arith::SubFOp>(x[0], width),
          make<arith::AddFOp>(x[1], height), make<arith::AddFOp>(x[0], width)};
    }
    return {make<arith::MinimumFOp>(x[0], x[2]),
            make<arith::MinimumFOp>(x[1], x[3]),
            make<arith::MaximumFOp>(x[0], x[2]),
            make<arith::MaximumFOp>(x[1], x[3])};
  }

  Value area(const Box &box) {
    Value height = make<arith::SubFOp>(box.bottom, box.top),
          width = make<arith::SubFOp>(box.right, box.left);
    Value zero = number(0);
    return make<arith::MulFOp>(make<arith::MaximumFOp>(height, zero),
                               make<arith::MaximumFOp>(width, zero));
  }

  /// Whether intersection over union is not above the threshold. Boxes without
  /// an area meet nothing.
  Value isApart(const Box &x, const Box &y) {
    Box common{make<arith::MaximumFOp>(x.top, y.top),
               make<arith::MaximumFOp>(x.left, y.left),
               make<arith::MinimumFOp>(x.bottom, y.bottom),
               make<arith::MinimumFOp>(x.right, y.right)};
    Value shared = area(common);
    Value all =
        make<arith::SubFOp>(make<arith::AddFOp>(area(x), area(y)), shared);
    Value ratio = make<arith::DivFOp>(shared, all);
    Value above = make<arith::AndIOp>(compare(P::OGT, shared, number(0)),
                                      compare(P::OGT, ratio, overlap));
    return make<arith::XOrIOp>(above,
                               b.create<arith::ConstantIntOp>(loc, 1, 1));
  }

  amp::SuppressBoxesOp op;
  KernelEmission &emission;
  KernelValues &values;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  OpFoldResult count;
  Value boxes, scores, order, limit, overlap, threshold, batch, category;
};

struct SuppressEmitter
    : CpuKernelEmitterInterface::ExternalModel<SuppressEmitter,
                                               amp::SuppressBoxesOp> {
  ParallelRange getParallelRange(Operation *, KernelValues &values,
                                 const CpuTarget &) const {
    IndexBuilder ix(values.site(), values.getKernel().getLoc());
    SmallVector<OpFoldResult> sizes = values.outDims(0);
    return {ix.value(ix.mul(sizes[0], sizes[1])), 1};
  }

  LogicalResult emitKernel(Operation *op, KernelEmission &emission) const {
    return SuppressKernel(cast<amp::SuppressBoxesOp>(op), emission).emit();
  }
};

} // namespace

void registerSuppressEmitter(MLIRContext *context) {
  amp::SuppressBoxesOp::attachInterface<SuppressEmitter>(*context);
}

} // namespace ampc::cpu
