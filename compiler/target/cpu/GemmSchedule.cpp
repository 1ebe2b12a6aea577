//===- GemmSchedule.cpp - Schedules that contractions may have ------------===//

#include "compiler/target/cpu/StridedGemm.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace ampc::cpu {

/// Threads that models run on may have small stacks.
static constexpr int64_t kMostScratch = 256 << 10;
/// Row tiles are counted in a table of 64 bits (RowTiles.cpp).
static constexpr int64_t kMostRows = 28;
static constexpr size_t kMostSchedules = 25;

bool GemmPlan::operator==(const GemmPlan &other) const {
  auto all = [](const GemmPlan &p) {
    return std::tuple(p.lanes, p.tileRows, p.tileVectors, p.blockRows, p.pack,
                      p.prefetch, p.runLevel, p.runLength, p.runInner);
  };
  return all(*this) == all(other);
}

static std::optional<int64_t> knownRows(const StridedGemm &gemm) {
  int64_t count = 1;
  for (const StridedGemm::Row &row : gemm.rows) {
    std::optional<int64_t> extent = IndexBuilder::known(row.extent);
    if (!extent)
      return std::nullopt;
    count *= *extent;
  }
  return count;
}

/// Whether B's panels can be copied: how much is copied at a time is known.
static bool canPack(const StridedGemm &gemm, const GemmPlan &plan) {
  return !gemm.panelColumns && plan.lanes > 1 &&
         llvm::all_of(ArrayRef(gemm.k).drop_front(), [](const auto &k) {
           return IndexBuilder::known(k.extent).value_or(0) > 0;
         });
}

/// Whether B can be read where it lies.
static bool canReadInPlace(const StridedGemm &gemm, const GemmPlan &plan) {
  return gemm.panelColumns || plan.lanes == 1 ||
         (gemm.columns.size() == 1 &&
          IndexBuilder::known(gemm.columns[0].bStride));
}

/// Registers of a tile: sums, an operand's rows or vectors, whichever are
/// fewer, and an element of the other.
static int64_t registersFor(int64_t rows, int64_t vectors) {
  return rows * vectors + std::min(rows, vectors) + 1;
}

std::string GemmPlan::problem(const StridedGemm &gemm, const CpuTarget &target,
                              amp::ScheduleAttr schedule) const {
  for (NamedAttribute entry : schedule.getEntries())
    if (!is_contained(ArrayRef<StringRef>{"tile_rows", "tile_vectors",
                                          "block_rows", "k_steps", "pack",
                                          "prefetch"},
                      entry.getName().getValue()))
      return ("contractions know no " + entry.getName().getValue()).str();
  if (tileRows < 1 || tileRows > kMostRows)
    return llvm::formatv("tile_rows is {0}, not 1 to {1}", tileRows, kMostRows);
  if (tileVectors < 1 || tileVectors > target.vectorRegisters)
    return llvm::formatv("tile_vectors is {0}, not 1 to {1}", tileVectors,
                         target.vectorRegisters);
  if (gemm.panelColumns && tileVectors % panelVectors)
    return llvm::formatv("tile_vectors is {0}, no multiple of a panel's {1}",
                         tileVectors, panelVectors);
  if (gemm.panelColumns && tileVectors != panelVectors && (steps || prefetch))
    return "tiles of several panels neither cut k nor fetch ahead";
  if (lanes == 1 && tileVectors != 1)
    return llvm::formatv("tile_vectors is {0} for one column", tileVectors);
  if (registersFor(tileRows, tileVectors) > target.vectorRegisters)
    return llvm::formatv("a tile of {0} rows and {1} vectors takes {2} "
                         "registers, the target has {3}",
                         tileRows, tileVectors,
                         registersFor(tileRows, tileVectors),
                         target.vectorRegisters);
  std::optional<int64_t> rows = knownRows(gemm);
  if (blockRows < 1 || (blockRows % tileRows && !(rows && *rows <= blockRows)))
    return llvm::formatv("block_rows is {0}, neither a multiple of tile_rows "
                         "({1}) nor all rows",
                         blockRows, tileRows);
  if (steps < 0)
    return llvm::formatv("k_steps is {0}", steps);
  for (StringRef name : {"pack", "prefetch"})
    if (int64_t value = schedule.get(name).value_or(0);
        value != 0 && value != 1)
      return llvm::formatv("{0} is {1}, neither 0 nor 1", name, value);
  if (prefetch && !gemm.panelColumns)
    return "prefetch is for operands in panels";
  if (pack && !canPack(gemm, *this))
    return "the operand of this contraction cannot be packed";
  if (!pack && !canReadInPlace(gemm, *this))
    return "the operand of this contraction has to be packed";

  int64_t elements = runLength ? blockRows * tileColumns() : 0;
  if (pack)
    elements +=
        (runLength ? *runLength
                   : IndexBuilder::known(gemm.k[0].extent).value_or(0)) *
        runInner * tileColumns();
  int64_t width = gemm.accumulator.getIntOrFloatBitWidth() / 8;
  if (elements > kMostScratch / width)
    return llvm::formatv("it takes more than {0} KiB of stack",
                         kMostScratch >> 10);
  return "";
}

namespace {

/// Collects different plans that code can be made of, as schedules.
class ScheduleList {
public:
  ScheduleList(const StridedGemm &gemm, const CpuTarget &target,
               MLIRContext *context)
      : gemm(gemm), target(target), context(context), rows(knownRows(gemm)) {}

  /// `plan` with the numbers of its fields; block_rows is made to fit.
  void add(GemmPlan plan) {
    if (plan.tileRows < 1)
      return;
    if (rows && plan.blockRows >= *rows)
      plan.blockRows = std::max<int64_t>(*rows, 1);
    else
      plan.blockRows =
          std::max(plan.blockRows / plan.tileRows, int64_t(1)) * plan.tileRows;
    if (gemm.panelColumns && plan.tileVectors != plan.panelVectors) {
      plan.steps = 0;
      plan.prefetch = false;
    }
    SmallVector<std::pair<StringRef, int64_t>> numbers{
        {"tile_rows", plan.tileRows},
        {"tile_vectors", plan.tileVectors},
        {"block_rows", plan.blockRows},
        {"k_steps", plan.steps}};
    if (gemm.panelColumns)
      numbers.push_back({"prefetch", plan.prefetch});
    else
      numbers.push_back({"pack", plan.pack});
    auto schedule = amp::ScheduleAttr::get(context, ArrayRef(numbers));
    GemmPlan scheduled(gemm, target, schedule);
    if (schedules.size() == kMostSchedules || is_contained(plans, scheduled) ||
        !scheduled.problem(gemm, target, schedule).empty())
      return;
    plans.push_back(scheduled);
    schedules.push_back(schedule);
  }

  SmallVector<amp::ScheduleAttr> schedules;

private:
  const StridedGemm &gemm;
  const CpuTarget &target;
  MLIRContext *context;
  std::optional<int64_t> rows;
  SmallVector<GemmPlan> plans;
};

} // namespace

/// Register tiles beside that of `plan`, the most promising first.
static SmallVector<std::pair<int64_t, int64_t>>
tilesBeside(const GemmPlan &plan, const StridedGemm &gemm,
            const CpuTarget &target) {
  SmallVector<std::pair<int64_t, int64_t>> tiles;
  // The most rows that leave registers for the operands.
  auto tallest = [&](int64_t vectors) {
    int64_t rows = std::min(knownRows(gemm).value_or(kMostRows), kMostRows);
    while (rows > 1 && registersFor(rows, vectors) > target.vectorRegisters)
      --rows;
    return rows;
  };
  if (gemm.panelColumns && plan.tileRows <= 3) {
    // Few rows: what matters is how many panels go in step.
    for (int64_t panels : {2, 4, 1, 3, 6, 8})
      tiles.push_back({plan.tileRows, panels * plan.panelVectors});
    return tiles;
  }
  if (gemm.panelColumns || plan.lanes == 1) {
    int64_t most = tallest(plan.tileVectors);
    for (int64_t rows : {most, plan.tileRows - 2, plan.tileRows / 2})
      tiles.push_back({rows, plan.tileVectors});
    return tiles;
  }
  for (int64_t vectors : {3, 2, 4, 1, 8})
    tiles.push_back({tallest(vectors), vectors});
  return tiles;
}

SmallVector<amp::ScheduleAttr> getGemmSchedules(const StridedGemm &given,
                                                KernelValues &values,
                                                const CpuTarget &target) {
  if (given.pairs)
    return {};
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  StridedGemm gemm = normalized(given, ix);
  const GemmPlan first(gemm, target, nullptr);
  ScheduleList list(gemm, target, values.getKernel().getContext());
  list.add(first);
  if (list.schedules.empty()) // It is past the limits by itself.
    return {};
  // `change` made to the first, and once more with B fetched otherwise.
  auto both = [&](auto change) {
    GemmPlan plan = first;
    change(plan);
    list.add(plan);
    if (gemm.panelColumns) {
      plan.prefetch ^= true;
    } else {
      plan.pack ^= true;
      plan.steps = plan.pack ? 384 : 0;
    }
    list.add(plan);
  };
  auto tiles = tilesBeside(first, gemm, target);
  const int64_t all = knownRows(gemm).value_or(first.blockRows);
  const int64_t blocks[] = {all, 4 * first.tileRows, first.blockRows / 2,
                            2 * first.blockRows, 8 * first.tileRows};
  const int64_t steps[] = {0, 384, 256, 512, 1024, 1536};
  both([](GemmPlan &) {});
  for (auto [rows, vectors] : tiles)
    both([&, rows = rows, vectors = vectors](GemmPlan &plan) {
      plan.tileRows = rows;
      plan.tileVectors = vectors;
    });
  for (int64_t block : ArrayRef(blocks).take_front(2))
    both([&](GemmPlan &plan) { plan.blockRows = block; });
  for (int64_t step : ArrayRef(steps).take_front(2))
    both([&](GemmPlan &plan) { plan.steps = step; });
  // With another tile as well.
  for (int64_t step : steps)
    for (auto [rows, vectors] : ArrayRef(tiles).take_front(1)) {
      GemmPlan plan = first;
      plan.steps = step;
      list.add(plan);
      plan.tileRows = rows;
      plan.tileVectors = vectors;
      list.add(plan);
    }
  for (int64_t block : blocks) {
    GemmPlan plan = first;
    plan.blockRows = block;
    list.add(plan);
    std::tie(plan.tileRows, plan.tileVectors) = tiles.front();
    list.add(plan);
  }
  return list.schedules;
}

} // namespace ampc::cpu
