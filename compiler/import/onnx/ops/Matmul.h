//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_MATMUL_H
#define AMPC_IMPORT_ONNX_OPS_MATMUL_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// numpy.matmul: batched over leading dimensions, which broadcast. Integers may
/// have a wider type as `result`, in which they are multiplied and summed; by
/// default the result has the type of `lhs`.
mlir::FailureOr<Tensor> matmul(NodeBuilder &b, Tensor lhs, Tensor rhs,
                               DType result = DType::Undefined);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_MATMUL_H
