//===- Lstm.cpp - LSTM ----------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Recurrent.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Gates: input, output, forget, cell. Peepholes: input, output, forget.
static SmallVector<Tensor> step(const Step &s, bool coupled) {
  NodeBuilder &b = s.b;
  const Tensor &hidden = s.states[0], &cell = s.states[1];
  Tensor gates = s.product(hidden, 0, s.projected);
  auto gate = [&](int64_t i, const Tensor &seen) {
    Tensor sum = s.part(gates, i);
    if (s.direction.peephole)
      sum = b.add(
          sum, b.mul(b.broadcast(s.part(*s.direction.peephole, i), seen.dims),
                     seen));
    return s.activate(0, sum);
  };
  Tensor input = gate(0, cell);
  Tensor forget = coupled ? s.complement(input) : gate(2, cell);
  Tensor candidate = s.activate(1, s.part(gates, 3));
  Tensor next = b.add(b.mul(forget, cell), b.mul(input, candidate));
  // Of what the output shows nothing is clipped.
  Tensor shown = s.direction.activations[2].apply(b, next, 0);
  return {b.mul(gate(1, next), shown), next};
}

static LogicalResult buildLstm(NodeBuilder &b) {
  bool coupled = b.intAttr("input_forget", 0) != 0;
  return buildRecurrent(
      b, {{4}, 2, {"Sigmoid", "Tanh", "Tanh"}, 4, [&](const Step &s) {
            return step(s, coupled);
          }});
}

void registerLstmOps(OpTable &t) { t.add("LSTM", 1, 28, buildLstm); }

} // namespace ampc::onnx_import
