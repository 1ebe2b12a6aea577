//===- AttentionMask.cpp - What hides keys from queries -------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/ops/Attention.h"

using namespace mlir;

namespace ampc::onnx_import {

/// A mask of keys as what is added to scores: 0 where a key counts, else the
/// filter value. A matrix has a number for each key, rank 3 one for each query
/// and key; a vector the lengths of sequences, then perhaps their starts.
static FailureOr<Expr> keyMask(NodeBuilder &b, unsigned input,
                               const Scores &scores, DType dtype) {
  ScalarBuilder &s = b.scalars;
  Tensor mask = b.cast(b.tensor(input), DType::Int64);
  Scalar one = s.index(1);
  std::optional<Expr> counts;
  if (mask.rank() == 2 || mask.rank() == 3) {
    if (failed(b.requireEqual(mask.dims[0], scores.batch,
                              "the mask differs in batch")) ||
        failed(b.requireEqual(mask.dims.back(), scores.keys,
                              "the mask differs in keys")) ||
        (mask.rank() == 3 &&
         failed(b.requireEqual(mask.dims[1], scores.queries,
                               "the mask differs in queries"))))
      return failure();
    Dims dims{scores.batch, one, mask.rank() == 3 ? scores.queries : one,
              scores.keys};
    counts = Expr(b, mask).reshape(dims) > 0;
  } else if (mask.rank() == 1) {
    Dims column{scores.batch, one, one, one},
        row{scores.batch, one, one, scores.keys};
    Expr key = Expr::position(b, 3, row);
    auto bound = [&](Scalar start) {
      Tensor part = b.sliceAxis(mask, 0, start, scores.batch);
      return Expr(b, part).reshape(column).broadcast(row);
    };
    auto size = constantInt(mask.dims[0]), batch = constantInt(scores.batch);
    bool hasStarts = size && batch && *size == 2 * *batch && *size > 0;
    if (!hasStarts &&
        failed(b.requireEqual(mask.dims[0], scores.batch,
                              "has a mask of rank 1 whose size is not the "
                              "batch's, nor known to be twice that")))
      return failure();
    counts = key < bound(s.index(0));
    if (hasStarts)
      counts = *counts & (key >= bound(scores.batch));
  } else {
    return b.fail("has a mask of rank " + Twine(mask.rank()) +
                  ", which is not supported");
  }
  Expr zero(b, b.splat(0, dtype, counts->dims()));
  return select(*counts, zero, b.floatAttr("mask_filter_value", -10000));
}

FailureOr<std::optional<Tensor>> maskOf(NodeBuilder &b, unsigned mask,
                                        unsigned bias, const Scores &scores,
                                        DType dtype) {
  std::optional<Tensor> sum;
  auto add = [&](Tensor term) -> LogicalResult {
    if (!sum) {
      sum = std::move(term);
      return success();
    }
    SmallVector<Tensor> terms{*sum, std::move(term)};
    if (failed(b.broadcastAll(terms)))
      return failure();
    sum = b.add(terms[0], terms[1]);
    return success();
  };
  if (b.has(mask)) {
    auto keys = keyMask(b, mask, scores, dtype);
    if (failed(keys) || failed(add(*keys)))
      return failure();
  }
  if (b.has(bias) && failed(add(b.tensor(bias))))
    return failure();
  if (b.intAttr("unidirectional")) {
    Dims dims{b.scalars.index(1), b.scalars.index(1), scores.queries,
              scores.keys};
    Expr last = Expr::position(b, 2, dims) +
                Expr::ofScalar(b, scores.past, DType::Int64, dims);
    Expr zero(b, b.splat(0, dtype, dims));
    // The least number: what meets it counts for nothing, yet a row of it alone
    // still has a softmax.
    double least =
        dtype == DType::Float16 ? -65504 : std::numeric_limits<float>::lowest();
    if (failed(add(select(Expr::position(b, 3, dims) <= last, zero, least))))
      return failure();
  }
  return sum;
}

} // namespace ampc::onnx_import
