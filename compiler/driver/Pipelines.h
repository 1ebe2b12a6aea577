//===- Pipelines.h - The order of passes ------------------------*- C++ -*-===//

#ifndef AMPC_DRIVER_PIPELINES_H
#define AMPC_DRIVER_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace ampc {
namespace cpu {
struct CpuTarget;
}
namespace tune {
struct ScheduleSources;
}

/// An imported model becomes kernels and the host code around them, on tensors.
void addTensorPasses(mlir::OpPassManager &passes, const cpu::CpuTarget &target);

/// Tensors of host code become buffers, and buffers get their places.
void addBufferPasses(mlir::OpPassManager &passes);

/// Kernels get their schedules, if there are any, and become loops; everything
/// becomes the LLVM dialect. With `profile`, the times of kernels are recorded.
void addCpuPasses(mlir::OpPassManager &passes, const cpu::CpuTarget &target,
                  const tune::ScheduleSources *schedules = nullptr,
                  bool profile = false);

/// `amp-tensor-pipeline`, `amp-buffer-pipeline`, `amp-cpu-pipeline`, for
/// amp-opt.
void registerPipelines();

} // namespace ampc

#endif // AMPC_DRIVER_PIPELINES_H
