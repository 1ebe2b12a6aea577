//===- FusedNorm.cpp - Normalizations of sums -----------------------------===//
//
// Ops of com.microsoft that onnxruntime's optimizer makes of a normalization
// and the additions or embeddings before it.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Norm.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Adds a term that is repeated where its sizes are 1.
static LogicalResult addOnto(NodeBuilder &b, Tensor &sum, const Tensor &term) {
  auto repeated = spreadTo(b, term, sum.dims);
  if (failed(repeated))
    return failure();
  sum = b.add(sum, *repeated);
  return success();
}

/// Inputs: x, skip, gamma, then beta (with a mean only), then bias.
template <amp::NormKind kind>
static LogicalResult buildSkipNorm(NodeBuilder &b) {
  constexpr bool hasBeta = kind == amp::NormKind::Layer;
  constexpr unsigned bias = hasBeta ? 4 : 3;
  Tensor sum = b.tensor(0);
  for (unsigned i : {1u, bias}) {
    if (!b.has(i))
      continue;
    if (failed(addOnto(b, sum, b.tensor(i))))
      return failure();
  }
  if (sum.rank() < 1)
    return b.fail("needs rank 1 at least");
  std::optional<Tensor> beta;
  if (hasBeta && b.has(3))
    beta = b.tensor(3);
  auto y = normalizeRows(b, kind, sum, b.tensor(2), beta, sum.rank() - 1,
                         b.floatAttr("epsilon", 1e-12));
  if (failed(y))
    return failure();
  (void)b.output(3, sum);
  return b.output(0, *y);
}

/// The normalized sum of the embeddings of words, positions and segments.
static LogicalResult buildEmbedLayerNorm(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  enum { Ids, Segments, Words, Positions, SegmentTable, Gamma, Beta, Mask, At };
  Tensor ids = b.tensor(Ids);
  if (ids.rank() != 2)
    return b.fail("needs ids [batch, sequence]");
  auto rows = [&](unsigned table, const Tensor &at) -> FailureOr<Tensor> {
    Tensor from = b.tensor(table);
    if (from.rank() != 2)
      return b.fail("has a table of rank " + Twine(from.rank()));
    Tensor found = b.gather(from, at, 0);
    if (failed(b.requireReadable(from.dims[0], found.dims)))
      return failure();
    return found;
  };
  SmallVector<Tensor> terms;
  auto embed = [&](unsigned table, const Tensor &at) {
    auto term = rows(table, at);
    if (succeeded(term))
      terms.push_back(*term);
    return LogicalResult(term);
  };
  Tensor at = b.has(At) ? b.tensor(At)
                        : b.iota(DType::Int64, 1, {s.index(1), ids.dims[1]});
  if (failed(embed(Words, ids)) || failed(embed(Positions, at)) ||
      (b.has(Segments) && b.has(SegmentTable) &&
       failed(embed(SegmentTable, b.tensor(Segments)))) ||
      failed(b.broadcastAll(terms)))
    return failure();
  Tensor sum = terms[0];
  for (const Tensor &term : ArrayRef(terms).drop_front())
    sum = b.add(sum, term);
  auto y = normalizeRows(b, amp::NormKind::Layer, sum, b.tensor(Gamma),
                         b.tensor(Beta), 2, b.floatAttr("epsilon", 1e-12));
  if (failed(y))
    return failure();
  // How many positions of each sequence are not masked.
  if (b.wants(1)) {
    Tensor lengths = b.splat(0, DType::Int32, {ids.dims[0]});
    if (b.has(Mask))
      lengths = b.reduce(amp::ReduceKind::Sum, b.tensor(Mask), {1},
                         /*keepDims=*/false);
    (void)b.output(1, lengths);
  }
  (void)b.output(2, sum);
  return b.output(0, *y);
}

/// Groups of channels of each sample are normalized, then channels scaled and
/// shifted; the SiLU of that if the attribute `activation` says so.
static LogicalResult groupNorm(NodeBuilder &b, const Tensor &x) {
  ScalarBuilder &s = b.scalars;
  bool last = b.intAttr("channels_last", 1);
  int64_t groups = b.intAttr("groups");
  if (x.rank() != 4 || groups < 1)
    return b.fail("needs an input of rank 4 and positive groups");
  Scalar channels = x.dims[last ? 3 : 1];
  Scalar each = s.div(channels, s.index(groups));
  if (failed(b.requireEqual(s.mul(each, s.index(groups)), channels,
                            "groups do not divide the channels")))
    return failure();
  Tensor y = last ? b.transpose(x, {0, 3, 1, 2}) : x;
  Dims planar = y.dims;
  Scalar pixels = s.mul(planar[2], planar[3]);
  y = b.reshape(y, {planar[0], s.index(groups), s.mul(each, pixels)});
  auto rows = normalizeRows(b, amp::NormKind::Layer, y, {}, {}, 2,
                            b.floatAttr("epsilon", 1e-5));
  if (failed(rows))
    return failure();
  y = b.reshape(*rows, planar);
  if (last)
    y = b.transpose(y, {0, 2, 3, 1});
  Expr sum(b, b.cast(y, b.dtype(1)));
  for (unsigned i : {1u, 2u}) {
    Tensor vector = b.tensor(i);
    if (vector.rank() != 1 ||
        failed(b.requireEqual(vector.dims[0], channels,
                              "has one scale and shift for each channel")))
      return failure();
    if (!last)
      vector = alongChannels(b, vector, 4);
    Expr spread = Expr(b, vector).broadcast(x.dims);
    sum = i == 1 ? sum * spread : sum + spread;
  }
  if (b.intAttr("activation"))
    sum = sum * sigmoid(sum);
  return b.output(0, sum.to(x.dtype));
}

static LogicalResult buildGroupNorm(NodeBuilder &b) {
  return groupNorm(b, b.tensor(0));
}

/// Of the sum with `skip`, which may be one vector a sample, and a bias.
static LogicalResult buildSkipGroupNorm(NodeBuilder &b) {
  Tensor sum = b.tensor(0);
  for (unsigned i : {3u, 4u}) {
    if (!b.has(i))
      continue;
    Tensor term = b.tensor(i);
    if (term.rank() == 2)
      term = b.unsqueeze(term, {1, 2});
    if (failed(addOnto(b, sum, term)))
      return failure();
  }
  (void)b.output(1, sum);
  return groupNorm(b, sum);
}

void registerFusedNormOps(OpTable &t) {
  static constexpr const char *types =
      "T = float float16 double bfloat16; U = float";
  t.add({"SkipLayerNormalization",
         "input:T skip:T gamma:T beta:T? bias:T?",
         "output:T mean:U? inv_std_var:U? input_skip_bias_sum:T?",
         types,
         {{"epsilon", 1e-12f}}},
        buildSkipNorm<amp::NormKind::Layer>);
  t.add({"SkipSimplifiedLayerNormalization",
         "input:T skip:T gamma:T bias:T?",
         "output:T mean:U? inv_std_var:U? input_skip_bias_sum:T?",
         types,
         {{"epsilon", 1e-12f}}},
        buildSkipNorm<amp::NormKind::RMS>);
  t.add({"EmbedLayerNormalization",
         "input_ids:int32 segment_ids:int32? word_embedding:T "
         "position_embedding:T segment_embedding:T? gamma:T beta:T "
         "mask:int32? position_ids:int32?",
         "output:T mask_index:int32? embedding_sum:T?",
         types,
         {{"epsilon", 1e-12f}, {"mask_index_type", 0}}},
        buildEmbedLayerNorm);
  static constexpr const char *twoTypes =
      "T = float float16 bfloat16; M = float float16 bfloat16";
  std::vector<SchemaAttribute> attributes{
      {"channels_last", 1},
      {"epsilon", 1e-5f},
      {"activation", NoDefault{NoDefault::Int, true}},
      {"groups", NoDefault{NoDefault::Int, true}}};
  t.add({"GroupNorm", "X:T gamma:M beta:M", "Y:T", twoTypes, attributes},
        buildGroupNorm);
  t.add({"SkipGroupNorm", "X:T gamma:M beta:M skip:T bias:T?", "Y:T S:T?",
         twoTypes, attributes},
        buildSkipGroupNorm);
}

} // namespace ampc::onnx_import
