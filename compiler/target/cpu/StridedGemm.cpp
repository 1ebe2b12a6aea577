//===- StridedGemm.cpp - The loops of every contraction -------------------===//
//
// An iteration of the parallel loop does a block of rows and a tile's columns
// of one product (or of the products of `innerBatch`), a run of k at a time;
// between the runs sums wait in memory, which does not change them. What B has
// for a run is copied first unless it lies well already.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/StridedGemm.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/GemmPanel.h"
#include "compiler/target/cpu/GemmTile.h"
#include "compiler/target/cpu/Loops.h"
#include "compiler/target/cpu/RowTiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

class GemmEmitter {
public:
  /// Of a normalized contraction.
  GemmEmitter(const StridedGemm &gemm, const GemmPlan &plan,
              KernelEmission &emission, const GemmBorder &border)
      : border(border), values(emission.values), b(emission.builder),
        loc(emission.loc()), target(emission.target), ix(b, loc),
        site(values.site(), loc), gemm(gemm), plan(plan), lo(emission.lo),
        hi(emission.hi) {}

  LogicalResult emit();

private:
  /// A run of k: what tiles need to know of it.
  struct Run {
    GemmOperands operands;
    Value isFirst, isLast; ///< Null: the only run.
  };
  /// The rows of a tile: their indices, and offsets in A from a common one.
  struct TileRows {
    OpFoldResult offset;
    SmallVector<OpFoldResult> offsets;
    SmallVector<SmallVector<Value>> indices;
  };

  /// Rows that differ in the last of their indices only, whose offsets in A are
  /// evenly spaced therefore.
  struct Line {
    OpFoldResult start; ///< Its first row.
    OpFoldResult offset;
    SmallVector<Value> indices; ///< All but the last.
  };

  LogicalResult forLoop(OpFoldResult from, OpFoldResult to, int64_t step,
                        llvm::function_ref<LogicalResult(Value)> body) {
    return emitLoop(b, loc, from, to, step, body);
  }
  LogicalResult emitIf(Value condition,
                       llvm::function_ref<LogicalResult()> body);
  LogicalResult emitInner(size_t level, SmallVectorImpl<Value> &batch,
                          OpFoldResult row, OpFoldResult column);
  LogicalResult emitRuns(ValueRange batch, OpFoldResult row,
                         OpFoldResult column);
  LogicalResult emitRun(ValueRange batch, OpFoldResult row, OpFoldResult column,
                        OpFoldResult aStart, OpFoldResult bStart,
                        SmallVector<StridedGemm::KLoop> k, Value isFirst,
                        Value isLast);
  bool walksLines() const;
  Line lineAt(OpFoldResult number);
  TileRows rowsAt(OpFoldResult row, int64_t count);
  TileRows rowsOf(const Line &line, OpFoldResult row, int64_t count);
  LogicalResult emitBlock(ValueRange batch, OpFoldResult row,
                          OpFoldResult column, const Run &run);
  LogicalResult emitRows(ValueRange batch, OpFoldResult row, OpFoldResult end,
                         OpFoldResult column, const Run &run);
  LogicalResult emitColumns(ValueRange batch, OpFoldResult row, int64_t rows,
                            OpFoldResult column, const Run &run);
  LogicalResult emitTile(ValueRange batch, OpFoldResult row, int64_t rows,
                         OpFoldResult column, int64_t vectors, Value lastMask,
                         const Run &run);
  SmallVector<Value> sumsBefore(ValueRange batch, OpFoldResult row,
                                const TileRows &rows, OpFoldResult column,
                                ArrayRef<Value> masks, const Run &run);
  GemmPrefetch fetchedAhead(OpFoldResult row, const Run &run);
  Value waiting(OpFoldResult row, int64_t vector);

  const GemmBorder &border;
  KernelValues &values;
  OpBuilder &b;
  Location loc;
  const CpuTarget &target;
  IndexBuilder ix, site;
  const StridedGemm &gemm;
  const GemmPlan &plan;
  Value lo, hi;
  OpFoldResult rowCount, columns;
  OpFoldResult blockStart, blockEnd; ///< Rows of the current block.
  std::optional<Line> line;          ///< That tiles lie in, if in one.
  Value flatA, flatB;
  Value panel; ///< The packed panel.
  Value sums;  ///< Sums waiting between runs, a tile's columns a row.
};

LogicalResult GemmEmitter::emitIf(Value condition,
                                  llvm::function_ref<LogicalResult()> body) {
  OpBuilder::InsertionGuard guard(b);
  auto choice = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  return body();
}

LogicalResult GemmEmitter::emit() {
  rowCount = gemm.rowCount(site);
  columns = gemm.columnCount(site);
  flatA = values.flat(gemm.a);
  flatB = values.flat(gemm.b);
  auto scratch = [&](int64_t elements) {
    return b.create<memref::AllocaOp>(
        loc, MemRefType::get({elements}, gemm.accumulator),
        b.getI64IntegerAttr(64));
  };
  if (plan.pack) {
    int64_t length = plan.runLength ? *plan.runLength
                                    : *IndexBuilder::known(gemm.k[0].extent);
    panel = scratch(
        std::max<int64_t>(length * plan.runInner * plan.tileColumns(), 1));
  }
  if (plan.runLength)
    sums = scratch(plan.blockRows * plan.tileColumns());
  OpFoldResult rowBlocks = site.ceilDiv(rowCount, plan.blockRows);
  OpFoldResult columnTiles = site.ceilDiv(columns, plan.tileColumns());
  return forLoop(lo, hi, 1, [&](Value item) {
    // Columns fastest: the rows of A stay in the cache.
    OpFoldResult rest = item;
    OpFoldResult column =
        ix.mul(ix.rem(rest, columnTiles), ix.constant(plan.tileColumns()));
    rest = ix.div(rest, columnTiles);
    blockStart = ix.mul(ix.rem(rest, rowBlocks), ix.constant(plan.blockRows));
    rest = ix.div(rest, rowBlocks);
    blockEnd =
        IndexBuilder::isConstant(rowBlocks, 1)
            ? rowCount
            : ix.min(ix.add(blockStart, ix.constant(plan.blockRows)), rowCount);
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
  return emitRuns(batch, row, column);
}

LogicalResult GemmEmitter::emitRuns(ValueRange batch, OpFoldResult row,
                                    OpFoldResult column) {
  auto [aOffset, bOffset] = gemm.offsets(ix, batch);
  if (gemm.panelColumns)
    bOffset =
        ix.add(bOffset, ix.mul(ix.div(column, ix.constant(gemm.panelColumns)),
                               gemm.panelStride));
  if (!plan.runLength)
    return emitRun(batch, row, column, aOffset, bOffset, gemm.k, nullptr,
                   nullptr);
  auto both = [&](Value x, Value y) -> Value {
    return x ? b.create<arith::AndIOp>(loc, x, y).getResult() : y;
  };
  std::function<LogicalResult(size_t, OpFoldResult, OpFoldResult, Value, Value)>
      nest = [&](size_t level, OpFoldResult a, OpFoldResult bb, Value isFirst,
                 Value isLast) {
        const StridedGemm::KLoop &k = gemm.k[level];
        bool cut = level == plan.runLevel;
        OpFoldResult length = ix.constant(cut ? *plan.runLength : 1);
        // Without any k there is still a value to store.
        OpFoldResult end = ix.max(k.extent, ix.constant(1));
        return forLoop(
            ix.constant(0), end, cut ? *plan.runLength : 1, [&](Value i) {
              OpFoldResult at = i, left = ix.sub(k.extent, at);
              Value first = both(isFirst, ix.compare(arith::CmpIPredicate::eq,
                                                     at, ix.constant(0)));
              Value last = both(
                  isLast, ix.compare(arith::CmpIPredicate::sle, left, length));
              OpFoldResult aStart = ix.add(a, ix.mul(at, k.aStride));
              OpFoldResult bStart = ix.add(bb, ix.mul(at, k.bStride));
              if (!cut)
                return nest(level + 1, aStart, bStart, first, last);
              SmallVector<StridedGemm::KLoop> loops(
                  ArrayRef(gemm.k).drop_front(level));
              auto known = IndexBuilder::known(k.extent);
              loops.front().extent = known && *known % *plan.runLength == 0
                                         ? length
                                         : ix.min(left, length);
              return emitRun(batch, row, column, aStart, bStart,
                             std::move(loops), first, last);
            });
      };
  return nest(0, aOffset, bOffset, nullptr, nullptr);
}

LogicalResult GemmEmitter::emitRun(ValueRange batch, OpFoldResult row,
                                   OpFoldResult column, OpFoldResult aStart,
                                   OpFoldResult bStart,
                                   SmallVector<StridedGemm::KLoop> k,
                                   Value isFirst, Value isLast) {
  Run run;
  run.isFirst = isFirst;
  run.isLast = isLast;
  GemmOperands &operands = run.operands;
  operands.a = flatA;
  operands.aOffset = aStart;
  operands.accumulator = gemm.accumulator;
  operands.unsignedA = gemm.unsignedA;
  operands.unsignedB = gemm.unsignedB;
  operands.b = flatB;
  operands.bOffset = bStart;
  if (plan.pack) {
    emitPackPanel(b, loc,
                  {flatB, bStart, panel, k, gemm.columns, column, columns,
                   plan.lanes, plan.tileVectors, gemm.accumulator,
                   gemm.unsignedB, target.cheapMasks});
    setPanelStrides(k, plan.tileColumns(), ix);
    operands.b = panel;
    operands.bOffset = ix.constant(0);
    collapseKLoops(k, ix);
  } else if (!gemm.panelColumns) {
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
      operands.bColumnStride = *known;
    }
    operands.bOffset = ix.add(bStart, ix.mul(column, stride));
  }
  if (gemm.panelColumns) {
    operands.panelVectors = plan.panelVectors;
    operands.panelStride = gemm.panelStride;
  }
  operands.k = std::move(k);
  return emitBlock(batch, row, column, run);
}

/// Whether tiles keep to lines. Tiles that go on in the next line are fewer
/// where lines are short, but have to find each of their rows; of lines of
/// unknown length that takes longer than it saves.
bool GemmEmitter::walksLines() const {
  return gemm.rows.size() > 1 && !IndexBuilder::known(gemm.rows.back().extent);
}

GemmEmitter::Line GemmEmitter::lineAt(OpFoldResult number) {
  Line result{ix.mul(number, gemm.rows.back().extent), ix.constant(0), {}};
  SmallVector<OpFoldResult> extents;
  for (const auto &level : ArrayRef(gemm.rows).drop_back())
    extents.push_back(level.extent);
  result.indices = ix.delinearize(number, extents);
  for (auto [index, level] : llvm::zip(result.indices, gemm.rows))
    result.offset =
        ix.add(result.offset, ix.mul(OpFoldResult(index), level.aStride));
  return result;
}

LogicalResult GemmEmitter::emitBlock(ValueRange batch, OpFoldResult row,
                                     OpFoldResult column, const Run &run) {
  if (!walksLines())
    return emitRows(batch, row, blockEnd, column, run);
  OpFoldResult width = gemm.rows.back().extent;
  OpFoldResult end =
      ix.add(ix.div(ix.sub(blockEnd, ix.constant(1)), width), ix.constant(1));
  return forLoop(ix.div(row, width), end, 1, [&](Value number) {
    line = lineAt(OpFoldResult(number));
    OpFoldResult from = ix.max(row, line->start),
                 to = ix.min(blockEnd, ix.add(line->start, width));
    LogicalResult done = emitRows(batch, from, to, column, run);
    line.reset();
    return done;
  });
}

/// Tiles of the rows from `row` to `end`.
LogicalResult GemmEmitter::emitRows(ValueRange batch, OpFoldResult row,
                                    OpFoldResult end, OpFoldResult column,
                                    const Run &run) {
  OpFoldResult at = row;
  for (auto [rows, count] : cutRows(b, loc, ix.sub(end, row), rowCount, plan)) {
    OpFoldResult next = ix.add(at, ix.mul(count, ix.constant(rows)));
    if (failed(forLoop(at, next, rows, [&, rows = rows](Value first) {
          return emitColumns(batch, OpFoldResult(first), rows, column, run);
        })))
      return failure();
    at = next;
  }
  return success();
}

GemmEmitter::TileRows GemmEmitter::rowsOf(const Line &line, OpFoldResult row,
                                          int64_t count) {
  TileRows rows;
  OpFoldResult stride = gemm.rows.back().aStride,
               first = ix.sub(row, line.start);
  rows.offset = ix.add(line.offset, ix.mul(first, stride));
  for (int64_t r = 0; r < count; ++r) {
    rows.offsets.push_back(ix.mul(ix.constant(r), stride));
    rows.indices.push_back(line.indices);
    rows.indices.back().push_back(ix.value(ix.add(first, ix.constant(r))));
  }
  return rows;
}

/// Rows are found by counting up from the first, which takes no division.
GemmEmitter::TileRows GemmEmitter::rowsAt(OpFoldResult row, int64_t count) {
  if (line)
    return rowsOf(*line, row, count);
  if (gemm.rows.size() == 1)
    return rowsOf({ix.constant(0), ix.constant(0), {}}, row, count);
  TileRows rows;
  rows.offset = ix.constant(0);
  SmallVector<OpFoldResult> extents;
  for (const auto &level : gemm.rows)
    extents.push_back(level.extent);
  SmallVector<Value> at = ix.delinearize(row, extents);
  for (int64_t r = 0; r < count; ++r) {
    OpFoldResult offset = ix.constant(0);
    for (auto [index, level] : llvm::zip(at, gemm.rows))
      offset = ix.add(offset, ix.mul(OpFoldResult(index), level.aStride));
    rows.offsets.push_back(offset);
    rows.indices.push_back(at);
    if (r + 1 == count)
      break;
    Value carry;
    for (size_t level = at.size(); level-- > 0;) {
      Value next = ix.value(ix.add(OpFoldResult(at[level]), ix.constant(1)));
      if (carry)
        next = b.create<arith::SelectOp>(loc, carry, next, at[level]);
      if (level) {
        carry = ix.compare(arith::CmpIPredicate::eq, OpFoldResult(next),
                           extents[level]);
        next = b.create<arith::SelectOp>(loc, carry, ix.value(ix.constant(0)),
                                         next);
      }
      at[level] = next;
    }
  }
  return rows;
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
                                           const TileRows &rows,
                                           OpFoldResult column,
                                           ArrayRef<Value> masks,
                                           const Run &run) {
  const int64_t vectors = masks.size(), count = rows.indices.size();
  auto initial = [&] {
    SmallVector<Value> result;
    for (ArrayRef<Value> indices : rows.indices)
      for (int64_t v = 0; v < vectors; ++v)
        result.push_back(
            border.init({batch, indices,
                         ix.value(ix.add(column, ix.constant(v * plan.lanes))),
                         plan.lanes, masks[v]}));
    return result;
  };
  if (!run.isFirst)
    return initial();
  Type type = gemm.accumulator;
  if (plan.lanes > 1)
    type = VectorType::get({plan.lanes}, type);
  SmallVector<Type> types(count * vectors, type);
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
  for (int64_t r = 0; r < count; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      later.push_back(loadElements(b, loc, sums,
                                   waiting(ix.add(row, ix.constant(r)), v),
                                   gemm.accumulator, plan.lanes));
  b.create<scf::YieldOp>(loc, later);
  return SmallVector<Value>(choice.getResults());
}

/// What the tile at `row` fetches ahead in B: its part of what follows the run,
/// which the block's first tiles share. Nothing if the plan says no.
GemmPrefetch GemmEmitter::fetchedAhead(OpFoldResult row, const Run &run) {
  int64_t steps = plan.tileColumns();
  for (const auto &k : run.operands.k)
    steps *= IndexBuilder::known(k.extent).value_or(0);
  if (!plan.prefetch || !steps)
    return {};
  int64_t parts = std::min<int64_t>(llvm::bit_floor(uint64_t(llvm::divideCeil(
                                        plan.blockRows, plan.tileRows))),
                                    4);
  OpFoldResult tile =
      ix.div(ix.sub(row, blockStart), ix.constant(plan.tileRows));
  tile = ix.min(tile, ix.constant(parts - 1));
  OpFoldResult start =
      ix.add(ix.constant(steps), ix.mul(tile, ix.constant(steps / parts)));
  return {ix.value(ix.add(run.operands.bOffset, start)), 4 / parts};
}

LogicalResult GemmEmitter::emitTile(ValueRange batch, OpFoldResult row,
                                    int64_t count, OpFoldResult column,
                                    int64_t vectors, Value lastMask,
                                    const Run &run) {
  SmallVector<Value> masks(vectors);
  masks.back() = lastMask;
  TileRows rows = rowsAt(row, count);
  SmallVector<Value> tile = sumsBefore(batch, row, rows, column, masks, run);
  if (llvm::is_contained(tile, nullptr))
    return failure();
  GemmOperands operands = run.operands;
  operands.aOffset = ix.add(operands.aOffset, rows.offset);
  operands.aRows = rows.offsets;
  operands.prefetch = fetchedAhead(row, run);
  // A panel has values for columns that do not exist.
  SmallVector<Value> loadMasks(vectors);
  if (!plan.pack && !gemm.panelColumns)
    loadMasks = masks;
  emitGemmTile(b, loc, operands, plan.lanes, loadMasks, tile);
  auto store = [&]() -> LogicalResult {
    for (int64_t r = 0; r < count; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        if (failed(border.store(
                {batch, rows.indices[r],
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
  for (int64_t r = 0; r < count; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      storeElements(b, loc, tile[r * vectors + v], sums,
                    waiting(ix.add(row, ix.constant(r)), v));
  return success();
}

} // namespace

LogicalResult emitStridedGemm(const StridedGemm &given,
                              KernelEmission &emission,
                              const GemmBorder &border) {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  IndexBuilder ix(b, loc), site(emission.values.site(), loc);
  StridedGemm gemm = normalized(given, site);
  amp::KernelOp kernel = emission.kernel();
  amp::ScheduleAttr schedule = kernel.getScheduleAttr();
  GemmPlans plans(gemm, emission.target, schedule);
  if (schedule)
    if (std::string problem =
            plans.any.problem(gemm, emission.target, schedule);
        !problem.empty())
      return kernel.emitOpError("has an impossible schedule: ") << problem;
  auto emit = [&](const GemmPlan &plan) {
    return GemmEmitter(gemm, plan, emission, border).emit();
  };
  if (!plans.few)
    return emit(plans.any);
  auto choice = b.create<scf::IfOp>(loc, plans.isFew(ix, gemm.rowCount(site)),
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  if (failed(emit(*plans.few)))
    return failure();
  b.setInsertionPointToStart(choice.elseBlock());
  return emit(plans.any);
}

} // namespace ampc::cpu
