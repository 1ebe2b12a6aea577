//===- AxisBroadcast.cpp - Broadcasting before opset 7 --------------------===//

#include "compiler/import/onnx/ops/AxisBroadcast.h"

#include "compiler/import/onnx/NodeBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

LogicalResult alignByAxis(NodeBuilder &b) {
  if (!b.intAttr("broadcast") || !b.node.hasAttr("axis"))
    return success();
  int64_t first = b.rank(0), second = b.rank(1);
  FailureOr<int64_t> axis = b.axisAttr("axis", first);
  if (failed(axis))
    return failure();
  if (*axis + second > first)
    return b.fail("repeats an operand of " + Twine(second) +
                  " dimensions from axis " + Twine(*axis) + " of " +
                  Twine(first));
  auto behind = llvm::to_vector(llvm::seq<int64_t>(second, first - *axis));
  if (!behind.empty())
    b.node.inputs[1] = b.importer.valueOf(b.unsqueeze(b.tensor(1), behind));
  return success();
}

} // namespace ampc::onnx_import
