//===- DotGemm.cpp - Contractions by dot-product instructions -------------===//
//
// An iteration of the parallel loop does a block of rows and some or all of the
// panels, a run of k at a time: as much as can be copied of so many rows. A
// pair of panels then stays in the cache for all tiles of the block, which are
// two by two: that many sums are formed from four loaded tiles. Between runs
// sums wait in memory.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/DotGemm.h"

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Loops.h"
#include "compiler/target/cpu/TileUnit.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

constexpr int64_t kTile = 16;  ///< Rows of a tile of A, columns of one of B.
constexpr int64_t kSteps = 32; ///< k of a tile.
constexpr int64_t kTileElements = kTile * kSteps;
/// Elements of A that are copied at a time, which the second cache holds
/// beside panels of B.
constexpr int64_t kBlockElements = 128 << 10;
constexpr int64_t kMostRows = 128;
/// Elements of B that the second cache keeps.
constexpr int64_t kCachedElements = 512 << 10;
/// Sums that wait between runs of k at most.
constexpr int64_t kWaitingSums = 32 << 10;

int64_t knownExtent(OpFoldResult extent) {
  return IndexBuilder::known(extent).value_or(0);
}

struct DotPlan {
  int64_t channels; ///< Of the innermost k, filled up to whole tiles.
  int64_t steps;    ///< k in all.
  int64_t columns, panels;
  int64_t blockRows;  ///< Rows that are copied together.
  int64_t itemPanels; ///< Panels of an iteration.
  /// Runs of k are cut from the outermost loop of more than one iteration, or
  /// from the tiles of the innermost: so many units of so many k.
  size_t cutLevel = 0;
  int64_t units, unitSteps;
  int64_t runUnits; ///< At most.

  explicit DotPlan(const StridedGemm &gemm) {
    channels = llvm::alignTo(knownExtent(gemm.k.back().extent), kSteps);
    steps = channels;
    for (const auto &k : ArrayRef(gemm.k).drop_back())
      steps *= knownExtent(k.extent);
    columns = knownExtent(gemm.columns[0].extent);
    panels = llvm::divideCeil(columns, kTile);
    const size_t innermost = gemm.k.size() - 1;
    while (cutLevel < innermost && knownExtent(gemm.k[cutLevel].extent) == 1)
      ++cutLevel;
    units = cutLevel < innermost ? knownExtent(gemm.k[cutLevel].extent)
                                 : channels / kSteps;
    unitSteps = units ? steps / units : kSteps;
    blockRows = std::clamp<int64_t>(
        llvm::alignDown(kBlockElements / std::max<int64_t>(unitSteps, 1),
                        2 * kTile),
        kTile, kMostRows);
    std::optional<int64_t> blocks = knownBlocks(gemm);
    runUnits = std::clamp<int64_t>(
        kBlockElements / std::max<int64_t>(blockRows * unitSteps, 1), 1,
        std::max<int64_t>(units, 1));
    // Runs of nearly equal length.
    if (runs())
      runUnits = llvm::divideCeil(units, runs());
    itemPanels = panels;
    if (isCut())
      itemPanels = std::min(
          panels,
          int64_t(llvm::alignDown(kWaitingSums / (blockRows * kTile), 2)));
    // Few blocks are shared out by columns, though each copies its rows.
    constexpr int64_t few = 8;
    if (blocks && *blocks > 0 && *blocks < few) {
      int64_t wanted = llvm::divideCeil(few, *blocks);
      int64_t shared = std::clamp<int64_t>(
          llvm::alignTo(llvm::divideCeil(panels, wanted), 2),
          std::min<int64_t>(8, panels), panels);
      itemPanels = std::min(itemPanels, shared);
    }
  }

  int64_t parts() const {
    return itemPanels ? llvm::divideCeil(panels, itemPanels) : 0;
  }
  int64_t runs() const {
    return runUnits ? llvm::divideCeil(units, runUnits) : 0;
  }
  bool isCut() const { return runs() > 1; }
  /// Whether panels do not stay in the second cache by themselves.
  bool fetchesAhead() const { return panels * kTile * steps > kCachedElements; }
  int64_t runSteps() const { return runUnits * unitSteps; }

private:
  /// Blocks of rows in all products; evens them out.
  std::optional<int64_t> knownBlocks(const StridedGemm &gemm) {
    int64_t rows = 1, products = 1;
    for (const auto &row : gemm.rows) {
      if (!IndexBuilder::known(row.extent))
        return std::nullopt;
      rows *= knownExtent(row.extent);
    }
    for (OpFoldResult size : gemm.batch) {
      if (!IndexBuilder::known(size))
        return std::nullopt;
      products *= knownExtent(size);
    }
    int64_t blocks = llvm::divideCeil(rows, blockRows);
    if (blocks)
      blockRows = llvm::alignTo(llvm::divideCeil(rows, blocks), kTile);
    return blocks * products;
  }
};

class DotEmitter {
public:
  DotEmitter(const StridedGemm &gemm, KernelEmission &emission,
             const GemmBorder &border)
      : gemm(gemm), emission(emission), border(border), b(emission.builder),
        loc(emission.loc()), ix(b, loc), unit(b, loc), plan(gemm) {
    for (const auto &row : gemm.rows)
      extents.push_back(row.extent);
  }

  LogicalResult emit();

private:
  using Coordinates = SmallVector<Value>;

  LogicalResult
  forRows(OpFoldResult first, OpFoldResult from, OpFoldResult to,
          llvm::function_ref<LogicalResult(Value, ArrayRef<Value>)> body);
  Coordinates next(ArrayRef<Value> at);
  void copySteps(size_t level, OpFoldResult source, OpFoldResult target);
  void copyChannels(OpFoldResult source, OpFoldResult target);
  void copyTiles(OpFoldResult source, OpFoldResult target);
  void copyTile(OpFoldResult source, OpFoldResult target, Value mask);
  LogicalResult copyRows(OpFoldResult offset);
  LogicalResult emitPanels(ValueRange batch, OpFoldResult bOffset,
                           OpFoldResult from, OpFoldResult to);
  LogicalResult emitRowTiles(ValueRange batch, OpFoldResult bOffset,
                             OpFoldResult panel, int64_t panels, bool mask);
  LogicalResult emitTiles(ValueRange batch, OpFoldResult bOffset,
                          OpFoldResult rowTile, int64_t rowTiles,
                          OpFoldResult panel, int64_t panels, bool mask);
  void fetchAhead(OpFoldResult step, OpFoldResult rowTile);
  int64_t sumRowStride() const;
  OpFoldResult sumsOf(OpFoldResult rowTile, OpFoldResult panel);
  LogicalResult storeTiles(ValueRange batch, OpFoldResult rowTile,
                           int64_t rowTiles, OpFoldResult panel, int64_t panels,
                           bool mask);

  const StridedGemm &gemm;
  KernelEmission &emission;
  const GemmBorder &border;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  TileUnit unit;
  DotPlan plan;
  SmallVector<OpFoldResult> extents; ///< Of rows.
  Value flatA, block, sums;
  Value bAddress, blockAddress, sumsAddress;
  OpFoldResult blockStart, blockCount; ///< Rows of the current block.
  OpFoldResult itemStart;              ///< The first panel of the iteration.
  OpFoldResult runStart, runCount;     ///< Units of k of the current run.
};

DotEmitter::Coordinates DotEmitter::next(ArrayRef<Value> at) {
  Coordinates result(at);
  Value carry;
  for (size_t level = at.size(); level-- > 0;) {
    Value more = ix.value(ix.add(OpFoldResult(at[level]), ix.constant(1)));
    if (carry)
      more = b.create<arith::SelectOp>(loc, carry, more, at[level]);
    if (level) {
      carry = ix.compare(arith::CmpIPredicate::eq, OpFoldResult(more),
                         extents[level]);
      more =
          b.create<arith::SelectOp>(loc, carry, ix.value(ix.constant(0)), more);
    }
    result[level] = more;
  }
  return result;
}

/// Rows `from` to `to`, counted from row `first`: calls `body` with the number
/// and the coordinates of each.
LogicalResult DotEmitter::forRows(
    OpFoldResult first, OpFoldResult from, OpFoldResult to,
    llvm::function_ref<LogicalResult(Value, ArrayRef<Value>)> body) {
  OpBuilder::InsertionGuard guard(b);
  Coordinates start = ix.delinearize(ix.add(first, from), extents);
  auto loop = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                   ix.value(ix.constant(1)), start);
  b.setInsertionPointToStart(loop.getBody());
  Coordinates at(loop.getRegionIterArgs());
  if (failed(body(loop.getInductionVar(), at)))
    return failure();
  b.create<scf::YieldOp>(loc, next(at));
  return success();
}

/// 32 of the innermost k.
void DotEmitter::copyTile(OpFoldResult source, OpFoldResult target,
                          Value mask) {
  Type element = cast<MemRefType>(flatA.getType()).getElementType();
  Value at = ix.value(source), values;
  if (mask) {
    auto type = VectorType::get({kSteps}, element);
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
    values = b.create<vector::MaskedLoadOp>(loc, type, flatA, at, mask, zero);
  } else {
    values = loadElements(b, loc, flatA, at, element, kSteps);
  }
  // Numbers of bf16 whatever their type, so nothing is rounded.
  values = amp::convertFloat(b, loc, values, b.getBF16Type());
  storeElements(b, loc, values, block, ix.value(target));
}

/// All of the innermost k.
void DotEmitter::copyChannels(OpFoldResult source, OpFoldResult target) {
  const int64_t extent = knownExtent(gemm.k.back().extent),
                whole = extent / kSteps, rest = extent % kSteps;
  auto copy = [&](OpFoldResult tile, Value mask) {
    copyTile(ix.add(source, ix.mul(tile, ix.constant(kSteps))),
             ix.add(target, ix.mul(tile, ix.constant(kTileElements))), mask);
  };
  constexpr int64_t few = 4;
  if (whole <= few)
    for (int64_t tile = 0; tile < whole; ++tile)
      copy(ix.constant(tile), nullptr);
  else
    (void)emitLoop(b, loc, ix.constant(0), ix.constant(whole), 1,
                   [&](Value tile) {
                     copy(tile, nullptr);
                     return success();
                   });
  if (rest)
    copy(ix.constant(whole),
         firstLanes(b, loc, ix.value(ix.constant(rest)), kSteps));
}

/// The tiles of the innermost k that are in the run.
void DotEmitter::copyTiles(OpFoldResult source, OpFoldResult target) {
  const int64_t extent = knownExtent(gemm.k.back().extent);
  (void)emitLoop(b, loc, ix.constant(0), runCount, 1, [&](Value i) {
    OpFoldResult first =
        ix.mul(ix.add(runStart, OpFoldResult(i)), ix.constant(kSteps));
    Value mask;
    if (extent % kSteps)
      mask = firstLanes(b, loc, ix.value(ix.sub(ix.constant(extent), first)),
                        kSteps);
    copyTile(
        ix.add(source, first),
        ix.add(target, ix.mul(OpFoldResult(i), ix.constant(kTileElements))),
        mask);
    return success();
  });
}

/// The k loops from `level` on, of one that is cut those of the run.
void DotEmitter::copySteps(size_t level, OpFoldResult source,
                           OpFoldResult target) {
  const bool cut = plan.isCut() && level == plan.cutLevel;
  if (level + 1 == gemm.k.size())
    return cut ? copyTiles(source, target) : copyChannels(source, target);
  int64_t inner = plan.channels / kSteps * kTileElements;
  for (const auto &k : ArrayRef(gemm.k).drop_front(level + 1).drop_back())
    inner *= knownExtent(k.extent);
  const StridedGemm::KLoop &k = gemm.k[level];
  (void)emitLoop(
      b, loc, ix.constant(0), cut ? runCount : k.extent, 1, [&](Value i) {
        OpFoldResult at = i;
        if (cut)
          at = ix.add(at, runStart);
        copySteps(level + 1, ix.add(source, ix.mul(at, k.aStride)),
                  ix.add(target, ix.mul(OpFoldResult(i), ix.constant(inner))));
        return success();
      });
}

LogicalResult DotEmitter::copyRows(OpFoldResult offset) {
  return forRows(
      blockStart, ix.constant(0), blockCount,
      [&](Value number, ArrayRef<Value> at) {
        OpFoldResult source = offset, row = number;
        for (auto [index, level] : llvm::zip(at, gemm.rows))
          source = ix.add(source, ix.mul(OpFoldResult(index), level.aStride));
        OpFoldResult tile = ix.constant(kTile);
        OpFoldResult target = ix.add(
            ix.mul(ix.div(row, tile), ix.constant(kTile * plan.runSteps())),
            ix.mul(ix.rem(row, tile), ix.constant(kSteps)));
        copySteps(0, source, target);
        return success();
      });
}

/// What the next two panels have for these steps comes into the cache while
/// these are multiplied: each pair of row tiles fetches a share of its lines.
void DotEmitter::fetchAhead(OpFoldResult step, OpFoldResult rowTile) {
  constexpr int64_t bytes = 2, line = 64;
  const int64_t shares =
                    std::clamp<int64_t>(plan.blockRows / (2 * kTile), 1, 4),
                lines = kTileElements * bytes / line / shares;
  OpFoldResult share =
      ix.rem(ix.div(rowTile, ix.constant(2)), ix.constant(shares));
  OpFoldResult at = ix.add(step, ix.mul(share, ix.constant(lines * line)));
  for (int64_t panel : {2, 3}) {
    OpFoldResult ahead =
        ix.add(at, ix.mul(gemm.panelStride, ix.constant(bytes * panel)));
    for (int64_t i = 0; i < lines; ++i)
      unit.fetch(ix.value(ix.add(ahead, ix.constant(i * line))));
  }
}

/// Sums of up to 2 x 2 tiles: registers 0 to 3, by rows. 4 and 5 are of A, 6
/// and 7 of B.
LogicalResult DotEmitter::emitTiles(ValueRange batch, OpFoldResult bOffset,
                                    OpFoldResult rowTile, int64_t rowTiles,
                                    OpFoldResult panel, int64_t panels,
                                    bool mask) {
  const int64_t bytes = 2;
  auto bytesFrom = [&](Value address, OpFoldResult elements) {
    return ix.add(OpFoldResult(address), ix.mul(elements, ix.constant(bytes)));
  };
  OpFoldResult blockTile = ix.constant(kTile * plan.runSteps());
  OpFoldResult a = bytesFrom(blockAddress, ix.mul(rowTile, blockTile));
  OpFoldResult inPanel = ix.mul(runStart, ix.constant(plan.unitSteps * kTile));
  OpFoldResult p = bytesFrom(bAddress, ix.add(ix.add(bOffset, inPanel),
                                              ix.mul(panel, gemm.panelStride)));
  auto forTiles = [&](llvm::function_ref<void(int, Value)> body) {
    OpFoldResult at =
        ix.add(OpFoldResult(sumsAddress),
               ix.mul(sumsOf(rowTile, panel), ix.constant(sizeof(float))));
    for (int64_t i = 0; i < rowTiles; ++i)
      for (int64_t j = 0; j < panels; ++j)
        body(2 * i + j,
             ix.value(ix.add(at, ix.constant((i * sumRowStride() + j) * kTile *
                                             kTile * sizeof(float)))));
  };
  const int64_t sumRow = kTile * sizeof(float);
  auto zero = [&](int tile, Value) { unit.zero(tile); };
  if (plan.isCut()) {
    Value isFirst =
        ix.compare(arith::CmpIPredicate::eq, runStart, ix.constant(0));
    auto choice = b.create<scf::IfOp>(loc, isFirst, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    forTiles(zero);
    b.setInsertionPointToStart(choice.elseBlock());
    forTiles([&](int tile, Value at) { unit.load(tile, at, sumRow); });
  } else {
    forTiles(zero);
  }
  (void)emitLoop(
      b, loc, ix.constant(0),
      ix.mul(runCount, ix.constant(plan.unitSteps / kSteps)), 1, [&](Value k) {
        OpFoldResult step =
            ix.mul(OpFoldResult(k), ix.constant(bytes * kTileElements));
        OpFoldResult aStep = ix.add(a, step), bStep = ix.add(p, step);
        const int64_t row = bytes * kSteps;
        auto loadB = [&](int64_t j) {
          unit.load(6 + j,
                    ix.value(ix.add(bStep, ix.mul(gemm.panelStride,
                                                  ix.constant(bytes * j)))),
                    row);
        };
        for (int64_t i = 0; i < rowTiles; ++i) {
          unit.load(4 + i,
                    ix.value(ix.add(aStep,
                                    ix.mul(blockTile, ix.constant(bytes * i)))),
                    row);
          for (int64_t j = 0; j < panels; ++j) {
            if (i == 0)
              loadB(j);
            unit.multiplyAdd(2 * i + j, 4 + i, 6 + j);
          }
        }
        if (panels == 2 && plan.fetchesAhead())
          fetchAhead(bStep, rowTile);
        return success();
      });
  forTiles([&](int tile, Value at) { unit.store(tile, at, sumRow); });
  auto store = [&] {
    return storeTiles(batch, rowTile, rowTiles, panel, panels, mask);
  };
  if (!plan.isCut())
    return store();
  Value isLast =
      ix.compare(arith::CmpIPredicate::eq, ix.add(runStart, runCount),
                 ix.constant(plan.units));
  auto choice = b.create<scf::IfOp>(loc, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  return store();
}

/// Tiles of sums from one row of tiles to the next.
int64_t DotEmitter::sumRowStride() const {
  return plan.isCut() ? plan.itemPanels : 2;
}

/// Where the sums of a tile lie: one after the other if they wait for the next
/// run, else all in one place.
OpFoldResult DotEmitter::sumsOf(OpFoldResult rowTile, OpFoldResult panel) {
  if (!plan.isCut())
    return ix.constant(0);
  return ix.mul(ix.add(ix.mul(rowTile, ix.constant(plan.itemPanels)),
                       ix.sub(panel, itemStart)),
                ix.constant(kTile * kTile));
}

LogicalResult DotEmitter::storeTiles(ValueRange batch, OpFoldResult rowTile,
                                     int64_t rowTiles, OpFoldResult panel,
                                     int64_t panels, bool mask) {
  OpFoldResult first = ix.mul(rowTile, ix.constant(kTile));
  OpFoldResult last =
      ix.min(ix.add(first, ix.constant(rowTiles * kTile)), blockCount);
  OpFoldResult base = sumsOf(rowTile, panel);
  return forRows(
      ix.add(blockStart, first), ix.constant(0), ix.sub(last, first),
      [&](Value row, ArrayRef<Value> at) -> LogicalResult {
        OpFoldResult r = row, tile = ix.constant(kTile);
        OpFoldResult rowSums = ix.add(
            base, ix.add(ix.mul(ix.div(r, tile),
                                ix.constant(sumRowStride() * kTile * kTile)),
                         ix.mul(ix.rem(r, tile), tile)));
        for (int64_t j = 0; j < panels; ++j) {
          OpFoldResult column =
              ix.mul(ix.add(panel, ix.constant(j)), ix.constant(kTile));
          Value lanes;
          if (mask && j + 1 == panels)
            lanes = firstLanes(
                b, loc, ix.value(ix.sub(ix.constant(plan.columns), column)),
                kTile);
          GemmBorder::Place place{batch, at, ix.value(column), kTile, lanes};
          Value start = border.init(place);
          if (!start)
            return failure();
          Value sum = loadElements(
              b, loc, sums,
              ix.value(ix.add(rowSums, ix.constant(j * kTile * kTile))),
              gemm.accumulator, kTile);
          sum = b.create<arith::AddFOp>(loc, sum, start);
          if (failed(border.store(place, sum)))
            return failure();
        }
        return success();
      });
}

LogicalResult DotEmitter::emitRowTiles(ValueRange batch, OpFoldResult bOffset,
                                       OpFoldResult panel, int64_t panels,
                                       bool mask) {
  OpFoldResult tiles = ix.ceilDiv(blockCount, kTile), two = ix.constant(2);
  OpFoldResult pairs = ix.mul(ix.div(tiles, two), two);
  if (plan.blockRows > kTile &&
      failed(emitLoop(b, loc, ix.constant(0), pairs, 2, [&](Value tile) {
        return emitTiles(batch, bOffset, tile, 2, panel, panels, mask);
      })))
    return failure();
  return emitLoop(b, loc, pairs, tiles, 1, [&](Value tile) {
    return emitTiles(batch, bOffset, tile, 1, panel, panels, mask);
  });
}

/// Panels `from` to `to`, two at a time; the last one or two may have columns
/// that do not exist.
LogicalResult DotEmitter::emitPanels(ValueRange batch, OpFoldResult bOffset,
                                     OpFoldResult from, OpFoldResult to) {
  const int64_t whole = plan.columns / (2 * kTile) * 2,
                rest = plan.panels - whole;
  if (failed(emitLoop(b, loc, from, ix.min(to, ix.constant(whole)), 2,
                      [&](Value panel) {
                        return emitRowTiles(batch, bOffset, panel, 2, false);
                      })))
    return failure();
  if (!rest)
    return success();
  return emitLoop(b, loc, ix.max(from, ix.constant(whole)), to, rest,
                  [&](Value panel) {
                    return emitRowTiles(batch, bOffset, panel, rest,
                                        plan.columns % kTile != 0);
                  });
}

LogicalResult DotEmitter::emit() {
  KernelValues &values = emission.values;
  OpBuilder &site = values.site();
  IndexBuilder siteIx(site, loc);
  auto scratch = [&](int64_t elements, Type type) {
    return site.create<memref::AllocaOp>(
        loc, MemRefType::get({std::max<int64_t>(elements, 1)}, type),
        site.getI64IntegerAttr(64));
  };
  flatA = values.flat(gemm.a);
  block = scratch(plan.blockRows * plan.runSteps(), b.getBF16Type());
  sums = scratch(plan.isCut() ? plan.blockRows * plan.itemPanels * kTile
                              : 4 * kTile * kTile,
                 gemm.accumulator);
  TileUnit siteUnit(site, loc);
  bAddress = siteUnit.addressOf(gemm.b);
  blockAddress = siteUnit.addressOf(block);
  sumsAddress = siteUnit.addressOf(sums);
  OpFoldResult rows = gemm.rowCount(siteIx);
  OpFoldResult blocks = siteIx.ceilDiv(rows, plan.blockRows);
  unit.configure(site);
  if (failed(emitLoop(b, loc, emission.lo, emission.hi, 1, [&](Value item) {
        OpFoldResult rest = item, parts = ix.constant(plan.parts());
        OpFoldResult from =
            ix.mul(ix.rem(rest, parts), ix.constant(plan.itemPanels));
        OpFoldResult to = ix.min(ix.add(from, ix.constant(plan.itemPanels)),
                                 ix.constant(plan.panels));
        rest = ix.div(rest, parts);
        blockStart = ix.mul(ix.rem(rest, blocks), ix.constant(plan.blockRows));
        blockCount =
            ix.min(ix.sub(rows, blockStart), ix.constant(plan.blockRows));
        SmallVector<Value> batch =
            ix.delinearize(ix.div(rest, blocks), gemm.batch);
        itemStart = from;
        std::pair<OpFoldResult, OpFoldResult> offsets = gemm.offsets(ix, batch);
        auto run = [&] {
          if (failed(copyRows(offsets.first)))
            return failure();
          return emitPanels(batch, offsets.second, from, to);
        };
        runStart = ix.constant(0);
        runCount = ix.constant(plan.units);
        if (!plan.isCut())
          return run();
        return emitLoop(
            b, loc, runStart, runCount, plan.runUnits, [&](Value first) {
              runStart = first;
              runCount = ix.min(ix.constant(plan.runUnits),
                                ix.sub(ix.constant(plan.units), runStart));
              return run();
            });
      })))
    return failure();
  unit.release();
  return success();
}

} // namespace

std::string dotProblem(const StridedGemm &gemm, const CpuTarget &target) {
  if (!target.hasTiles)
    return "the target has no dot-product instructions for bf16";
  if (gemm.panelColumns != kTile || gemm.columns.size() != 1 ||
      !gemm.innerBatch.empty())
    return "its panels are not of 16 columns";
  if (!IndexBuilder::isConstant(gemm.k.back().aStride, 1))
    return "what it sums over is not adjacent in its left operand";
  for (const auto &k : gemm.k)
    if (!IndexBuilder::known(k.extent))
      return "how much it sums over is not known at compile time";
  auto type = cast<MemRefType>(gemm.a.getType()).getElementType();
  if ((!type.isBF16() && !type.isF32()) || !gemm.accumulator.isF32())
    return "it does not add products of bf16 in f32";
  return "";
}

ParallelRange getDotGemmRange(const StridedGemm &gemm, KernelValues &values) {
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  DotPlan plan(gemm);
  OpFoldResult rows = gemm.rowCount(ix);
  Value count = ix.value(
      ix.mul(ix.product(gemm.batch), ix.mul(ix.ceilDiv(rows, plan.blockRows),
                                            ix.constant(plan.parts()))));
  // Sixteen times the products of fused multiply-adds.
  double cost = std::min<double>(guessedSize(rows), plan.blockRows) *
                plan.itemPanels * plan.steps / 16;
  return {count, grainFor(cost)};
}

LogicalResult emitDotGemm(const StridedGemm &gemm, KernelEmission &emission,
                          const GemmBorder &border) {
  if (std::string problem = dotProblem(gemm, emission.target); !problem.empty())
    return emission.kernel().emitOpError("cannot take its operands in pairs: ")
           << problem;
  return DotEmitter(gemm, emission, border).emit();
}

} // namespace ampc::cpu
