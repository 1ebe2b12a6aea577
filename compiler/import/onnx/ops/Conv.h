//===- Conv.h - Convolutions ------------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_CONV_H
#define AMPC_IMPORT_ONNX_OPS_CONV_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// A convolution by the attributes of Conv (strides, pads, group, ...).
/// Integers may have a wider type as `result`, in which they are multiplied and
/// summed, and which `bias` has; by default the result has the type of `x`.
mlir::FailureOr<Tensor> conv(NodeBuilder &b, Tensor x, const Tensor &filter,
                             std::optional<Tensor> bias,
                             DType result = DType::Undefined);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_CONV_H
