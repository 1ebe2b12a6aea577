//===- Control.cpp - Control flow -----------------------------------------===//

#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Exporters wrap shape tests in If; once shapes are known one branch is left.
static LogicalResult buildIf(NodeBuilder &b) {
  onnx::GraphProto *yes = b.node.graphAttr("then_branch"),
                   *no = b.node.graphAttr("else_branch");
  auto condition = b.list(0);
  if (failed(condition) || !yes || !no || condition->size() != 1)
    return b.fail("has a condition that is not one value");
  auto known = constantInt(condition->front());
  if (!known)
    return b.fail("has a condition that is not known at compile time, which is "
                  "not supported; fixing sizes by --dim may decide it");
  auto outputs = b.importer.inlineSubgraph(b.node, *known ? *yes : *no, {});
  if (failed(outputs))
    return failure();
  for (auto [i, value] : llvm::enumerate(*outputs))
    if (i < b.numOutputs())
      (void)b.output(i, value);
  return success();
}

void registerControlOps(OpTable &t) { t.add("If", 1, 25, buildIf); }

} // namespace ampc::onnx_import
