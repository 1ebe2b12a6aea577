//===- RotaryEmbedding.h - Positions as rotations ---------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
#define AMPC_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Turns pairs of a head's numbers by angles that depend on the position (Su et
/// al., RoFormer, 2021). `x` is [batch, positions, heads, size], `positions`
/// [batch, positions] int64; the tables are [any position, pairs]. A pair is
/// two neighbours if `interleaved`, else one of each half of those turned.
mlir::FailureOr<Tensor> rotate(NodeBuilder &b, const Tensor &x,
                               const Tensor &positions, const Tensor &cosTable,
                               const Tensor &sinTable, bool interleaved);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
