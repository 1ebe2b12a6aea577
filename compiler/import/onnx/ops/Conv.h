//===- Conv.h - Convolutions ------------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_CONV_H
#define AMPC_IMPORT_ONNX_OPS_CONV_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// The result of a node with Conv's inputs and attributes.
mlir::FailureOr<Tensor> convolve(NodeBuilder &b);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_CONV_H
