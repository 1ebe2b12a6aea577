//===- Attention.cpp - What forms of attention share ----------------------===//

#include "compiler/import/onnx/ops/Attention.h"

#include "compiler/import/onnx/Expr.h"

#include <cmath>

using namespace mlir;

namespace ampc::onnx_import {

FailureOr<Tensor> splitHeads(NodeBuilder &b, const Tensor &x, int64_t heads) {
  ScalarBuilder &s = b.scalars;
  Scalar size = s.div(x.dims[2], s.index(heads));
  if (failed(b.requireEqual(s.mul(size, s.index(heads)), x.dims[2],
                            "heads do not divide the hidden size")))
    return failure();
  Tensor split = b.reshape(x, {x.dims[0], x.dims[1], s.index(heads), size});
  return b.transpose(split, {0, 2, 1, 3});
}

Tensor joinHeads(NodeBuilder &b, const Tensor &x) {
  Tensor y = b.transpose(x, {0, 2, 1, 3});
  return b.reshape(y,
                   {y.dims[0], y.dims[1], b.scalars.mul(y.dims[2], y.dims[3])});
}

SmallVector<Tensor> parts(NodeBuilder &b, const Tensor &x,
                          ArrayRef<Scalar> sizes) {
  SmallVector<Tensor> result;
  Scalar start = b.scalars.index(0);
  for (Scalar size : sizes) {
    result.push_back(b.sliceAxis(x, x.rank() - 1, start, size));
    start = b.scalars.add(start, size);
  }
  return result;
}

LogicalResult matchPast(NodeBuilder &b, Tensor &past, const Tensor &now) {
  if (past.rank() != 4 || past.dtype != now.dtype)
    return b.fail("has a past of another rank or type");
  for (int64_t d : {0, 1, 3}) {
    if (failed(b.requireEqual(past.dims[d], now.dims[d],
                              "the past has another shape")))
      return failure();
    past.dims[d] = now.dims[d];
  }
  return success();
}

LogicalResult prepend(NodeBuilder &b, Tensor past, Tensor &now) {
  if (failed(matchPast(b, past, now)))
    return failure();
  now = b.concat({past, now}, 2);
  return success();
}

FailureOr<Tensor> attend(NodeBuilder &b, const Heads &x,
                         std::optional<Tensor> mask) {
  ScalarBuilder &s = b.scalars;
  Dims full{x.query.dims[0], x.query.dims[1], x.query.dims[2], x.key.dims[2]};
  if (mask) {
    auto dims = b.broadcastDims({full, mask->dims});
    if (failed(dims))
      return failure();
    // What is not plainly repeated is checked, then repeated here.
    size_t offset = full.size() - mask->dims.size();
    for (auto [i, size] : llvm::enumerate(mask->dims))
      if (constantInt(size) != 1 && !s.same(size, full[offset + i])) {
        mask = b.broadcast(*mask, full);
        break;
      }
  }
  Expr query(b, x.query);
  double scale = b.floatAttr("scale", 0);
  if (scale == 0) {
    Scalar size = x.query.dims[3];
    if (auto known = constantInt(size)) {
      scale = 1 / std::sqrt(static_cast<double>(*known));
    } else {
      // The op's scale is a constant: what is not scales the queries.
      DType wide = formulaType(query.dtype());
      Expr root = sqrt(Expr::ofScalar(b, size, wide, query.dims()));
      query = (query.to(wide) / root).to(query.dtype());
      scale = 1;
    }
  }
  Dims dims{full[0], full[1], full[2], x.value.dims[3]};
  Value value = b.create<amp::AttentionOp>(
      b.type(x.query.dtype, dims), query.tensor.value, x.key.value,
      x.value.value, mask ? mask->value : Value(),
      APFloat(static_cast<float>(scale)),
      /*causal=*/false, /*heads_inner=*/false, amp::AlgorithmAttr());
  return Tensor{value, x.query.dtype, dims, {}};
}

} // namespace ampc::onnx_import
