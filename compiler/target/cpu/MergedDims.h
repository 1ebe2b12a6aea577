//===- MergedDims.h - Dimensions that one index can walk --------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_MERGEDDIMS_H
#define AMPC_TARGET_CPU_MERGEDDIMS_H

#include "compiler/target/cpu/KernelValues.h"

namespace ampc::cpu {

/// Whether elements of `tensor` may be asked for with one index over its
/// dimensions `dim` and `dim + 1` (the index of `dim` zero, that of `dim + 1`
/// running over both): everything it is computed from either lies densely in
/// memory there or does not depend on the two. `given` (may be null) is a value
/// whose elements are bound by the caller.
bool canMergeDims(KernelValues &values, mlir::Value tensor, int64_t dim,
                  mlir::Value given = {});

/// As above for all outputs of the kernel, and the buffers they go to.
bool canMergeOutputDims(KernelValues &values, int64_t dim,
                        mlir::Value given = {});

/// The dimensions of a space, some merged: each run of dimensions that one
/// index walks, outermost first.
class MergedDims {
public:
  /// Starts with every dimension for itself.
  MergedDims(llvm::ArrayRef<mlir::OpFoldResult> sizes) : sizes(sizes) {
    for (size_t i = 0; i < sizes.size(); ++i)
      ends.push_back(i + 1);
  }
  /// Merges the runs that `dim` and `dim + 1` are in.
  void merge(int64_t dim) { llvm::erase(ends, dim + 1); }

  size_t count() const { return ends.size(); }
  int64_t first(size_t run) const { return run ? ends[run - 1] : 0; }
  int64_t last(size_t run) const { return ends[run] - 1; }
  /// Sizes of the dimensions in a run, to be multiplied.
  llvm::ArrayRef<mlir::OpFoldResult> sizesOf(size_t run) const {
    return llvm::ArrayRef(sizes).slice(first(run), ends[run] - first(run));
  }
  /// One index a dimension from one index a run.
  llvm::SmallVector<mlir::Value> expand(mlir::ValueRange runs,
                                        mlir::Value zero) const {
    llvm::SmallVector<mlir::Value> indices(sizes.size(), zero);
    for (size_t run = 0; run < count(); ++run)
      indices[last(run)] = runs[run];
    return indices;
  }

private:
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<int64_t> ends;
};

/// The dimensions of the first output, merged wherever all outputs allow it.
MergedDims mergeOutputDims(KernelValues &values);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_MERGEDDIMS_H
