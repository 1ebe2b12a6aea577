//===- Control.cpp - If ---------------------------------------------------===//

#include "compiler/import/onnx/Boundary.h"
#include "compiler/import/onnx/OpTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace ampc::onnx_import {

static LogicalResult bindOutputs(NodeBuilder &b, ArrayRef<ValueRef> values) {
  for (auto [i, value] : llvm::enumerate(values.take_front(b.numOutputs())))
    (void)b.output(i, value);
  return success();
}

/// Exporters wrap shape tests in If; once shapes are known one branch is left.
static LogicalResult buildBranch(NodeBuilder &b, onnx::GraphProto &graph) {
  auto outputs = b.importer.inlineSubgraph(b.node, graph, {});
  return failed(outputs) ? failure() : bindOutputs(b, *outputs);
}

/// Moves what computes sizes out of a branch where the branch is not needed.
static void moveSizes(NodeBuilder &b, const NamedValue &value, Operation *op) {
  for (Scalar size : value.dims)
    (void)moveBefore(b, size, op);
  for (const ValueRef &element : value.elements)
    moveSizes(b, *element, op);
}

/// Whether a condition follows from the sizes of tensors.
static bool isShapeTest(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  return isa<tensor::DimOp>(op) ||
         (isa<arith::ArithDialect>(op->getDialect()) &&
          llvm::all_of(op->getOperands(), isShapeTest));
}

/// Both branches as regions. A result has those sizes that both know, and by
/// the condition one of two that are known outside; others are yielded.
static LogicalResult buildBranches(NodeBuilder &b, Scalar condition,
                                   onnx::GraphProto &yes,
                                   onnx::GraphProto &no) {
  Value flag = b.scalars.value(condition);
  auto draft = b.create<scf::IfOp>(TypeRange(), flag, /*withElse=*/true);
  Block *blocks[] = {draft.thenBlock(), draft.elseBlock()};
  SmallVector<ValueRef> outputs[2];
  for (int i : {0, 1}) {
    blocks[i]->clear();
    ScalarBuilder::RegionScope scope(b.scalars, blocks[i]);
    auto built = b.importer.inlineSubgraph(b.node, i == 0 ? yes : no, {});
    if (failed(built))
      return failure();
    outputs[i] = *built;
  }
  if (outputs[0].size() != outputs[1].size() ||
      outputs[0].size() != b.numOutputs())
    return b.fail("has branches with " + Twine(outputs[0].size()) + " and " +
                  Twine(outputs[1].size()) + " outputs for its " +
                  Twine(b.numOutputs()));

  // Squeeze of a size that only the run knows is exported as the choice between
  // ranks. Ranks are static, and that it is squeezed is what the model expects.
  for (auto [x, y] : llvm::zip(outputs[0], outputs[1]))
    if (x->isTensor() && y->isTensor() && !ranksAgree(x->dims, y->dims) &&
        isShapeTest(flag)) {
      b.builder().setInsertionPoint(draft);
      if (failed(b.require(condition,
                           "was compiled for its then_branch, as the branches "
                           "give ranks " +
                               Twine(x->rank()) + " and " + Twine(y->rank()) +
                               "; fix the sizes it tests by --dim")))
        return failure();
      draft->getBlock()->getOperations().splice(
          draft->getIterator(), draft.thenBlock()->getOperations());
      b.builder().setInsertionPointAfter(draft);
      draft.erase();
      return bindOutputs(b, outputs[0]);
    }

  b.builder().setInsertionPoint(draft);
  for (auto &values : outputs)
    for (const ValueRef &value : values)
      moveSizes(b, *value, draft);
  auto merge = [&](Scalar x, Scalar y) {
    return b.scalars.isVisible(y) ? b.scalars.select(condition, x, y)
                                  : Scalar();
  };
  std::vector<Boundary> boundaries;
  SmallVector<Type> types;
  for (auto [i, value] : llvm::enumerate(outputs[0])) {
    boundaries.push_back(Boundary::of(b, *value));
    bool changed;
    if (failed(boundaries.back().widen(b, *outputs[1][i], merge, changed)))
      return failure();
    boundaries.back().types(b, types);
  }
  for (int i : {0, 1}) {
    ScalarBuilder::RegionScope scope(b.scalars, blocks[i]);
    SmallVector<Value> results;
    for (auto [boundary, value] : llvm::zip(boundaries, outputs[i]))
      boundary.flatten(b, *value, results);
    b.create<scf::YieldOp>(results);
  }
  auto branches = b.create<scf::IfOp>(types, flag, /*withElse=*/false);
  branches.getThenRegion().takeBody(draft.getThenRegion());
  branches.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  b.builder().setInsertionPointAfter(branches);
  ValueRange results = branches.getResults();
  for (auto [i, boundary] : llvm::enumerate(boundaries))
    (void)b.output(i, boundary.bind(b, results));
  return success();
}

static LogicalResult buildIf(NodeBuilder &b) {
  onnx::GraphProto *yes = b.node.graphAttr("then_branch"),
                   *no = b.node.graphAttr("else_branch");
  auto condition = b.list(0);
  if (failed(condition) || !yes || !no || condition->size() != 1)
    return b.fail("has a condition that is not one value");
  if (auto known = constantInt(condition->front()))
    return buildBranch(b, *known ? *yes : *no);
  return buildBranches(b, condition->front(), *yes, *no);
}

void registerControlOps(OpTable &t) { t.add("If", 1, 28, buildIf); }

} // namespace ampc::onnx_import
