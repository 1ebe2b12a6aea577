//===- GemmPanel.cpp - Copies of B that tiles read in order ---------------===//

#include "compiler/target/cpu/GemmPanel.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/GemmTile.h"
#include "compiler/target/cpu/RegisterTranspose.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

class PanelPacker {
public:
  PanelPacker(OpBuilder &b, Location loc, const GemmPanel &p)
      : b(b), loc(loc), ix(b, loc), p(p) {}

  void locateColumns();
  void packVector(int64_t vector);
  void packSegments(int64_t vector, int64_t count);

private:
  using Copy = llvm::function_ref<void(OpFoldResult source, OpFoldResult row)>;
  /// Calls `copy` with the offset in B of each k and its row of the panel.
  void forEachK(size_t level, OpFoldResult source, OpFoldResult row, Copy copy);
  void store(Value value, OpFoldResult row, int64_t vector);
  void packTransposed(int64_t vector, ArrayRef<OpFoldResult> lanes);
  Value load(OpFoldResult at, int64_t lanes);

  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  const GemmPanel &p;
  SmallVector<OpFoldResult> offsets; ///< In B, of each column.
  /// For each vector, where in a row of the columns its first one lies.
  SmallVector<OpFoldResult> inRowAt;
};

void PanelPacker::forEachK(size_t level, OpFoldResult source, OpFoldResult row,
                           Copy copy) {
  if (level == p.k.size())
    return copy(source, row);
  const StridedGemm::KLoop &k = p.k[level];
  OpFoldResult inner = ix.constant(1);
  for (const auto &l : ArrayRef(p.k).drop_front(level + 1))
    inner = ix.mul(inner, l.extent);
  OpBuilder::InsertionGuard guard(b);
  auto loop =
      b.create<scf::ForOp>(loc, ix.value(ix.constant(0)), ix.value(k.extent),
                           ix.value(ix.constant(1)));
  b.setInsertionPointToStart(loop.getBody());
  OpFoldResult i = loop.getInductionVar();
  forEachK(level + 1, ix.add(source, ix.mul(i, k.bStride)),
           ix.add(row, ix.mul(i, inner)), copy);
}

/// The offset in B of each column of the tile, found by counting up from the
/// first, which takes no division.
void PanelPacker::locateColumns() {
  SmallVector<OpFoldResult> extents, at;
  for (const auto &level : p.columns)
    extents.push_back(level.extent);
  for (Value coordinate : ix.delinearize(p.firstColumn, extents))
    at.push_back(coordinate);
  auto choose = [&](Value condition, OpFoldResult x, OpFoldResult y) {
    return OpFoldResult(
        b.create<arith::SelectOp>(loc, condition, ix.value(x), ix.value(y)));
  };
  const int64_t count = p.lanes * p.vectors;
  OpFoldResult last = ix.sub(p.columnCount, ix.constant(1));
  for (int64_t column = 0; column < count; ++column) {
    OpFoldResult offset = p.sourceOffset;
    for (auto [coordinate, level] : llvm::zip(at, p.columns))
      offset = ix.add(offset, ix.mul(coordinate, level.bStride));
    offsets.push_back(offset);
    if (column % p.lanes == 0)
      inRowAt.push_back(at.back());
    if (column + 1 == count)
      break;
    // The last column's successor is itself.
    Value move = ix.compare(arith::CmpIPredicate::slt,
                            ix.add(p.firstColumn, ix.constant(column)), last);
    for (size_t level = at.size(); level-- > 0;) {
      OpFoldResult next =
          choose(move, ix.add(at[level], ix.constant(1)), at[level]);
      if (level == 0) {
        at[level] = next;
        break;
      }
      move = ix.compare(arith::CmpIPredicate::eq, next, extents[level]);
      at[level] = choose(move, ix.constant(0), next);
    }
  }
}

Value PanelPacker::load(OpFoldResult at, int64_t lanes) {
  Type element = cast<MemRefType>(p.source.getType()).getElementType();
  Value value = loadElements(b, loc, p.source, ix.value(at), element, lanes);
  return widenOperand(b, loc, value, p.accumulator, p.isUnsigned);
}

void PanelPacker::store(Value value, OpFoldResult row, int64_t vector) {
  OpFoldResult at = ix.add(ix.mul(row, ix.constant(p.lanes * p.vectors)),
                           ix.constant(vector * p.lanes));
  storeElements(b, loc, value, p.panel, ix.value(at));
}

/// Columns whose k lie one after the other: squares of them are turned in
/// registers.
void PanelPacker::packTransposed(int64_t vector, ArrayRef<OpFoldResult> lanes) {
  const StridedGemm::KLoop &k = p.k.front();
  OpFoldResult by = ix.constant(p.lanes);
  OpFoldResult most = ix.mul(ix.div(k.extent, by), by);
  auto loop = [&](OpFoldResult from, OpFoldResult to, int64_t step,
                  llvm::function_ref<void(OpFoldResult)> body) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                     ix.value(ix.constant(step)));
    b.setInsertionPointToStart(loop.getBody());
    body(OpFoldResult(loop.getInductionVar()));
  };
  loop(ix.constant(0), most, p.lanes, [&](OpFoldResult i) {
    SmallVector<Value> square;
    for (OpFoldResult lane : lanes)
      square.push_back(load(ix.add(lane, i), p.lanes));
    for (auto [row, value] :
         llvm::enumerate(transposeInRegisters(b, loc, square)))
      store(value, ix.add(i, ix.constant(row)), vector);
  });
  loop(most, k.extent, 1, [&](OpFoldResult i) {
    for (auto [lane, offset] : llvm::enumerate(lanes)) {
      OpFoldResult at = ix.add(ix.mul(i, ix.constant(p.lanes * p.vectors)),
                               ix.constant(vector * p.lanes + lane));
      b.create<memref::StoreOp>(loc, load(ix.add(offset, i), 1), p.panel,
                                ix.value(at));
    }
  });
}

void PanelPacker::packVector(int64_t vector) {
  auto lanes = ArrayRef(offsets).slice(vector * p.lanes, p.lanes);
  // Not where the columns are adjacent too: that is better told at run time.
  bool adjacent = IndexBuilder::isConstant(p.columns.back().bStride, 1);
  if (p.k.size() == 1 && IndexBuilder::isConstant(p.k[0].bStride, 1) &&
      !adjacent && p.lanes > 1)
    return packTransposed(vector, lanes);

  auto one = [&] {
    forEachK(0, ix.constant(0), ix.constant(0),
             [&](OpFoldResult source, OpFoldResult row) {
               for (auto [lane, offset] : llvm::enumerate(lanes)) {
                 OpFoldResult at =
                     ix.add(ix.mul(row, ix.constant(p.lanes * p.vectors)),
                            ix.constant(vector * p.lanes + lane));
                 b.create<memref::StoreOp>(loc, load(ix.add(source, offset), 1),
                                           p.panel, ix.value(at));
               }
             });
  };
  auto all = [&](int64_t stride) {
    forEachK(0, ix.constant(0), ix.constant(0),
             [&](OpFoldResult source, OpFoldResult row) {
               Value at = ix.value(ix.add(source, lanes.front()));
               Value value = loadEvery(b, loc, p.source, at, stride, p.lanes);
               store(widenOperand(b, loc, value, p.accumulator, p.isUnsigned),
                     row, vector);
             });
  };
  // Columns within one row are evenly spaced, for all k.
  std::optional<int64_t> stride = IndexBuilder::known(p.columns.back().bStride);
  if (p.lanes == 1 || !stride || *stride > 2 || *stride < 1)
    return one();
  auto reaches = [&](int64_t rows) {
    return ix.compare(arith::CmpIPredicate::sle,
                      ix.add(inRowAt[vector], ix.constant(p.lanes)),
                      ix.mul(p.columns.back().extent, ix.constant(rows)));
  };
  unsigned bits = cast<MemRefType>(p.source.getType()).getElementTypeBitWidth();
  bool masks =
      *stride == 1 && p.columns.size() > 1 && (p.cheapMasks || bits >= 32);
  OpBuilder::InsertionGuard guard(b);
  auto otherwise = [&](Value condition, llvm::function_ref<void()> then) {
    auto choice = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    then();
    b.setInsertionPointToStart(choice.elseBlock());
  };
  otherwise(reaches(1), [&] { all(*stride); });
  if (masks) {
    otherwise(reaches(2), [&] { packSegments(vector, 2); });
    otherwise(reaches(4), [&] { packSegments(vector, 4); });
  }
  one();
}

/// A vector whose columns lie in up to `count` rows: masked loads, one a row.
void PanelPacker::packSegments(int64_t vector, int64_t count) {
  auto type = VectorType::get(
      {p.lanes}, cast<MemRefType>(p.source.getType()).getElementType());
  OpFoldResult first = ix.add(p.firstColumn, ix.constant(vector * p.lanes));
  OpFoldResult exist = ix.sub(p.columnCount, first);
  OpFoldResult last = ix.sub(p.columnCount, ix.constant(1));
  SmallVector<OpFoldResult> extents;
  for (const auto &level : p.columns)
    extents.push_back(level.extent);
  // Where a row's columns would start if they began with lane 0, and its lanes.
  SmallVector<OpFoldResult> starts;
  SmallVector<Value> masks;
  OpFoldResult from = ix.constant(0);
  for (int64_t segment = 0; segment < count; ++segment) {
    OpFoldResult start = offsets[vector * p.lanes];
    if (segment) {
      start = p.sourceOffset;
      OpFoldResult column = ix.min(ix.add(first, from), last);
      for (auto [coordinate, level] :
           llvm::zip(ix.delinearize(column, extents), p.columns))
        start = ix.add(start, ix.mul(OpFoldResult(coordinate), level.bStride));
    }
    starts.push_back(ix.sub(start, from));
    OpFoldResult to = ix.sub(ix.mul(extents.back(), ix.constant(segment + 1)),
                             inRowAt[vector]);
    Value below = firstLanes(b, loc, ix.value(ix.min(to, exist)), p.lanes);
    if (segment) {
      Value before = firstLanes(b, loc, ix.value(ix.min(from, exist)), p.lanes);
      below = b.create<arith::XOrIOp>(loc, below, before);
    }
    masks.push_back(below);
    from = to;
  }
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  forEachK(0, ix.constant(0), ix.constant(0),
           [&](OpFoldResult source, OpFoldResult row) {
             Value value = zero;
             for (auto [start, mask] : llvm::zip(starts, masks))
               value = b.create<vector::MaskedLoadOp>(
                   loc, type, p.source, ix.value(ix.add(source, start)), mask,
                   value);
             store(widenOperand(b, loc, value, p.accumulator, p.isUnsigned),
                   row, vector);
           });
}

} // namespace

void emitPackPanel(OpBuilder &b, Location loc, const GemmPanel &panel) {
  PanelPacker packer(b, loc, panel);
  packer.locateColumns();
  for (int64_t vector = 0; vector < panel.vectors; ++vector)
    packer.packVector(vector);
}

} // namespace ampc::cpu
