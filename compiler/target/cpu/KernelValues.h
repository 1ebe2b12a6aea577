//===- KernelValues.h - What a kernel's operands are somewhere --*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_KERNELVALUES_H
#define AMPC_TARGET_CPU_KERNELVALUES_H

#include "compiler/ir/Amp.h"

namespace ampc::cpu {

/// The operands of a kernel and what follows from them (sizes, scalars) at one
/// place: in the code that launches the kernel, or in the kernel's function.
/// Everything is computed once, at the insertion point given to the
/// constructor, and may be used by whatever that point dominates.
class KernelValues {
public:
  /// `operands` stand for the kernel's `ins`, then its `outs`. `site` may point
  /// anywhere where they are visible; ops are added there.
  KernelValues(amp::KernelOp kernel, mlir::ValueRange operands,
               mlir::OpBuilder site);

  amp::KernelOp getKernel() const { return kernel; }

  /// The buffer or scalar that a block argument of the body stands for.
  mlir::Value in(mlir::BlockArgument argument) const;

  /// The buffer of the kernel's output `index`.
  mlir::Value out(unsigned index);
  unsigned numOuts() { return kernel.getOuts().size(); }

  /// Size of dimension `dim` of a tensor of the body.
  mlir::OpFoldResult dim(mlir::Value tensor, int64_t dim);
  llvm::SmallVector<mlir::OpFoldResult> dims(mlir::Value tensor);

  /// Size of a dimension of output `index`.
  mlir::OpFoldResult outDim(unsigned index, int64_t dim);
  llvm::SmallVector<mlir::OpFoldResult> outDims(unsigned index);

  /// Stride in elements of dimension `dim` of a buffer among the operands.
  mlir::OpFoldResult stride(mlir::Value buffer, int64_t dim);
  /// The buffer's elements as a one-dimensional memref without bounds, whose
  /// element 0 is the buffer's first.
  mlir::Value flat(mlir::Value buffer);

  /// The value of a scalar of the body.
  mlir::Value scalar(mlir::Value value);

  /// A constant tensor of the body as a buffer.
  mlir::Value constantBuffer(mlir::arith::ConstantOp constant);

  /// Where sizes and scalars are computed.
  mlir::OpBuilder &site() { return builder; }

private:
  mlir::OpFoldResult bufferDim(mlir::Value buffer, int64_t dim);

  amp::KernelOp kernel;
  llvm::SmallVector<mlir::Value> operands;
  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::OpFoldResult> sizes;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars, flats, constants;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpFoldResult>> strides;
};

/// Whether a buffer lies densely in memory in row-major order. Decided by its
/// type; what cannot be told counts as not dense.
bool isDense(mlir::Value buffer);

/// Whether dimensions `dim` and `dim + 1` of the buffer may be walked by one
/// index that runs over both: its type says that rows follow each other.
bool canMergeDims(mlir::MemRefType type, int64_t dim);

/// Whether neighbours along the innermost dimension are adjacent in memory.
bool hasUnitInnermostStride(mlir::MemRefType type);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_KERNELVALUES_H
