//===- Movement.h - Movements that several families need --------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_MOVEMENT_H
#define AMPC_IMPORT_ONNX_OPS_MOVEMENT_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Along dimension `time`, the first `lengths[i]` elements of batch `i` in
/// reverse; the rest stays. `lengths` holds int64, one a batch.
Tensor reverseSequence(NodeBuilder &b, const Tensor &x, Tensor lengths,
                       int64_t batch, int64_t time);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_MOVEMENT_H
