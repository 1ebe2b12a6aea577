//===- GemmPlan.cpp - How the loops of a contraction are cut --------------===//

#include "compiler/target/cpu/DotGemm.h"
#include "compiler/target/cpu/StridedGemm.h"

using namespace mlir;

namespace ampc::cpu {

/// The number of rows or columns, if it is known.
template <typename Dims>
static std::optional<int64_t> knownCount(const Dims &dims) {
  int64_t count = 1;
  for (const auto &dim : dims) {
    std::optional<int64_t> extent = IndexBuilder::known(dim.extent);
    if (!extent)
      return std::nullopt;
    count *= *extent;
  }
  return count;
}

/// Sums that leave registers for a row of vectors of B and an element of A.
static int64_t sumsInRegisters(const CpuTarget &target) {
  return target.vectorRegisters >= 32 ? 24 : 12;
}
/// Sums that are formed side by side until the first can go on: two
/// multiplications each of the four cycles that one takes.
constexpr int64_t kSumsInFlight = 8;

/// Whether panels of B do not stay in the cache by themselves.
static bool isLarge(const StridedGemm &gemm) {
  constexpr int64_t cacheBytes = 256 << 10;
  int64_t bytes =
      gemm.accumulator.getIntOrFloatBitWidth() / 8 * gemm.panelColumns *
      llvm::divideCeil(knownCount(gemm.columns).value_or(1), gemm.panelColumns);
  for (const auto &k : gemm.k)
    bytes *= IndexBuilder::known(k.extent).value_or(1);
  return bytes > cacheBytes;
}

GemmPlan::GemmPlan(const StridedGemm &gemm, const CpuTarget &target,
                   amp::ScheduleAttr schedule, std::optional<int64_t> mostRows)
    : mostRows(mostRows) {
  auto follow = [&](StringRef name, auto &field) {
    if (auto number = schedule ? schedule.get(name) : std::nullopt)
      field = *number;
  };
  planTiles(gemm, target);
  follow("tile_rows", tileRows);
  follow("tile_vectors", tileVectors);
  follow("block_rows", blockRows);
  follow("pack", pack);
  const bool onePanel = gemm.panelColumns && tileVectors == panelVectors;
  prefetch = onePanel && isLarge(gemm);
  follow("prefetch", prefetch);
  // What of B is copied at a time should fit the first cache beside rows of A;
  // what only streams by may take more.
  steps = pack ? 384 : onePanel ? 768 : 0;
  follow("k_steps", steps);
  if (steps > 0)
    planRuns(gemm, steps);
  else if (pack)
    planRuns(gemm, INT64_MAX >> 16); // One run, which has inner loops too.
}

GemmPlans::GemmPlans(const StridedGemm &gemm, const CpuTarget &target,
                     amp::ScheduleAttr schedule)
    : any(gemm, target, schedule) {
  if (!schedule && gemm.panelColumns && gemm.fewRowsAreLikely &&
      !knownCount(gemm.rows))
    few.emplace(gemm, target, schedule,
                sumsInRegisters(target) / kSumsInFlight);
}

void GemmPlan::planPanels(const StridedGemm &gemm, int64_t sums) {
  std::optional<int64_t> rows = knownCount(gemm.rows);
  if (!rows)
    rows = mostRows;
  while (gemm.panelColumns % lanes)
    lanes /= 2;
  panelVectors = gemm.panelColumns / lanes;
  tileVectors = panelVectors;
  const int64_t panels =
      llvm::divideCeil(knownCount(gemm.columns).value_or(1), gemm.panelColumns);
  if (rows && *rows > 0 && *rows <= sums / kSumsInFlight) {
    // Few rows: several panels in step, each of which is read in order.
    tileVectors *= std::max<int64_t>(
        std::min({int64_t(llvm::divideCeil(kSumsInFlight, panelVectors)),
                  sums / (*rows * panelVectors), panels}),
        1);
    tileRows = blockRows = *rows;
    return;
  }
  tileRows = std::max<int64_t>(sums / tileVectors, 1);
  // The rows of a block are read again for each panel: they should stay in
  // the second cache. Fewer would read panels too often.
  constexpr int64_t cacheBytes = 256 << 10, least = 192, most = 384;
  int64_t bytes =
      gemm.accumulator.getIntOrFloatBitWidth() / 8 *
      IndexBuilder::known(gemm.rows.back().aStride).value_or(kGuessedSize);
  blockRows = std::clamp<int64_t>(cacheBytes / std::max<int64_t>(bytes, 1),
                                  least, most);
  if (rows && *rows > 0) // Even blocks.
    blockRows = llvm::divideCeil(
        *rows, std::max<int64_t>(*rows / (blockRows + blockRows / 2), 1));
  // Blocks enough for several threads, where there are few columns.
  constexpr int64_t items = 16;
  int64_t others = panels;
  for (OpFoldResult size : gemm.batch)
    others *= std::max<int64_t>(IndexBuilder::known(size).value_or(1), 1);
  if (others < items) {
    int64_t share =
        rows ? llvm::divideCeil(*rows, llvm::divideCeil(items, others))
             : least / 2;
    blockRows = std::min(blockRows, std::max(share, 4 * tileRows));
  }
  if (!rows || *rows > blockRows)
    blockRows = llvm::alignTo(blockRows, tileRows);
}

void GemmPlan::planTiles(const StridedGemm &gemm, const CpuTarget &target) {
  lanes = target.lanes(gemm.accumulator.getIntOrFloatBitWidth());
  const int64_t sums = sumsInRegisters(target);
  if (gemm.panelColumns)
    return planPanels(gemm, sums);
  std::optional<int64_t> rows = knownCount(gemm.rows),
                         columns = knownCount(gemm.columns);
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
  for (const auto &k : ArrayRef(gemm.k).drop_front())
    if (IndexBuilder::known(k.extent).value_or(0) == 0)
      return;
  bool scattered = gemm.columns.size() > 1 ||
                   !IndexBuilder::isConstant(gemm.columns[0].bStride, 1);
  bool near = gemm.columns.size() == 1 &&
              IndexBuilder::known(gemm.columns[0].bStride).value_or(9) <= 2;
  pack = columns != 1 && ((scattered && !(near && rows && *rows < 4)) ||
                          (rows && *rows > 2 * tileRows));
}

void GemmPlan::planRuns(const StridedGemm &gemm, int64_t steps) {
  // The outermost loop whose inner loops fit.
  for (runLevel = gemm.k.size() - 1; runLevel > 0; --runLevel) {
    std::optional<int64_t> extent =
        IndexBuilder::known(gemm.k[runLevel].extent);
    if (!extent || *extent == 0 || runInner * *extent > steps)
      break;
    runInner *= *extent;
  }
  int64_t length = std::max<int64_t>(1, steps / runInner);
  std::optional<int64_t> extent = IndexBuilder::known(gemm.k[runLevel].extent);
  if (extent && *extent > 0) {
    if (runLevel == 0 && *extent <= length)
      return;
    // Even runs.
    length = llvm::divideCeil(*extent, llvm::divideCeil(*extent, length));
  }
  runLength = length;
}

/// Fills in where a panel has its k, and merges loops.
StridedGemm normalized(const StridedGemm &gemm, IndexBuilder &ix) {
  StridedGemm result = gemm;
  if (gemm.panelColumns)
    setPanelStrides(result.k, gemm.panelColumns, ix);
  collapseKLoops(result.k, ix);
  return result;
}

void setPanelStrides(MutableArrayRef<StridedGemm::KLoop> loops, int64_t width,
                     IndexBuilder &ix) {
  OpFoldResult stride = ix.constant(width);
  for (auto &loop : llvm::reverse(loops)) {
    loop.bStride = stride;
    stride = ix.mul(stride, loop.extent);
  }
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

ParallelRange getGemmRange(const StridedGemm &given, KernelValues &values,
                           const CpuTarget &target) {
  if (given.pairs)
    return getDotGemmRange(given, values);
  Location loc = values.getKernel().getLoc();
  IndexBuilder ix(values.site(), loc);
  StridedGemm gemm = normalized(given, ix);
  GemmPlans plans(gemm, target, values.getKernel().getScheduleAttr());
  OpFoldResult rows = gemm.rowCount(ix), columns = gemm.columnCount(ix);
  auto countFor = [&](const GemmPlan &plan) {
    return ix.value(ix.mul(ix.product(gemm.batch),
                           ix.mul(ix.ceilDiv(rows, plan.blockRows),
                                  ix.ceilDiv(columns, plan.tileColumns()))));
  };
  const GemmPlan &plan = plans.any;
  Value count = countFor(plan);
  if (plans.few)
    count = values.site().createOrFold<arith::SelectOp>(
        loc, plans.isFew(ix, rows), countFor(*plans.few), count);
  double cost =
      std::min<double>(guessedSize(rows), plan.blockRows) * plan.tileVectors;
  for (OpFoldResult size : gemm.innerBatch)
    cost *= guessedSize(size);
  for (const auto &k : gemm.k)
    cost *= guessedSize(k.extent);
  return {count, grainFor(cost)};
}

} // namespace ampc::cpu
