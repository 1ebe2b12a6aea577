//===- WindowLoops.h - Loops over windows of an image -----------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_WINDOWLOOPS_H
#define AMPC_TARGET_CPU_WINDOWLOOPS_H

#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"

namespace ampc::cpu {

/// The windows of a pooling op: an output element combines the source elements
/// at `output * stride - low pad + position * dilation`, as far as those exist.
struct WindowLoops {
  mlir::Value source;   ///< A tensor of the body.
  int64_t firstSpatial; ///< The first spatial dimension: 2, or 1 over N...C.
  llvm::ArrayRef<int64_t> kernel, strides, dilations, pads;

  template <typename Op>
  explicit WindowLoops(Op op)
      : source(op.getSource()), firstSpatial(op.getSpatialDim(0)),
        kernel(op.getKernel()), strides(op.getStrides()),
        dilations(op.getDilations()), pads(op.getPads()) {}

  size_t rank() const { return kernel.size(); } ///< Spatial dimensions.
  bool channelsLast() const { return firstSpatial == 1; }

  /// Positions [first, last) of a window along dimension `i` that lie inside a
  /// source of `size`, for the output index `at`.
  std::pair<mlir::OpFoldResult, mlir::OpFoldResult>
  inside(IndexBuilder &ix, size_t i, mlir::OpFoldResult at,
         mlir::OpFoldResult size) const;
  /// The source index of a position of a window.
  mlir::OpFoldResult sourceIndex(IndexBuilder &ix, size_t i,
                                 mlir::OpFoldResult at,
                                 mlir::OpFoldResult position) const;
  /// Output indices [first, last) whose windows lie inside entirely.
  std::pair<mlir::OpFoldResult, mlir::OpFoldResult>
  interior(IndexBuilder &ix, size_t i, mlir::OpFoldResult outputSize,
           mlir::OpFoldResult size) const;

  /// The parallel range: images and their outermost rows.
  ParallelRange range(KernelValues &values, double cost) const;

  /// Calls `body` at each output element, or at `lanes` neighbours at a time:
  /// channels where these are innermost, else pixels, where all their windows
  /// lie inside along the innermost dimension.
  llvm::LogicalResult
  forEachOutput(KernelEmission &emission, int64_t lanes,
                llvm::function_ref<llvm::LogicalResult(
                    llvm::ArrayRef<mlir::Value> indices, int64_t lanes)>
                    body) const;

  /// Whether `lanes` neighbouring elements share their windows' bounds.
  bool sharesBounds(int64_t lanes) const {
    return lanes == 1 || channelsLast();
  }
  /// Between the source elements of lanes, along the innermost dimension.
  int64_t laneStride() const { return channelsLast() ? 1 : strides.back(); }

  using Values = llvm::SmallVector<mlir::Value>;
  /// Hands `state` through the positions of the window at output `indices` in
  /// row-major order; `step` gets the source indices. With lanes > 1 these are
  /// the first lane's; the lanes' lie laneStride() apart.
  Values fold(KernelEmission &emission, llvm::ArrayRef<mlir::Value> indices,
              int64_t lanes, Values state,
              llvm::function_ref<Values(llvm::ArrayRef<mlir::Value>, Values)>
                  step) const;
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_WINDOWLOOPS_H
