//===- Pipeline.h - From buffers to the LLVM dialect on a CPU ---*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_PIPELINE_H
#define AMPC_TARGET_CPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace ampc::cpu {

struct CpuTarget;

/// Bufferized kernels become loops, and everything the LLVM dialect. With
/// `profile`, the times of launches are recorded.
void addKernelPasses(mlir::OpPassManager &passes, const CpuTarget &target,
                     bool profile = false);

/// Kernels are functions by now, and host code is amp's and upstream's ops on
/// buffers.
void addLoweringToLLVM(mlir::OpPassManager &passes);

/// Interfaces and translations that code generation needs.
void registerCodeGeneration(mlir::DialectRegistry &registry);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_PIPELINE_H
