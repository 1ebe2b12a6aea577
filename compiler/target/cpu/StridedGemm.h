//===- StridedGemm.h - The loops of every contraction -----------*- C++ -*-===//
//
// The one emitter of contractions:
//
//   C[m, n] = store(init(m, n) + sum_k A[a0 + row(m) + k . aStrides]
//                                    * B[b0 + column(n) + k . bStrides])
//
// for every product of a batch, where k runs through a nest of loops, in order,
// row(m) is m's offset in a row-major space of rows and column(n) is n's in one
// of columns. A matrix product has one k loop and one dimension of each. A
// convolution has a k loop for each dimension of the filter and one for the
// input channels. Over N...C the output pixels are its rows and A is the image;
// over NC... they are the columns and B is the image.
//
// Each sum is one chain of fused multiply-adds (for integers, of
// multiplications and additions that wrap) from its initial value on, k
// ascending. Tiles, blocks, packing and threads never change that, so neither
// the bits.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_STRIDEDGEMM_H
#define AMPC_TARGET_CPU_STRIDEDGEMM_H

#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"

namespace ampc::cpu {

/// What a contraction's loops are made of. All strides and offsets count
/// elements; sizes that are attributes are known from types.
struct StridedGemm {
  using Index = mlir::OpFoldResult;

  struct KLoop {
    Index extent, aStride, bStride;
  };
  struct Row {
    Index extent, aStride;
  };
  struct Column {
    Index extent, bStride;
  };

  /// Products that may run in parallel, and within those such that one thread
  /// should do in turn (rows of an image).
  llvm::SmallVector<Index> batch, innerBatch;
  llvm::SmallVector<Row> rows;       ///< Outermost first.
  llvm::SmallVector<Column> columns; ///< Outermost first.
  llvm::SmallVector<KLoop> k;        ///< Outermost first: the order of the sum.
  /// If not 0, B lies in panels of so many columns each, one after the other;
  /// in a panel the columns of each k are adjacent. The strides of columns then
  /// have no meaning.
  int64_t panelColumns = 0;
  Index panelStride; ///< Between panels.
  /// Whether panels hold pairs of the innermost k (see amp.matmul), filled up
  /// to multiples of 32, for DotGemm.
  bool pairs = false;
  /// Whether a number of rows that is not known is worth code for a few.
  bool fewRowsAreLikely = false;
  mlir::Type accumulator; ///< f32, f64 or an integer type.
  mlir::Value a, b;       ///< Buffers among the kernel's operands.
  bool unsignedA = false, unsignedB = false;

  /// The offset in `a` and `b` of a product, given its batch indices, those of
  /// `innerBatch` last.
  std::function<std::pair<Index, Index>(IndexBuilder &, mlir::ValueRange)>
      offsets;

  Index rowCount(IndexBuilder &ix) const {
    Index count = ix.constant(1);
    for (const Row &row : rows)
      count = ix.mul(count, row.extent);
    return count;
  }
  Index columnCount(IndexBuilder &ix) const {
    Index count = ix.constant(1);
    for (const Column &column : columns)
      count = ix.mul(count, column.extent);
    return count;
  }
};

/// Where sums start and where they go. Called at each tile, with the first of
/// `lanes` columns; `mask` (may be null) tells which of them exist.
struct GemmBorder {
  struct Place {
    mlir::ValueRange batch;
    mlir::ValueRange row; ///< An index for each of StridedGemm::rows.
    mlir::Value column;
    int64_t lanes;
    mlir::Value mask;
  };
  std::function<mlir::Value(const Place &)> init;
  std::function<llvm::LogicalResult(const Place &, mlir::Value sum)> store;
};

/// How the loops are cut. Follows from what is known of the sizes, and from the
/// schedule where it says something:
///
///   tile_rows, tile_vectors  the register tile; of panels, whole ones
///   block_rows               rows that share one panel of B
///   k_steps                  a run's length at most; 0: k is not cut
///   pack                     1: panels of B are copied, unless B has them
///   prefetch                 1: tiles fetch the next of B's panels
struct GemmPlan {
  int64_t lanes;       ///< Elements of a vector of columns.
  int64_t tileRows;    ///< Rows of a register tile.
  int64_t tileVectors; ///< Vectors of columns of a register tile.
  int64_t blockRows;   ///< Rows that share one panel of B.
  /// Vectors that follow each other in B; the next ones are in the next panel.
  int64_t panelVectors = 0;
  /// Rows that there are at most, if less than any number.
  std::optional<int64_t> mostRows;
  /// Whether panels of B (k by a tile's columns) are copied before use: columns
  /// then need not be adjacent, and rows of B not be near each other.
  bool pack = false;
  /// Whether tiles fetch what follows in B's panels into the cache.
  bool prefetch = false;
  /// k is cut into runs, between which sums wait in memory: the loops outside
  /// of `runLevel` are walked one by one, that loop `runLength` iterations at a
  /// time. Those inside take `runInner` steps together.
  size_t runLevel = 0;
  std::optional<int64_t> runLength; ///< Empty: k is not cut.
  int64_t runInner = 1;
  int64_t steps; ///< Of k, that a run may have; 0: k is not cut.

  int64_t tileColumns() const { return lanes * tileVectors; }
  bool operator==(const GemmPlan &other) const;

  /// For the rows that the contraction has, which are `mostRows` at most.
  /// `schedule` may be null. An impossible one makes an impossible plan.
  GemmPlan(const StridedGemm &gemm, const CpuTarget &target,
           amp::ScheduleAttr schedule,
           std::optional<int64_t> mostRows = std::nullopt);

  /// What code cannot be made of, in words; empty: nothing.
  std::string problem(const StridedGemm &gemm, const CpuTarget &target,
                      amp::ScheduleAttr schedule) const;

private:
  void planTiles(const StridedGemm &gemm, const CpuTarget &target);
  void planPanels(const StridedGemm &gemm, int64_t sums);
  void planRuns(const StridedGemm &gemm, int64_t steps);
};

/// The plan of a contraction; where the number of its rows is not known before
/// it runs, and no schedule says more, also one for `few->mostRows` rows or
/// less.
struct GemmPlans {
  GemmPlan any;
  std::optional<GemmPlan> few;

  GemmPlans(const StridedGemm &gemm, const CpuTarget &target,
            amp::ScheduleAttr schedule);

  /// Whether `few` is for so many rows.
  mlir::Value isFew(IndexBuilder &ix, mlir::OpFoldResult rows) const {
    return ix.compare(mlir::arith::CmpIPredicate::sle, rows,
                      ix.constant(*few->mostRows));
  }
};

/// The strides of k in a panel of `width` columns: adjacent for each k.
void setPanelStrides(llvm::MutableArrayRef<StridedGemm::KLoop> loops,
                     int64_t width, IndexBuilder &ix);
/// Neighbouring k loops that run over both operands with one stride become one.
void collapseKLoops(llvm::SmallVectorImpl<StridedGemm::KLoop> &loops,
                    IndexBuilder &ix);
/// The same with k loops merged, and with their strides in panels.
StridedGemm normalized(const StridedGemm &gemm, IndexBuilder &ix);

/// Schedules that are worth a try, the one first that is used without any
/// (CpuKernelEmitterInterface::getSchedules).
llvm::SmallVector<amp::ScheduleAttr> getGemmSchedules(const StridedGemm &gemm,
                                                      KernelValues &values,
                                                      const CpuTarget &target);
ParallelRange getGemmRange(const StridedGemm &gemm, KernelValues &values,
                           const CpuTarget &target);
llvm::LogicalResult emitStridedGemm(const StridedGemm &gemm,
                                    KernelEmission &emission,
                                    const GemmBorder &border);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_STRIDEDGEMM_H
