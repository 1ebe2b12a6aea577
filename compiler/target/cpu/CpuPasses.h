//===- CpuPasses.h - Passes of the CPU back end -----------------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_CPUPASSES_H
#define AMPC_TARGET_CPU_CPUPASSES_H

#include "compiler/target/cpu/CpuTarget.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace ampc::cpu {

std::unique_ptr<mlir::Pass> createCpuEmitKernelsPass();
std::unique_ptr<mlir::Pass> createCpuEmitKernelsPass(const CpuTarget &target);
std::unique_ptr<mlir::Pass> createCpuExpandMathPass();

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/target/cpu/CpuPasses.h.inc"

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_CPUPASSES_H
