//===- TransposeKernel.h - Kernels that turn dimensions ---------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_TRANSPOSEKERNEL_H
#define AMPC_TARGET_CPU_TRANSPOSEKERNEL_H

#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"
#include "compiler/target/cpu/MergedDims.h"

namespace ampc::cpu {

/// A kernel without a root that reads one input along another dimension than it
/// writes its outputs, elementwise but for that. Squares of both dimensions
/// are turned in registers.
class TransposeKernel {
public:
  /// Nothing if the kernel is another, or has no square of elements.
  static std::optional<TransposeKernel> match(KernelValues &values);

  ParallelRange getRange(KernelValues &values) const;
  llvm::LogicalResult emit(KernelEmission &emission) const;

private:
  TransposeKernel(amp::TransposeOp op, KernelValues &values);

  mlir::OpFoldResult sizeOf(size_t run, IndexBuilder &ix) const {
    return ix.product(dims.sizesOf(run));
  }
  mlir::OpFoldResult columns(IndexBuilder &ix) const {
    return sizeOf(dims.count() - 1, ix);
  }
  /// Sizes of the runs that are walked one by one.
  llvm::SmallVector<mlir::OpFoldResult> outer(IndexBuilder &ix) const;
  llvm::LogicalResult emitSquare(KernelEmission &emission,
                                 mlir::ValueRange runs, mlir::Value row,
                                 mlir::Value column, mlir::Value zero) const;

  mutable amp::TransposeOp op; // Its accessors are not const.
  MergedDims dims;             ///< Of the outputs; columns are the last run.
  size_t rowRun;               ///< The run that is innermost in the input.
  int64_t lanes;               ///< Of a square's side.
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_TRANSPOSEKERNEL_H
