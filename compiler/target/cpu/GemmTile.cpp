//===- GemmTile.cpp - The innermost loops of contractions -----------------===//

#include "compiler/target/cpu/GemmTile.h"

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/BufferAccess.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

Value widenOperand(OpBuilder &b, Location loc, Value value, Type accumulator,
                   bool isUnsigned) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element == accumulator)
    return value;
  Type type = amp::shapedLike(accumulator, value.getType());
  if (isa<FloatType>(element))
    return amp::convertFloat(b, loc, value, accumulator);
  if (isUnsigned)
    return b.create<arith::ExtUIOp>(loc, type, value);
  return b.create<arith::ExtSIOp>(loc, type, value);
}

namespace {

class TileEmitter {
public:
  TileEmitter(OpBuilder &b, Location loc, const GemmOperands &operands,
              int64_t rows, int64_t lanes, ArrayRef<Value> masks)
      : b(b), loc(loc), ix(b, loc), operands(operands), rows(rows),
        lanes(lanes), masks(masks) {
    for (int64_t row = 0; row < rows; ++row)
      rowOffsets.push_back(ix.mul(operands.aRowStride, ix.constant(row)));
  }

  void loop(size_t level, OpFoldResult aOffset, OpFoldResult bOffset,
            SmallVectorImpl<Value> &sums);

private:
  void step(OpFoldResult aOffset, OpFoldResult bOffset,
            SmallVectorImpl<Value> &sums);
  /// Whether the loops from `level` on are few steps and written out.
  bool isUnrolled(size_t level);
  template <typename Body>
  void forLoop(OpFoldResult from, OpFoldResult to, int64_t step,
               SmallVectorImpl<Value> &sums, Body body);
  Value loadColumns(OpFoldResult offset, int64_t vector);

  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  const GemmOperands &operands;
  int64_t rows, lanes;
  ArrayRef<Value> masks;
  SmallVector<OpFoldResult> rowOffsets;
};

bool TileEmitter::isUnrolled(size_t level) {
  int64_t steps = 1;
  for (const auto &k : ArrayRef(operands.k).drop_front(level)) {
    std::optional<int64_t> extent = IndexBuilder::known(k.extent);
    if (!extent)
      return false;
    steps *= *extent;
  }
  return steps <= 12;
}

template <typename Body>
void TileEmitter::forLoop(OpFoldResult from, OpFoldResult to, int64_t step,
                          SmallVectorImpl<Value> &sums, Body body) {
  if (from == to)
    return;
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                   ix.value(ix.constant(step)), sums);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> inner(loop.getRegionIterArgs());
  body(OpFoldResult(loop.getInductionVar()), inner);
  if (!inner.empty())
    b.create<scf::YieldOp>(loc, inner);
  sums.assign(loop.getResults().begin(), loop.getResults().end());
}

void TileEmitter::loop(size_t level, OpFoldResult aOffset, OpFoldResult bOffset,
                       SmallVectorImpl<Value> &sums) {
  if (level == operands.k.size())
    return step(aOffset, bOffset, sums);
  const StridedGemm::KLoop &k = operands.k[level];
  auto at = [&](OpFoldResult i, SmallVectorImpl<Value> &inner) {
    loop(level + 1, ix.add(aOffset, ix.mul(i, k.aStride)),
         ix.add(bOffset, ix.mul(i, k.bStride)), inner);
  };
  if (isUnrolled(level)) {
    for (int64_t i = 0; i < *IndexBuilder::known(k.extent); ++i)
      at(ix.constant(i), sums);
    return;
  }
  if (level + 1 < operands.k.size() && !isUnrolled(level + 1)) {
    forLoop(ix.constant(0), k.extent, 1, sums, at);
    return;
  }
  // The innermost loop proper, four steps a time where each is short.
  const int64_t unroll = level + 1 == operands.k.size() ? 4 : 1;
  OpFoldResult by = ix.constant(unroll);
  OpFoldResult most = ix.mul(ix.div(k.extent, by), by);
  forLoop(ix.constant(0), most, unroll, sums,
          [&](OpFoldResult i, SmallVectorImpl<Value> &inner) {
            OpFoldResult a = ix.add(aOffset, ix.mul(i, k.aStride));
            OpFoldResult bb = ix.add(bOffset, ix.mul(i, k.bStride));
            for (int64_t u = 0; u < unroll; ++u)
              loop(level + 1, ix.add(a, ix.mul(k.aStride, ix.constant(u))),
                   ix.add(bb, ix.mul(k.bStride, ix.constant(u))), inner);
          });
  if (unroll > 1)
    forLoop(most, k.extent, 1, sums, at);
}

Value TileEmitter::loadColumns(OpFoldResult offset, int64_t vector) {
  auto type = cast<MemRefType>(operands.b.getType());
  int64_t stride = operands.bColumnStride;
  Value at = ix.value(ix.add(offset, ix.constant(vector * lanes * stride)));
  if (lanes == 1 || stride == 1)
    return loadElements(b, loc, operands.b, at, type.getElementType(), lanes,
                        masks[vector]);
  if (!masks[vector])
    return loadEvery(b, loc, operands.b, at, stride, lanes);
  // Columns that do not exist read the first one again.
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value there =
        ix.value(ix.add(OpFoldResult(at), ix.constant(lane * stride)));
    Value exists = b.create<vector::ExtractOp>(loc, masks[vector], lane);
    Value safe = b.create<arith::SelectOp>(loc, exists, there, at);
    elements.push_back(b.create<memref::LoadOp>(loc, operands.b, safe));
  }
  return b.create<vector::FromElementsOp>(
      loc, VectorType::get({lanes}, type.getElementType()), elements);
}

void TileEmitter::step(OpFoldResult aOffset, OpFoldResult bOffset,
                       SmallVectorImpl<Value> &sums) {
  SmallVector<Value> columns;
  for (size_t vector = 0; vector < masks.size(); ++vector)
    columns.push_back(widenOperand(b, loc, loadColumns(bOffset, vector),
                                   operands.accumulator, operands.unsignedB));
  for (int64_t row = 0; row < rows; ++row) {
    Value at = ix.value(ix.add(aOffset, rowOffsets[row]));
    Value element =
        widenOperand(b, loc, b.create<memref::LoadOp>(loc, operands.a, at),
                     operands.accumulator, operands.unsignedA);
    Value x = fillLanes(b, loc, element, lanes);
    for (size_t vector = 0; vector < masks.size(); ++vector) {
      Value &sum = sums[row * masks.size() + vector];
      if (isa<FloatType>(operands.accumulator))
        sum = b.create<math::FmaOp>(loc, x, columns[vector], sum);
      else
        sum = b.create<arith::AddIOp>(
            loc, sum, b.create<arith::MulIOp>(loc, x, columns[vector]));
    }
  }
}

} // namespace

void emitGemmTile(OpBuilder &b, Location loc, const GemmOperands &operands,
                  int64_t rows, int64_t lanes, ArrayRef<Value> masks,
                  SmallVectorImpl<Value> &sums) {
  TileEmitter(b, loc, operands, rows, lanes, masks)
      .loop(0, operands.aOffset, operands.bOffset, sums);
}

void collapseKLoops(SmallVectorImpl<StridedGemm::KLoop> &loops,
                    IndexBuilder &ix) {
  auto follows = [&](OpFoldResult outer, OpFoldResult inner,
                     OpFoldResult extent) {
    auto o = IndexBuilder::known(outer), i = IndexBuilder::known(inner),
         e = IndexBuilder::known(extent);
    return o && i && e && *o == *i * *e;
  };
  for (size_t i = loops.size(); i-- > 1;) {
    StridedGemm::KLoop &outer = loops[i - 1], &inner = loops[i];
    if (IndexBuilder::isConstant(outer.extent, 1)) {
      loops.erase(loops.begin() + (i - 1));
    } else if (IndexBuilder::isConstant(inner.extent, 1)) {
      loops.erase(loops.begin() + i);
    } else if (follows(outer.aStride, inner.aStride, inner.extent) &&
               follows(outer.bStride, inner.bStride, inner.extent)) {
      inner.extent = ix.mul(outer.extent, inner.extent);
      loops.erase(loops.begin() + (i - 1));
    }
  }
}

} // namespace ampc::cpu
