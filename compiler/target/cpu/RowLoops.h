//===- RowLoops.h - The loops of reductions over rows -----------*- C++ -*-===//
//
// Ops that reduce some dimensions of an operand walk rows: a row is all
// elements that share the indices of the dimensions that are kept.
// Floating-point sums and products over a row have one order, whatever the
// layout and the vector width: the element with row-major index i goes to lane
// i mod 16, in order, starting from the neutral element, and then lane l meets
// lane l + 8, l + 4, l + 2 and l + 1.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_ROWLOOPS_H
#define AMPC_TARGET_CPU_ROWLOOPS_H

#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"
#include "compiler/target/cpu/MergedDims.h"

namespace ampc::cpu {

/// Virtual lanes of a row reduction.
inline constexpr int64_t kRowLanes = 16;

/// A commutative function with a neutral element on scalars or vectors.
struct Combiner {
  amp::ReduceKind kind;
  mlir::Type type; ///< Of an element.
  bool isUnsigned = false;

  mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                      mlir::Value y) const;
  mlir::Value neutral(mlir::OpBuilder &b, mlir::Location loc,
                      int64_t lanes) const;
  /// Whether the order matters.
  bool isOrdered() const;
};

/// The type that rows of `element` are reduced in: f32 for narrower floats, i8
/// for booleans, else the type itself.
mlir::Type rowType(mlir::Type element);
/// An element, or a vector of them, as rowType() and back.
mlir::Value toRowType(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value value);
mlir::Value fromRowType(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

class Row;

/// How rows are walked. Vectors run along a row where that is contiguous, else
/// across rows along the innermost kept dimension, else not at all.
class RowLoops {
public:
  struct Options {
    mlir::Value source;              ///< A tensor of the body.
    llvm::SmallVector<int64_t> axes; ///< Reduced dimensions, ascending.
    mlir::Value result;              ///< The root's result.
    /// The result has the shape of the source, not that of the kept dimensions.
    bool keepsShape = false;
    /// Elements of a row depend on those before, so vectors never run along it.
    bool sequential = false;
    /// Rows are done one at a time.
    bool scalarRows = false;
    /// More tensors of the reduced dimensions' shape that are read beside.
    llvm::SmallVector<mlir::Value> perElement;
    double costPerElement = 1;
  };

  RowLoops(KernelValues &values, const CpuTarget &target, Options options);

  ParallelRange range();
  /// Emits the loops; `body` emits the work on a row, or on several at a time.
  llvm::LogicalResult emit(KernelEmission &emission,
                           llvm::function_ref<llvm::LogicalResult(Row &)> body);

private:
  friend class Row;
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(llvm::ArrayRef<size_t> runs,
                                                IndexBuilder &ix) const;

  KernelValues &values;
  Options options;
  MergedDims dims;                         ///< Of the source.
  llvm::SmallVector<size_t> kept, reduced; ///< Runs of `dims`.
  bool along = false;                      ///< Vectors run along rows.
  bool across = false;                     ///< Vectors run across rows.
  int64_t vectorLanes;
};

/// One row, or as many neighbouring rows as there are lanes.
class Row {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Values to combine at source indices, vectors where lanes > 1; empty after
  /// an error.
  using ElementFn = llvm::function_ref<Values(
      llvm::ArrayRef<mlir::Value> indices, int64_t lanes)>;
  using VisitFn = llvm::function_ref<llvm::LogicalResult(
      llvm::ArrayRef<mlir::Value> indices, int64_t lanes)>;
  using StepFn = llvm::function_ref<Values(llvm::ArrayRef<mlir::Value> indices,
                                           mlir::Value position,
                                           llvm::ArrayRef<mlir::Value> state)>;

  /// Lanes that a row's own values have: rows done at a time.
  int64_t lanes() const { return rowLanes; }
  /// Elements of the row.
  mlir::OpFoldResult length() const { return extent; }
  /// Indices of the row among the kept dimensions.
  Values keptIndices();

  /// Combines the values that `element` gives for all elements of the row.
  Values reduce(llvm::ArrayRef<Combiner> combiners, ElementFn element);
  /// Visits the elements of the row, several at a time where vectors run along
  /// it.
  llvm::LogicalResult forEach(VisitFn visit);
  /// Visits them one by one in order (from the last if `reverse`), handing a
  /// state on, from position `start` on. Empty after an error.
  Values fold(llvm::ArrayRef<mlir::Value> initial, StepFn step,
              bool reverse = false, int64_t start = 0);
  /// Source indices of the element at `position`.
  Values indicesAt(mlir::Value position);

  /// A value of the row for use beside `lanes` of its elements.
  mlir::Value spread(mlir::Value value, int64_t lanes);
  /// The elements of a tensor at source indices, as rowType().
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
                      int64_t lanes);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  friend class RowLoops;
  Row(RowLoops &loops, KernelEmission &emission, Values keptRuns,
      int64_t rowLanes, mlir::OpFoldResult extent);

  Values reduceAlong(llvm::ArrayRef<Combiner> combiners, ElementFn element);
  Values reduceInLanes(llvm::ArrayRef<Combiner> combiners, ElementFn element);
  mlir::Value scratch(const Combiner &combiner, int64_t elements);

  RowLoops &loops;
  KernelEmission &emission;
  IndexBuilder ix;
  Values keptRuns;
  int64_t rowLanes;
  mlir::OpFoldResult extent;
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_ROWLOOPS_H
