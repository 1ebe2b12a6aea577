//===- AxisBroadcast.h - Broadcasting before opset 7 ------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_AXISBROADCAST_H
#define AMPC_IMPORT_ONNX_OPS_AXISBROADCAST_H

#include "compiler/import/onnx/OpTable.h"

namespace ampc::onnx_import {

/// Until opset 6 a node said by attributes how its second operand is repeated:
/// its dimensions are those of the first from `axis` on (at the end where there
/// is no `axis`). Reshapes it to what numpy's rules, of opset 7, repeat
/// likewise.
mlir::LogicalResult alignByAxis(NodeBuilder &b);

/// `build`, written for numpy's rules, for the versions before opset 7.
template <BuildFn build> mlir::LogicalResult withAxis(NodeBuilder &b) {
  return failed(alignByAxis(b)) ? mlir::failure() : build(b);
}

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_AXISBROADCAST_H
