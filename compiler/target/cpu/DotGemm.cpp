//===- DotGemm.cpp - Contractions by dot-product instructions -------------===//
//
// An iteration of the parallel loop does a block of rows and some or all of the
// panels. The block is copied once; a pair of panels then stays in the cache
// for all of its tiles, which are two by two: that many sums are formed from
// four loaded tiles.
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

int64_t knownExtent(OpFoldResult extent) {
  return IndexBuilder::known(extent).value_or(0);
}

struct DotPlan {
  int64_t channels; ///< Of the innermost k, filled up to whole tiles.
  int64_t steps;    ///< k in all.
  int64_t columns, panels;
  int64_t blockRows;  ///< Rows that are copied together.
  int64_t itemPanels; ///< Panels of an iteration.

  explicit DotPlan(const StridedGemm &gemm) {
    channels = llvm::alignTo(knownExtent(gemm.k.back().extent), kSteps);
    steps = channels;
    for (const auto &k : ArrayRef(gemm.k).drop_back())
      steps *= knownExtent(k.extent);
    columns = knownExtent(gemm.columns[0].extent);
    panels = llvm::divideCeil(columns, kTile);
    blockRows = std::clamp<int64_t>(
        llvm::alignDown(kBlockElements / std::max<int64_t>(steps, 1),
                        2 * kTile),
        kTile, kMostRows);
    itemPanels = panels;
    std::optional<int64_t> blocks = knownBlocks(gemm);
    // Few blocks are shared out by columns, though each copies its rows.
    constexpr int64_t few = 8;
    if (blocks && *blocks > 0 && *blocks < few) {
      int64_t parts = llvm::divideCeil(few, *blocks);
      itemPanels =
          std::clamp<int64_t>(llvm::alignTo(llvm::divideCeil(panels, parts), 2),
                              std::min<int64_t>(8, panels), panels);
    }
  }

  int64_t parts() const {
    return itemPanels ? llvm::divideCeil(panels, itemPanels) : 0;
  }

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
  void copyRun(OpFoldResult source, OpFoldResult target);
  LogicalResult copyRows(OpFoldResult offset);
  LogicalResult emitPanels(ValueRange batch, OpFoldResult bOffset,
                           OpFoldResult from, OpFoldResult to);
  LogicalResult emitRowTiles(ValueRange batch, OpFoldResult bOffset,
                             OpFoldResult panel, int64_t panels, bool mask);
  LogicalResult emitTiles(ValueRange batch, OpFoldResult bOffset,
                          OpFoldResult rowTile, int64_t rowTiles,
                          OpFoldResult panel, int64_t panels, bool mask);
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

/// The innermost k, a tile's width at a time.
void DotEmitter::copyRun(OpFoldResult source, OpFoldResult target) {
  Type element = cast<MemRefType>(flatA.getType()).getElementType();
  const int64_t extent = knownExtent(gemm.k.back().extent),
                whole = extent / kSteps, rest = extent % kSteps;
  auto copy = [&](OpFoldResult step, Value mask) {
    Value at = ix.value(ix.add(source, ix.mul(step, ix.constant(kSteps))));
    Value values;
    if (mask) {
      auto type = VectorType::get({kSteps}, element);
      Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
      values = b.create<vector::MaskedLoadOp>(loc, type, flatA, at, mask, zero);
    } else {
      values = loadElements(b, loc, flatA, at, element, kSteps);
    }
    // Numbers of bf16 whatever their type, so nothing is rounded.
    values = amp::convertFloat(b, loc, values, b.getBF16Type());
    Value to =
        ix.value(ix.add(target, ix.mul(step, ix.constant(kTileElements))));
    storeElements(b, loc, values, block, to);
  };
  constexpr int64_t few = 4;
  if (whole <= few)
    for (int64_t step = 0; step < whole; ++step)
      copy(ix.constant(step), nullptr);
  else
    (void)emitLoop(b, loc, ix.constant(0), ix.constant(whole), 1,
                   [&](Value step) {
                     copy(step, nullptr);
                     return success();
                   });
  if (rest)
    copy(ix.constant(whole),
         firstLanes(b, loc, ix.value(ix.constant(rest)), kSteps));
}

/// The k loops from `level` on; `target` counts tiles of k.
void DotEmitter::copySteps(size_t level, OpFoldResult source,
                           OpFoldResult target) {
  if (level + 1 == gemm.k.size())
    return copyRun(source, target);
  int64_t inner = plan.channels / kSteps * kTileElements;
  for (const auto &k : ArrayRef(gemm.k).drop_front(level + 1).drop_back())
    inner *= knownExtent(k.extent);
  const StridedGemm::KLoop &k = gemm.k[level];
  (void)emitLoop(b, loc, ix.constant(0), k.extent, 1, [&](Value i) {
    copySteps(level + 1, ix.add(source, ix.mul(OpFoldResult(i), k.aStride)),
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
        OpFoldResult target =
            ix.add(ix.mul(ix.div(row, tile), ix.constant(kTile * plan.steps)),
                   ix.mul(ix.rem(row, tile), ix.constant(kSteps)));
        copySteps(0, source, target);
        return success();
      });
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
  OpFoldResult blockTile = ix.constant(kTile * plan.steps);
  OpFoldResult a = bytesFrom(blockAddress, ix.mul(rowTile, blockTile));
  OpFoldResult p =
      bytesFrom(bAddress, ix.add(bOffset, ix.mul(panel, gemm.panelStride)));
  for (int64_t i = 0; i < rowTiles; ++i)
    for (int64_t j = 0; j < panels; ++j)
      unit.zero(2 * i + j);
  (void)emitLoop(
      b, loc, ix.constant(0), ix.constant(plan.steps / kSteps), 1,
      [&](Value k) {
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
        return success();
      });
  const int64_t sumRow = 2 * kTile * sizeof(float);
  for (int64_t i = 0; i < rowTiles; ++i)
    for (int64_t j = 0; j < panels; ++j)
      unit.store(2 * i + j,
                 ix.value(ix.add(OpFoldResult(sumsAddress),
                                 ix.constant(i * kTile * sumRow +
                                             j * kTile * sizeof(float)))),
                 sumRow);
  return storeTiles(batch, rowTile, rowTiles, panel, panels, mask);
}

LogicalResult DotEmitter::storeTiles(ValueRange batch, OpFoldResult rowTile,
                                     int64_t rowTiles, OpFoldResult panel,
                                     int64_t panels, bool mask) {
  OpFoldResult first = ix.mul(rowTile, ix.constant(kTile));
  OpFoldResult last =
      ix.min(ix.add(first, ix.constant(rowTiles * kTile)), blockCount);
  return forRows(
      ix.add(blockStart, first), ix.constant(0), ix.sub(last, first),
      [&](Value row, ArrayRef<Value> at) -> LogicalResult {
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
              ix.value(ix.add(ix.mul(OpFoldResult(row), ix.constant(2 * kTile)),
                              ix.constant(j * kTile))),
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
  block = scratch(plan.blockRows * plan.steps, b.getBF16Type());
  sums = scratch(4 * kTile * kTile, gemm.accumulator);
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
        auto [aOffset, bOffset] = gemm.offsets(ix, batch);
        if (failed(copyRows(aOffset)))
          return failure();
        return emitPanels(batch, bOffset, from, to);
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
