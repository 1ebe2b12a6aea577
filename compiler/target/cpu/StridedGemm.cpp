//===- StridedGemm.cpp - The loops of every contraction -------------------===//
//
// An iteration of the parallel loop does a block of rows and a tile's columns
// of one product (or of the products of `innerBatch`). Where B is packed, the
// panel that all rows of the block share is copied first, a run of k at a time;
// between the runs sums wait in memory, which does not change them.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/StridedGemm.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/GemmPanel.h"
#include "compiler/target/cpu/GemmTile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

GemmPlan::GemmPlan(const StridedGemm &gemm, const CpuTarget &target) {
  lanes = target.lanes(gemm.accumulator.getIntOrFloatBitWidth());
  // Sums that leave registers for a row of vectors of B and an element of A.
  const int64_t sums = target.vectorRegisters >= 32 ? 24 : 12;
  std::optional<int64_t> rows = IndexBuilder::known(gemm.rows), columns = 1;
  for (const auto &column : gemm.columns) {
    auto extent = IndexBuilder::known(column.extent);
    columns =
        columns && extent ? std::optional(*columns * *extent) : std::nullopt;
  }
  if (columns == 1)
    lanes = 1;
  tileVectors = lanes == 1 ? 1 : 2;
  tileRows = sums / tileVectors;
  if (rows && *rows > 0 && *rows < tileRows) {
    // Few rows: make up for them by columns.
    tileRows = *rows;
    while (lanes > 1 && 2 * tileVectors * tileRows <= sums && tileVectors < 8)
      tileVectors *= 2;
  }
  while (columns && tileVectors > 1 && (tileVectors - 1) * lanes >= *columns)
    --tileVectors;
  blockRows = 16 * tileRows;
  if (rows && *rows <= 2 * blockRows)
    blockRows = std::max<int64_t>(*rows, 1);

  // Packing pays for itself where rows share a panel; scattered columns need
  // it.
  packedInner = 1;
  for (const auto &k : ArrayRef(gemm.k).drop_front()) {
    auto extent = IndexBuilder::known(k.extent);
    if (!extent || *extent == 0)
      return;
    packedInner *= *extent;
  }
  bool scattered = gemm.columns.size() > 1 ||
                   !IndexBuilder::isConstant(gemm.columns[0].bStride, 1);
  bool near = gemm.columns.size() == 1 &&
              IndexBuilder::known(gemm.columns[0].bStride).value_or(9) <= 2;
  pack = (scattered && !(near && rows && *rows < 4)) ||
         (rows && *rows > 2 * tileRows);
  if (columns == 1)
    pack = false;
  packedOuter = std::max<int64_t>(1, 384 / packedInner);
  if (auto outer = IndexBuilder::known(gemm.k.front().extent);
      outer && *outer > 0) {
    // Even runs.
    int64_t runs = llvm::divideCeil(*outer, packedOuter);
    packedOuter = llvm::divideCeil(*outer, runs);
  }
}

ParallelRange getGemmRange(const StridedGemm &gemm, KernelValues &values,
                           const CpuTarget &target) {
  GemmPlan plan(gemm, target);
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  OpFoldResult columns = gemm.columnCount(ix);
  Value count = ix.value(ix.mul(
      ix.product(gemm.batch), ix.mul(ix.ceilDiv(gemm.rows, plan.blockRows),
                                     ix.ceilDiv(columns, plan.tileColumns()))));
  double cost = std::min<double>(guessedSize(gemm.rows), plan.blockRows) *
                plan.tileVectors;
  for (OpFoldResult size : gemm.innerBatch)
    cost *= guessedSize(size);
  for (const auto &k : gemm.k)
    cost *= guessedSize(k.extent);
  return {count, grainFor(cost)};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

class GemmEmitter {
public:
  GemmEmitter(const StridedGemm &gemm, KernelEmission &emission,
              const GemmBorder &border)
      : gemm(gemm), border(border), plan(gemm, emission.target),
        values(emission.values), b(emission.builder), loc(emission.loc()),
        ix(b, loc), site(values.site(), loc), lo(emission.lo), hi(emission.hi),
        cheapMasks(emission.target.cheapMasks) {}

  LogicalResult emit();

private:
  /// The part of a panel's work that tiles need to know.
  struct Run {
    GemmOperands operands;
    Value isFirst, isLast; ///< Null: the only run.
  };

  LogicalResult forLoop(OpFoldResult from, OpFoldResult to, int64_t step,
                        llvm::function_ref<LogicalResult(Value)> body);
  LogicalResult emitIf(Value condition,
                       llvm::function_ref<LogicalResult()> body);
  LogicalResult emitInner(size_t level, SmallVectorImpl<Value> &batch,
                          OpFoldResult row, OpFoldResult column);
  LogicalResult emitPacked(ValueRange batch, OpFoldResult row,
                           OpFoldResult column);
  LogicalResult emitRows(ValueRange batch, OpFoldResult row,
                         OpFoldResult column, const Run &run);
  LogicalResult emitColumns(ValueRange batch, OpFoldResult row, int64_t rows,
                            OpFoldResult column, const Run &run);
  LogicalResult emitTile(ValueRange batch, OpFoldResult row, int64_t rows,
                         OpFoldResult column, int64_t vectors, Value lastMask,
                         const Run &run);
  SmallVector<Value> sumsBefore(ValueRange batch, OpFoldResult row,
                                int64_t rows, OpFoldResult column,
                                ArrayRef<Value> masks, const Run &run);
  Value waiting(OpFoldResult row, int64_t vector);

  const StridedGemm &gemm;
  const GemmBorder &border;
  GemmPlan plan;
  KernelValues &values;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix, site;
  Value lo, hi;
  bool cheapMasks;
  OpFoldResult columns;
  OpFoldResult blockStart, blockEnd; ///< Rows of the current block.
  Value flatA, flatB;
  Value panel; ///< The packed panel.
  Value sums;  ///< Sums waiting between runs, a tile's columns a row.
};

LogicalResult
GemmEmitter::forLoop(OpFoldResult from, OpFoldResult to, int64_t step,
                     llvm::function_ref<LogicalResult(Value)> body) {
  auto f = IndexBuilder::known(from), t = IndexBuilder::known(to);
  if (f && t && *f >= *t)
    return success();
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                   ix.value(ix.constant(step)));
  b.setInsertionPointToStart(loop.getBody());
  return body(loop.getInductionVar());
}

LogicalResult GemmEmitter::emitIf(Value condition,
                                  llvm::function_ref<LogicalResult()> body) {
  OpBuilder::InsertionGuard guard(b);
  auto choice = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  return body();
}

LogicalResult GemmEmitter::emit() {
  columns = gemm.columnCount(site);
  flatA = values.flat(gemm.a);
  flatB = values.flat(gemm.b);
  if (plan.pack) {
    auto scratch = [&](int64_t elements) {
      return b.create<memref::AllocaOp>(
          loc, MemRefType::get({elements}, gemm.accumulator),
          b.getI64IntegerAttr(64));
    };
    panel = scratch(plan.packedOuter * plan.packedInner * plan.tileColumns());
    auto outer = IndexBuilder::known(gemm.k.front().extent);
    if (!outer || *outer > plan.packedOuter)
      sums = scratch(plan.blockRows * plan.tileColumns());
  }
  OpFoldResult rowBlocks = site.ceilDiv(gemm.rows, plan.blockRows);
  OpFoldResult columnTiles = site.ceilDiv(columns, plan.tileColumns());
  return forLoop(lo, hi, 1, [&](Value item) {
    // Columns fastest: the rows of A stay in the cache.
    OpFoldResult rest = item;
    OpFoldResult column =
        ix.mul(ix.rem(rest, columnTiles), ix.constant(plan.tileColumns()));
    rest = ix.div(rest, columnTiles);
    blockStart = ix.mul(ix.rem(rest, rowBlocks), ix.constant(plan.blockRows));
    rest = ix.div(rest, rowBlocks);
    blockEnd = IndexBuilder::isConstant(rowBlocks, 1)
                   ? gemm.rows
                   : ix.min(ix.add(blockStart, ix.constant(plan.blockRows)),
                            gemm.rows);
    SmallVector<Value> batch = ix.delinearize(rest, gemm.batch);
    return emitInner(0, batch, blockStart, column);
  });
}

LogicalResult GemmEmitter::emitInner(size_t level,
                                     SmallVectorImpl<Value> &batch,
                                     OpFoldResult row, OpFoldResult column) {
  if (level < gemm.innerBatch.size())
    return forLoop(ix.constant(0), gemm.innerBatch[level], 1, [&](Value i) {
      batch.push_back(i);
      LogicalResult done = emitInner(level + 1, batch, row, column);
      batch.pop_back();
      return done;
    });
  if (plan.pack)
    return emitPacked(batch, row, column);
  Run run;
  run.operands = {flatA,
                  flatB,
                  {},
                  {},
                  gemm.aRowStride,
                  1,
                  gemm.k,
                  gemm.accumulator,
                  gemm.unsignedA,
                  gemm.unsignedB};
  std::tie(run.operands.aOffset, run.operands.bOffset) =
      gemm.offsets(ix, batch);
  // One column, or columns evenly spaced.
  OpFoldResult stride = gemm.columns.back().bStride;
  if (plan.lanes > 1) {
    auto known = IndexBuilder::known(stride);
    if (!known || gemm.columns.size() > 1) {
      values.getKernel().emitOpError(
          "has a contraction whose filter has a size that is not known at "
          "compile time");
      return failure();
    }
    run.operands.bColumnStride = *known;
  }
  run.operands.bOffset = ix.add(run.operands.bOffset, ix.mul(column, stride));
  collapseKLoops(run.operands.k, ix);
  return emitRows(batch, row, column, run);
}

LogicalResult GemmEmitter::emitPacked(ValueRange batch, OpFoldResult row,
                                      OpFoldResult column) {
  auto [aOffset, bOffset] = gemm.offsets(ix, batch);
  OpFoldResult extent = gemm.k.front().extent;
  OpFoldResult length = ix.constant(plan.packedOuter);
  auto one = [&](OpFoldResult start, OpFoldResult count, Value isFirst,
                 Value isLast) {
    SmallVector<StridedGemm::KLoop> k(gemm.k);
    k.front().extent = count;
    OpFoldResult aStart = ix.add(aOffset, ix.mul(start, k.front().aStride));
    OpFoldResult bStart = ix.add(bOffset, ix.mul(start, k.front().bStride));
    emitPackPanel(b, loc,
                  {flatB, bStart, panel, k, gemm.columns, column, columns,
                   plan.lanes, plan.tileVectors, gemm.accumulator,
                   gemm.unsignedB, cheapMasks});
    OpFoldResult width = ix.constant(plan.tileColumns());
    for (auto &loop : llvm::reverse(k)) {
      loop.bStride = width;
      width = ix.mul(width, loop.extent);
    }
    collapseKLoops(k, ix);
    Run run;
    run.operands = {
        flatA, panel, aStart,           ix.constant(0), gemm.aRowStride,
        1,     k,     gemm.accumulator, gemm.unsignedA, gemm.unsignedB};
    run.isFirst = isFirst;
    run.isLast = isLast;
    return emitRows(batch, row, column, run);
  };
  if (!sums)
    return one(ix.constant(0), extent, nullptr, nullptr);
  // Without any k there is still a value to store.
  OpFoldResult end = ix.max(extent, ix.constant(1));
  return forLoop(ix.constant(0), end, plan.packedOuter, [&](Value start) {
    OpFoldResult left = ix.sub(extent, OpFoldResult(start));
    Value isFirst = ix.compare(arith::CmpIPredicate::eq, OpFoldResult(start),
                               ix.constant(0));
    Value isLast = ix.compare(arith::CmpIPredicate::sle, left, length);
    auto known = IndexBuilder::known(extent);
    OpFoldResult count =
        known && *known % plan.packedOuter == 0 ? length : ix.min(left, length);
    return one(OpFoldResult(start), count, isFirst, isLast);
  });
}

LogicalResult GemmEmitter::emitRows(ValueRange batch, OpFoldResult row,
                                    OpFoldResult column, const Run &run) {
  OpFoldResult tile = ix.constant(plan.tileRows);
  OpFoldResult count = ix.sub(blockEnd, row);
  OpFoldResult whole = ix.add(row, ix.mul(ix.div(count, tile), tile));
  if (failed(forLoop(row, whole, plan.tileRows, [&](Value at) {
        return emitColumns(batch, OpFoldResult(at), plan.tileRows, column, run);
      })))
    return failure();
  // The rest: one tile if its rows are known, else one for each bit of them.
  OpFoldResult rest = ix.sub(blockEnd, whole);
  auto known = IndexBuilder::known(gemm.rows);
  if (known) {
    // The last block alone may have a rest.
    int64_t last = *known % plan.blockRows;
    int64_t rows = (last ? last : *known ? plan.blockRows : 0) % plan.tileRows;
    if (!rows)
      return success();
    if (IndexBuilder::known(rest))
      return emitColumns(batch, whole, rows, column, run);
    return emitIf(ix.compare(arith::CmpIPredicate::ne, rest, ix.constant(0)),
                  [&] { return emitColumns(batch, whole, rows, column, run); });
  }
  OpFoldResult at = whole;
  for (int64_t rows = llvm::bit_floor(uint64_t(plan.tileRows - 1)); rows;
       rows /= 2) {
    // Rows below this bit come after it.
    OpFoldResult here = at;
    OpFoldResult bit =
        ix.mul(ix.rem(ix.div(rest, ix.constant(rows)), ix.constant(2)),
               ix.constant(rows));
    if (failed(emitIf(
            ix.compare(arith::CmpIPredicate::ne, bit, ix.constant(0)),
            [&] { return emitColumns(batch, here, rows, column, run); })))
      return failure();
    at = ix.add(at, bit);
  }
  return success();
}

LogicalResult GemmEmitter::emitColumns(ValueRange batch, OpFoldResult row,
                                       int64_t rows, OpFoldResult column,
                                       const Run &run) {
  if (plan.lanes == 1)
    return emitTile(batch, row, rows, column, 1, nullptr, run);
  auto masked = [&](int64_t vectors, OpFoldResult count) {
    OpFoldResult inLast =
        ix.sub(count, ix.constant((vectors - 1) * plan.lanes));
    return emitTile(batch, row, rows, column, vectors,
                    firstLanes(b, loc, ix.value(inLast), plan.lanes), run);
  };
  OpFoldResult left = ix.sub(columns, column);
  auto known = IndexBuilder::known(columns);
  if (known && *known % plan.tileColumns() == 0)
    return emitTile(batch, row, rows, column, plan.tileVectors, nullptr, run);
  auto whole = [&] {
    return emitTile(batch, row, rows, column, plan.tileVectors, nullptr, run);
  };
  // What a tile at the right border has, if that is known.
  auto border = [&]() -> LogicalResult {
    if (known) {
      int64_t rest = *known % plan.tileColumns();
      int64_t vectors = llvm::divideCeil(rest, plan.lanes);
      if (rest % plan.lanes == 0)
        return emitTile(batch, row, rows, column, vectors, nullptr, run);
      return masked(vectors, ix.constant(rest));
    }
    for (int64_t vectors = 1; vectors <= plan.tileVectors; ++vectors) {
      OpFoldResult most = ix.constant(vectors * plan.lanes);
      Value fits = b.create<arith::AndIOp>(
          loc, ix.compare(arith::CmpIPredicate::sle, left, most),
          ix.compare(arith::CmpIPredicate::sgt, left,
                     ix.constant((vectors - 1) * plan.lanes)));
      if (failed(emitIf(fits, [&] { return masked(vectors, left); })))
        return failure();
    }
    return success();
  };
  if (known && *known < plan.tileColumns())
    return border();
  Value isWhole = ix.compare(arith::CmpIPredicate::sge, left,
                             ix.constant(plan.tileColumns()));
  auto choice = b.create<scf::IfOp>(loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  if (failed(whole()))
    return failure();
  b.setInsertionPointToStart(choice.elseBlock());
  return border();
}

/// Where a sum waits between runs: rows of the block, a tile's columns each.
Value GemmEmitter::waiting(OpFoldResult row, int64_t vector) {
  return ix.value(
      ix.add(ix.mul(ix.sub(row, blockStart), ix.constant(plan.tileColumns())),
             ix.constant(vector * plan.lanes)));
}

SmallVector<Value> GemmEmitter::sumsBefore(ValueRange batch, OpFoldResult row,
                                           int64_t rows, OpFoldResult column,
                                           ArrayRef<Value> masks,
                                           const Run &run) {
  const int64_t vectors = masks.size();
  auto initial = [&] {
    SmallVector<Value> result;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        result.push_back(
            border.init({batch, ix.value(ix.add(row, ix.constant(r))),
                         ix.value(ix.add(column, ix.constant(v * plan.lanes))),
                         plan.lanes, masks[v]}));
    return result;
  };
  if (!run.isFirst)
    return initial();
  Type type = gemm.accumulator;
  if (plan.lanes > 1)
    type = VectorType::get({plan.lanes}, type);
  SmallVector<Type> types(rows * vectors, type);
  auto choice = b.create<scf::IfOp>(loc, types, run.isFirst,
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> first = initial();
  if (llvm::is_contained(first, nullptr))
    return first;
  b.create<scf::YieldOp>(loc, first);
  b.setInsertionPointToStart(choice.elseBlock());
  SmallVector<Value> later;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      later.push_back(loadElements(b, loc, sums,
                                   waiting(ix.add(row, ix.constant(r)), v),
                                   gemm.accumulator, plan.lanes));
  b.create<scf::YieldOp>(loc, later);
  return SmallVector<Value>(choice.getResults());
}

LogicalResult GemmEmitter::emitTile(ValueRange batch, OpFoldResult row,
                                    int64_t rows, OpFoldResult column,
                                    int64_t vectors, Value lastMask,
                                    const Run &run) {
  SmallVector<Value> masks(vectors);
  masks.back() = lastMask;
  SmallVector<Value> tile = sumsBefore(batch, row, rows, column, masks, run);
  if (llvm::is_contained(tile, nullptr))
    return failure();
  GemmOperands operands = run.operands;
  operands.aOffset = ix.add(operands.aOffset, ix.mul(row, operands.aRowStride));
  // A packed panel has values for columns that do not exist.
  SmallVector<Value> loadMasks(vectors);
  if (!plan.pack)
    loadMasks = masks;
  emitGemmTile(b, loc, operands, rows, plan.lanes, loadMasks, tile);
  auto store = [&]() -> LogicalResult {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        if (failed(border.store(
                {batch, ix.value(ix.add(row, ix.constant(r))),
                 ix.value(ix.add(column, ix.constant(v * plan.lanes))),
                 plan.lanes, masks[v]},
                tile[r * vectors + v])))
          return failure();
    return success();
  };
  if (!run.isLast)
    return store();
  auto choice = b.create<scf::IfOp>(loc, run.isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  if (failed(store()))
    return failure();
  b.setInsertionPointToStart(choice.elseBlock());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      storeElements(b, loc, tile[r * vectors + v], sums,
                    waiting(ix.add(row, ix.constant(r)), v));
  return success();
}

} // namespace

LogicalResult emitStridedGemm(const StridedGemm &gemm, KernelEmission &emission,
                              const GemmBorder &border) {
  return GemmEmitter(gemm, emission, border).emit();
}

} // namespace ampc::cpu
