//===- Norm.h - What normalizations share -----------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_NORM_H
#define AMPC_IMPORT_ONNX_OPS_NORM_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// A vector over channels as [c, 1, ...] for an operand of this rank.
Tensor alongChannels(NodeBuilder &b, const Tensor &x, int64_t rank);

/// `x` repeated to `dims`, which its sizes must be where they are not 1.
mlir::FailureOr<Tensor> spreadTo(NodeBuilder &b, const Tensor &x,
                                 const Dims &dims);

/// amp.layer_norm over the dimensions from `axis` on. Scale and bias broadcast
/// to those.
mlir::FailureOr<Tensor> normalizeRows(NodeBuilder &b, amp::NormKind kind,
                                      const Tensor &x,
                                      const std::optional<Tensor> &scale,
                                      const std::optional<Tensor> &bias,
                                      int64_t axis, double epsilon);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_NORM_H
