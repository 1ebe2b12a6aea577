//===- Window.h - Attributes shared by convolution and pooling --*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_WINDOW_H
#define AMPC_IMPORT_ONNX_OPS_WINDOW_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  /// Low pads, then high pads.
  llvm::SmallVector<int64_t> pads;
  bool ceil = false;

  int64_t rank() const { return kernel.size(); }
  /// Reach of the kernel in one dimension.
  int64_t span(int64_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

/// Reads strides, dilations, pads or auto_pad and ceil_mode for a window over
/// the last dimensions of `x`. Where auto_pad depends on sizes that are not
/// known, `x` is padded here if `padValue` is given; else that fails.
mlir::FailureOr<Window> windowOf(NodeBuilder &b, Tensor &x,
                                 llvm::ArrayRef<int64_t> kernel,
                                 std::optional<double> padValue);

/// The attribute with one integer a spatial dimension, or all `missing`.
mlir::FailureOr<llvm::SmallVector<int64_t>>
spatialAttr(NodeBuilder &b, llvm::StringRef name, size_t size, int64_t missing);

/// Sizes of the result in the window's dimensions.
Dims windowedDims(NodeBuilder &b, llvm::ArrayRef<Scalar> spatial,
                  const Window &window);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_WINDOW_H
