//===- Gather.h - What indexed reads and writes share -----------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_GATHER_H
#define AMPC_IMPORT_ONNX_OPS_GATHER_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Indices along one axis of `x` that are the same elsewhere: their shape must
/// lie inside that of `x` in the other dimensions. What they hold is clamped.
mlir::LogicalResult requireElementwise(NodeBuilder &b, const Tensor &x,
                                       const Tensor &indices, int64_t axis);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_GATHER_H
