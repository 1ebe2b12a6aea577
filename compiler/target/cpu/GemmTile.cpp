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

Value multiplyAdd(OpBuilder &b, Location loc, Value x, Value y, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return b.create<math::FmaOp>(loc, x, y, sum);
  return b.create<arith::AddIOp>(loc, sum, b.create<arith::MulIOp>(loc, x, y));
}

namespace {

/// Steps of the innermost loop that are written out.
constexpr int64_t kUnroll = 4;

class TileEmitter {
public:
  TileEmitter(OpBuilder &b, Location loc, const GemmOperands &operands,
              int64_t lanes, ArrayRef<Value> masks)
      : b(b), loc(loc), ix(b, loc), operands(operands), lanes(lanes),
        masks(masks) {}

  /// Where the tile is in A, in B, and in what is fetched ahead.
  struct Offsets {
    OpFoldResult a, b, ahead;
  };

  void loop(size_t level, Offsets at, SmallVectorImpl<Value> &sums);

private:
  void step(Offsets at, SmallVectorImpl<Value> &sums);
  Offsets advance(Offsets at, const StridedGemm::KLoop &k, OpFoldResult i);
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
  int64_t lanes;
  ArrayRef<Value> masks;
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

TileEmitter::Offsets
TileEmitter::advance(Offsets at, const StridedGemm::KLoop &k, OpFoldResult i) {
  at.a = ix.add(at.a, ix.mul(i, k.aStride));
  at.b = ix.add(at.b, ix.mul(i, k.bStride));
  // A quarter for each fetch of a group of steps.
  if (operands.prefetch.start)
    at.ahead =
        ix.add(at.ahead,
               ix.mul(i, ix.div(ix.mul(k.bStride,
                                       ix.constant(operands.prefetch.quarters)),
                                ix.constant(kUnroll))));
  return at;
}

void TileEmitter::loop(size_t level, Offsets offsets,
                       SmallVectorImpl<Value> &sums) {
  if (level == operands.k.size())
    return step(offsets, sums);
  const StridedGemm::KLoop &k = operands.k[level];
  auto at = [&](OpFoldResult i, SmallVectorImpl<Value> &inner) {
    loop(level + 1, advance(offsets, k, i), inner);
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
  const int64_t unroll = level + 1 == operands.k.size() ? kUnroll : 1;
  OpFoldResult by = ix.constant(unroll);
  OpFoldResult most = ix.mul(ix.div(k.extent, by), by);
  forLoop(
      ix.constant(0), most, unroll, sums,
      [&](OpFoldResult i, SmallVectorImpl<Value> &inner) {
        Offsets first = advance(offsets, k, i);
        for (int64_t q = 0; q < operands.prefetch.quarters; ++q)
          b.create<memref::PrefetchOp>(
              loc, operands.b,
              ix.value(ix.add(first.ahead, ix.mul(k.bStride, ix.constant(q)))),
              /*isWrite=*/false,
              /*localityHint=*/3, /*isDataCache=*/true);
        for (int64_t u = 0; u < unroll; ++u)
          loop(level + 1, advance(first, k, ix.constant(u)), inner);
      });
  if (unroll > 1)
    forLoop(most, k.extent, 1, sums, at);
}

Value TileEmitter::loadColumns(OpFoldResult offset, int64_t vector) {
  auto type = cast<MemRefType>(operands.b.getType());
  int64_t stride = operands.bColumnStride;
  Value mask = masks[vector];
  if (operands.panelVectors) {
    OpFoldResult panel = ix.constant(vector / operands.panelVectors);
    offset = ix.add(offset, ix.mul(panel, operands.panelStride));
    vector %= operands.panelVectors;
  }
  Value at = ix.value(ix.add(offset, ix.constant(vector * lanes * stride)));
  if (lanes == 1 || stride == 1)
    return loadElements(b, loc, operands.b, at, type.getElementType(), lanes,
                        mask);
  if (!mask)
    return loadEvery(b, loc, operands.b, at, stride, lanes);
  // Columns that do not exist read the first one again.
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value there =
        ix.value(ix.add(OpFoldResult(at), ix.constant(lane * stride)));
    Value exists = b.create<vector::ExtractOp>(loc, mask, lane);
    Value safe = b.create<arith::SelectOp>(loc, exists, there, at);
    elements.push_back(b.create<memref::LoadOp>(loc, operands.b, safe));
  }
  return b.create<vector::FromElementsOp>(
      loc, VectorType::get({lanes}, type.getElementType()), elements);
}

void TileEmitter::step(Offsets offsets, SmallVectorImpl<Value> &sums) {
  SmallVector<Value> columns;
  for (size_t vector = 0; vector < masks.size(); ++vector)
    columns.push_back(widenOperand(b, loc, loadColumns(offsets.b, vector),
                                   operands.accumulator, operands.unsignedB));
  for (size_t row = 0; row < operands.aRows.size(); ++row) {
    Value at = ix.value(ix.add(offsets.a, operands.aRows[row]));
    Value element =
        widenOperand(b, loc, b.create<memref::LoadOp>(loc, operands.a, at),
                     operands.accumulator, operands.unsignedA);
    Value x = fillLanes(b, loc, element, lanes);
    for (size_t vector = 0; vector < masks.size(); ++vector) {
      Value &sum = sums[row * masks.size() + vector];
      sum = multiplyAdd(b, loc, x, columns[vector], sum);
    }
  }
}

} // namespace

void emitGemmTile(OpBuilder &b, Location loc, const GemmOperands &operands,
                  int64_t lanes, ArrayRef<Value> masks,
                  SmallVectorImpl<Value> &sums) {
  TileEmitter(b, loc, operands, lanes, masks)
      .loop(0,
            {operands.aOffset, operands.bOffset,
             OpFoldResult(operands.prefetch.start)},
            sums);
}

} // namespace ampc::cpu
