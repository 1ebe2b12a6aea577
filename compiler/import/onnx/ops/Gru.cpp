//===- Gru.cpp - GRU ------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Recurrent.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Gates: update, reset, hidden. The reset applies to the state, or to its
/// product if that is `first`.
static SmallVector<Tensor> step(const Step &s, bool first) {
  NodeBuilder &b = s.b;
  const Tensor &hidden = s.states[0];
  Tensor gates = s.product(hidden, 0, s.part(s.projected, 0, 2));
  Tensor update = s.activate(0, s.part(gates, 0));
  Tensor reset = s.activate(0, s.part(gates, 1));
  Tensor input = s.part(s.projected, 2), sum;
  if (first) {
    Tensor bias = b.splatLike(0, hidden);
    if (s.direction.recurrentBias)
      bias = b.broadcast(s.part(*s.direction.recurrentBias, 2), hidden.dims);
    sum = b.add(input, b.mul(reset, s.product(hidden, 1, bias)));
  } else {
    sum = s.product(b.mul(reset, hidden), 1, input);
  }
  Tensor candidate = s.activate(1, sum);
  return {b.add(b.mul(s.complement(update), candidate), b.mul(update, hidden))};
}

static LogicalResult buildGru(NodeBuilder &b) {
  bool first = b.intAttr("linear_before_reset", 0) != 0;
  return buildRecurrent(
      b, {{2, 1}, 1, {"Sigmoid", "Tanh"}, first ? 2u : 3u, [&](const Step &s) {
            return step(s, first);
          }});
}

void registerGruOps(OpTable &t) { t.add("GRU", 1, 28, buildGru); }

} // namespace ampc::onnx_import
