//===- Pool.h - Pooling -----------------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_POOL_H
#define AMPC_IMPORT_ONNX_OPS_POOL_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Averages over windows by the attributes of AveragePool.
mlir::FailureOr<Tensor> averagePool(NodeBuilder &b, Tensor x);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_POOL_H
