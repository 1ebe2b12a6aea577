//===- KernelEmitter.h - How kernels become CPU functions -------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_KERNELEMITTER_H
#define AMPC_TARGET_CPU_KERNELEMITTER_H

#include "compiler/target/cpu/CpuTarget.h"
#include "compiler/target/cpu/KernelValues.h"

namespace ampc::cpu {

/// A kernel's parallel loop as its launcher sees it.
struct ParallelRange {
  mlir::Value count; ///< Iterations.
  int64_t grain;     ///< Iterations that a thread should do at a time.
};

/// The function that a kernel is being written into.
struct KernelEmission {
  KernelValues &values; ///< The function's arguments.
  const CpuTarget &target;
  mlir::OpBuilder &builder; ///< Inside the function.
  mlir::Value lo, hi;       ///< Iterations to do.

  amp::KernelOp kernel() const { return values.getKernel(); }
  mlir::Location loc() const { return values.getKernel().getLoc(); }
};

/// Iterations of `cost` element operations each that are worth waking a thread
/// for. Costs are estimates; sizes unknown at compile time count as
/// kGuessedSize.
int64_t grainFor(double costPerIteration);
inline constexpr int64_t kGuessedSize = 32;
/// A size, or the guess of it.
double guessedSize(mlir::OpFoldResult size);

/// To be raised whenever what schedules mean changes, or which of them is the
/// fastest: what was measured before then counts no more.
inline constexpr int64_t kEmitterVersion = 1;

/// Kernels without a root: the elements of each output, evaluated on demand.
ParallelRange getPointwiseRange(KernelValues &values, const CpuTarget &target);
llvm::LogicalResult emitPointwiseKernel(KernelEmission &emission);

/// Stores all outputs' elements at `indices`, given the root's result there
/// (null in kernels without a root): the epilogue of a kernel. With lanes > 1
/// the elements are a vector along the innermost dimension, where `mask` (if
/// any) says so.
llvm::LogicalResult storeOutputs(KernelEmission &emission, mlir::Value root,
                                 llvm::ArrayRef<mlir::Value> indices,
                                 mlir::Value element, int64_t lanes,
                                 mlir::Value mask = {});

/// Attaches CpuKernelEmitterInterface to the roots that CPU kernels exist for.
void registerCpuKernelEmitters(mlir::DialectRegistry &registry);

} // namespace ampc::cpu

#include "KernelEmitter.h.inc"

#endif // AMPC_TARGET_CPU_KERNELEMITTER_H
