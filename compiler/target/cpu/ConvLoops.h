//===- ConvLoops.h - Convolutions as contractions ---------------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_CONVLOOPS_H
#define AMPC_TARGET_CPU_CONVLOOPS_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// A convolution as strided loops.
struct ConvLoops {
  StridedGemm gemm;
  /// Indices of the result element at a place.
  std::function<llvm::SmallVector<mlir::Value>(IndexBuilder &,
                                               const GemmBorder::Place &)>
      indices;
  /// Which of `indices` is the channel, and with it the element of the bias.
  int64_t channelDim;
};

/// Output channels are rows, output pixels are columns, so that vectors run
/// along the innermost dimension of the image. The filter supplies the scalars.
llvm::FailureOr<ConvLoops> describeChannelsFirst(amp::ConvOp op,
                                                 KernelValues &values);

/// Output pixels are rows and the image supplies the scalars, read where they
/// lie; output channels are columns, in panels.
llvm::FailureOr<ConvLoops> describeChannelsLast(amp::ConvOp op,
                                                KernelValues &values);

/// Depthwise convolutions with channels last: each element of the result is
/// computed from elements of its own channel, so that vectors run along
/// channels and nothing is broadcast. Schedules have `tile_rows` and
/// `tile_columns`, neighbouring elements that share weights and input.
ParallelRange getDepthwiseRange(amp::ConvOp op, KernelValues &values);
llvm::SmallVector<amp::ScheduleAttr>
getDepthwiseSchedules(amp::ConvOp op, KernelValues &values,
                      const CpuTarget &target);
llvm::LogicalResult emitDepthwise(amp::ConvOp op, KernelEmission &emission);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_CONVLOOPS_H
