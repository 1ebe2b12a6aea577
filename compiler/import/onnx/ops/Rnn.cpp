//===- Rnn.cpp - RNN ------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Recurrent.h"

using namespace mlir;

namespace ampc::onnx_import {

static SmallVector<Tensor> step(const Step &s) {
  return {s.activate(0, s.product(s.states[0], 0, s.projected))};
}

static LogicalResult buildRnn(NodeBuilder &b) {
  return buildRecurrent(b, {{1}, 1, {"Tanh"}, 1, step});
}

void registerRnnOps(OpTable &t) { t.add("RNN", 1, 28, buildRnn); }

} // namespace ampc::onnx_import
