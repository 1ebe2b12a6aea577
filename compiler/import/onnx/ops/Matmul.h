//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_MATMUL_H
#define AMPC_IMPORT_ONNX_OPS_MATMUL_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// numpy.matmul: batched over leading dimensions, which broadcast. Integers may
/// have a wider type as `result`, in which they are multiplied and summed; by
/// default the result has the type of `lhs`. With `transposeLhs` or
/// `transposeRhs`, the last two dimensions of a matrix are taken in reverse.
mlir::FailureOr<Tensor> matmul(NodeBuilder &b, Tensor lhs, Tensor rhs,
                               DType result = DType::Undefined,
                               bool transposeLhs = false,
                               bool transposeRhs = false);

/// The result of a node with Gemm's inputs and attributes.
mlir::FailureOr<Tensor> gemm(NodeBuilder &b);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_MATMUL_H
