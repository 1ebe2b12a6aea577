//===- Attention.h - What forms of attention share --------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_ATTENTION_H
#define AMPC_IMPORT_ONNX_OPS_ATTENTION_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Query, key and value, each [batch, heads, positions, size].
struct Heads {
  Tensor query, key, value;
};

/// [batch, positions, heads * size] as [batch, heads, positions, size].
mlir::FailureOr<Tensor> splitHeads(NodeBuilder &b, const Tensor &x,
                                   int64_t heads);
Tensor joinHeads(NodeBuilder &b, const Tensor &x);

/// Slices of the last dimension of these sizes, one behind the other.
llvm::SmallVector<Tensor> parts(NodeBuilder &b, const Tensor &x,
                                llvm::ArrayRef<Scalar> sizes);

/// Puts the keys or values of earlier positions in front of those of now.
mlir::LogicalResult prepend(NodeBuilder &b, Tensor past, Tensor &now);

/// What the mask of scores depends on.
struct Scores {
  Scalar batch, queries, keys;
  /// Keys before the first query's own.
  Scalar past;
};

/// The sum of all that masks scores in Attention and MultiHeadAttention; none
/// if nothing does. `mask` and `bias` are the inputs that may do so.
mlir::FailureOr<std::optional<Tensor>> maskOf(NodeBuilder &b, unsigned mask,
                                              unsigned bias,
                                              const Scores &scores,
                                              DType dtype);

/// [batch, heads, queries, size of a value]. The attribute `scale` multiplies
/// scores, `mask` is added to them; it broadcasts.
mlir::FailureOr<Tensor> attend(NodeBuilder &b, const Heads &x,
                               std::optional<Tensor> mask);

/// com.microsoft's GroupQueryAttention.
mlir::LogicalResult buildGroupQueryAttention(NodeBuilder &b);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_ATTENTION_H
