//===- FusedAttention.cpp - Attention as onnxruntime fuses it -------------===//
//
// The forms of com.microsoft. Packed inputs, shared buffers and caches that are
// written in place are not supported.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Attention.h"
#include "compiler/import/onnx/ops/Matmul.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Projects the input to queries, keys and values by one matrix. `past` and
/// `present` hold keys and values together: [2, batch, heads, positions, size].
static LogicalResult buildAttention(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  enum { Input, Weights, Bias, Mask, Past, ScoreBias, PastLength };
  Tensor x = b.tensor(Input);
  int64_t heads = b.intAttr("num_heads");
  if (x.rank() != 3 || heads < 1)
    return b.fail("needs an input of rank 3 and a positive num_heads");
  if (b.has(PastLength) || b.intAttr("past_present_share_buffer") ||
      b.intAttr("do_rotary"))
    return b.fail("shares a buffer of past and present or rotates, which is "
                  "not supported");
  auto projected = matmul(b, x, b.tensor(Weights));
  if (failed(projected))
    return failure();
  if (b.has(Bias)) {
    Tensor bias = b.tensor(Bias);
    if (bias.rank() != 1 ||
        failed(b.requireEqual(bias.dims[0], projected->dims[2],
                              "has one bias a column of the weights")))
      return failure();
    projected = b.add(*projected, b.broadcast(bias, projected->dims));
  }
  SmallVector<Scalar> sizes;
  if (auto given = b.node.intsAttr("qkv_hidden_sizes");
      given && !given->empty())
    for (int64_t size : *given)
      sizes.push_back(s.index(size));
  else
    sizes.assign(3, s.div(projected->dims[2], s.index(3)));
  if (sizes.size() != 3 ||
      failed(b.requireEqual(s.add(s.add(sizes[0], sizes[1]), sizes[2]),
                            projected->dims[2],
                            "query, key and value do not add up to the "
                            "columns of the weights")))
    return failure();
  SmallVector<Tensor> heads4;
  for (const Tensor &part : parts(b, *projected, sizes)) {
    auto split = splitHeads(b, part, heads);
    if (failed(split))
      return failure();
    heads4.push_back(*split);
  }
  Heads operands{heads4[0], heads4[1], heads4[2]};
  Scalar past = s.index(0);
  if (b.has(Past)) {
    Tensor cache = b.tensor(Past);
    if (cache.rank() != 5)
      return b.fail("needs a past of rank 5");
    past = cache.dims[3];
    Dims dims(cache.dims.begin() + 1, cache.dims.end());
    for (auto [i, now] : {std::pair(0, &operands.key), {1, &operands.value}}) {
      Tensor own = b.sliceAxis(cache, 0, s.index(i), s.index(1));
      if (failed(prepend(b, b.reshape(own, dims), *now)))
        return failure();
    }
  }
  Scores scores{x.dims[0], x.dims[1], operands.key.dims[2], past};
  auto mask = maskOf(b, Mask, ScoreBias, scores, x.dtype);
  if (failed(mask))
    return failure();
  auto y = attend(b, operands, *mask);
  if (failed(y))
    return failure();
  if (b.wants(1))
    (void)b.output(1, b.concat({b.unsqueeze(operands.key, {0}),
                                b.unsqueeze(operands.value, {0})},
                               0));
  return b.output(0, joinHeads(b, *y));
}

/// One of query, key and value as [batch, heads, positions, size], with its
/// part of the bias added. Keys and values may come so already.
static FailureOr<Tensor> headsOf(NodeBuilder &b, const Tensor &x,
                                 const std::optional<Tensor> &bias,
                                 int64_t heads) {
  if (x.rank() == 4) {
    if (failed(b.requireEqual(x.dims[1], b.scalars.index(heads),
                              "has another number of heads")))
      return failure();
    return b.reshape(x,
                     {x.dims[0], b.scalars.index(heads), x.dims[2], x.dims[3]});
  }
  Tensor sum = bias ? b.add(x, b.broadcast(*bias, x.dims)) : x;
  return splitHeads(b, sum, heads);
}

static LogicalResult buildMultiHeadAttention(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  enum { Query, Key, Values, Bias, Mask, ScoreBias, PastKey, PastValue };
  int64_t heads = b.intAttr("num_heads");
  if (!b.has(Key) || !b.has(Values) || b.rank(Query) != 3 || b.has(8) ||
      b.has(9))
    return b.fail("has packed inputs or a shared cache, which is not "
                  "supported");
  Tensor query = b.tensor(Query), key = b.tensor(Key), value = b.tensor(Values);
  if (heads < 1 || key.rank() != value.rank() ||
      (key.rank() != 3 && key.rank() != 4))
    return b.fail("needs a positive num_heads and keys and values of rank 3 or "
                  "4");
  std::optional<Tensor> biases[3];
  if (b.has(Bias)) {
    Tensor bias = b.tensor(Bias);
    auto hidden = [&](const Tensor &x) {
      return x.rank() == 3 ? x.dims[2] : s.mul(x.dims[1], x.dims[3]);
    };
    Scalar sizes[] = {query.dims[2], hidden(key), hidden(value)};
    if (bias.rank() != 1 ||
        failed(b.requireEqual(s.add(s.add(sizes[0], sizes[1]), sizes[2]),
                              bias.dims[0],
                              "has one bias a column of query, key and value")))
      return failure();
    for (auto [own, part] : llvm::zip(biases, parts(b, bias, sizes)))
      own = part;
  }
  auto q = headsOf(b, query, biases[0], heads),
       k = headsOf(b, key, biases[1], heads),
       v = headsOf(b, value, biases[2], heads);
  if (failed(q) || failed(k) || failed(v))
    return failure();
  Heads operands{*q, *k, *v};
  Scalar past = s.index(0);
  for (auto [cache, now] :
       {std::pair(PastKey, &operands.key), {PastValue, &operands.value}}) {
    if (!b.has(cache))
      continue;
    Tensor before = b.tensor(cache);
    if (failed(prepend(b, before, *now)))
      return failure();
    past = before.dims[2];
  }
  if (failed(b.requireEqual(operands.key.dims[2], operands.value.dims[2],
                            "has a value for each key")) ||
      failed(b.requireEqual(operands.key.dims[0], query.dims[0],
                            "keys differ in batch")) ||
      failed(b.requireEqual(operands.value.dims[0], query.dims[0],
                            "values differ in batch")))
    return failure();
  Scores scores{query.dims[0], query.dims[1], operands.key.dims[2], past};
  auto mask = maskOf(b, Mask, ScoreBias, scores, query.dtype);
  if (failed(mask))
    return failure();
  auto y = attend(b, operands, *mask);
  if (failed(y))
    return failure();
  (void)b.output(1, operands.key);
  (void)b.output(2, operands.value);
  return b.output(0, joinHeads(b, *y));
}

void registerFusedAttentionOps(OpTable &t) {
  static constexpr const char *types =
      "T = float float16 double bfloat16; M = int32 int64";
  SchemaAttribute heads{"num_heads", NoDefault{NoDefault::Int, true}},
      scale{"scale", NoDefault{NoDefault::Float}},
      filter{"mask_filter_value", -10000.0f}, causal{"unidirectional", 0};
  t.add({"Attention",
         "input:T weights:T bias:T? mask_index:M? past:T? attention_bias:T? "
         "past_sequence_length:M?",
         "output:T present:T?",
         types,
         {heads,
          scale,
          filter,
          causal,
          {"qkv_hidden_sizes", NoDefault{NoDefault::Ints}},
          {"do_rotary", 0},
          {"rotary_embedding_dim", 0},
          {"past_present_share_buffer", 0}}},
        buildAttention);
  t.add({"MultiHeadAttention",
         "query:T key:T? value:T? bias:T? key_padding_mask:M? "
         "attention_bias:T? past_key:T? past_value:T? "
         "past_sequence_length:M? cache_indirection:M?",
         "output:T present_key:T? present_value:T? qk:T?",
         types,
         {heads, scale, filter, causal}},
        buildMultiHeadAttention);
  t.add({"GroupQueryAttention",
         "query:T key:T? value:T? past_key:T? past_value:T? seqlens_k:M "
         "total_sequence_length:M cos_cache:T? sin_cache:T? "
         "position_ids:int64? attention_bias:T? head_sink:T? k_scale:float? "
         "v_scale:float? q_norm_weight:T? k_norm_weight:T? query_seqlens:M?",
         "output:T present_key:T? present_value:T? output_qk:T?",
         types,
         {heads,
          scale,
          {"kv_num_heads", NoDefault{NoDefault::Int, true}},
          {"do_rotary", 0},
          {"rotary_interleaved", 0},
          {"local_window_size", -1},
          {"softcap", 0.0f},
          {"smooth_softmax", -1},
          {"causal", 1},
          {"sliding_window_cache", 0},
          {"qk_output", 0},
          {"k_quant_type", std::string("NONE")},
          {"v_quant_type", std::string("NONE")},
          {"kv_cache_bit_width", 0},
          {"qk_norm_epsilon", 1e-6f},
          {"q_norm_epsilon", 1e-6f},
          {"k_norm_epsilon", 1e-6f}}},
        buildGroupQueryAttention);
}

} // namespace ampc::onnx_import
