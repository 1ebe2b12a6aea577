//===- Norm.h - What normalizations share -----------------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_NORM_H
#define AMPC_IMPORT_ONNX_OPS_NORM_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// A vector over channels as [c, 1, ...] for an operand of this rank.
Tensor alongChannels(NodeBuilder &b, const Tensor &x, int64_t rank);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_NORM_H
