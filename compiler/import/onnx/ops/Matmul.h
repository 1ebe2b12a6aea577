//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_MATMUL_H
#define AMPC_IMPORT_ONNX_OPS_MATMUL_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// numpy.matmul: batched over leading dimensions, which broadcast.
/// With `transposeLhs` or `transposeRhs`, the last two dimensions of a matrix
/// are taken in reverse.
mlir::FailureOr<Tensor> matmul(NodeBuilder &b, Tensor lhs, Tensor rhs,
                               bool transposeLhs = false,
                               bool transposeRhs = false);

/// The result of a node with Gemm's inputs and attributes.
mlir::FailureOr<Tensor> gemm(NodeBuilder &b);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_MATMUL_H
