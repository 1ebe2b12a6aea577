//===- FusedAttention.cpp - Attention as onnxruntime fuses it -------------===//
//
// Attention, MultiHeadAttention and RotaryEmbedding of com.microsoft. Packed
// inputs, shared buffers and caches that are written in place are not supported.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Matmul.h"

#include <cmath>

using namespace mlir;

namespace ampc::onnx_import {

namespace {

/// Query, key and value, each [batch, heads, positions, size].
struct Operands {
  Tensor query, key, value;
};

/// What a score's mask depends on: [batch, 1, queries, keys].
struct Scores {
  Scalar batch, queries, keys;
  /// Keys before the first query's own.
  Scalar past;

  Dims dims(NodeBuilder &b) const {
    return {batch, b.scalars.index(1), queries, keys};
  }
};

} // namespace

/// [batch, positions, heads * size] as [batch, heads, positions, size].
static FailureOr<Tensor> splitHeads(NodeBuilder &b, const Tensor &x,
                                    int64_t heads) {
  ScalarBuilder &s = b.scalars;
  Scalar size = s.div(x.dims[2], s.index(heads));
  if (failed(b.requireEqual(s.mul(size, s.index(heads)), x.dims[2],
                            "heads do not divide the hidden size")))
    return failure();
  Tensor split = b.reshape(x, {x.dims[0], x.dims[1], s.index(heads), size});
  return b.transpose(split, {0, 2, 1, 3});
}

static Tensor joinHeads(NodeBuilder &b, const Tensor &x) {
  Tensor y = b.transpose(x, {0, 2, 1, 3});
  return b.reshape(y, {y.dims[0], y.dims[1],
                       b.scalars.mul(y.dims[2], y.dims[3])});
}

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
    bool isLengths = s.same(mask.dims[0], scores.batch);
    if (!isLengths && !(size && batch && *size == 2 * *batch))
      return b.fail("has a mask of rank 1 whose size is neither the batch's "
                    "nor twice that");
    counts = key < bound(s.index(0));
    if (!isLengths)
      counts = *counts & (key >= bound(scores.batch));
  } else {
    return b.fail("has a mask of rank " + Twine(mask.rank()) +
                  ", which is not supported");
  }
  Expr zero(b, b.splat(0, dtype, counts->dims()));
  return select(*counts, zero, b.floatAttr("mask_filter_value", -10000));
}

/// The sum of all that masks scores; none if nothing does. `mask` and `bias`
/// are the inputs that may do so.
static FailureOr<std::optional<Tensor>> maskOf(NodeBuilder &b, unsigned mask,
                                               unsigned bias,
                                               const Scores &scores,
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
    double least = dtype == DType::Float16
                       ? -65504
                       : std::numeric_limits<float>::lowest();
    if (failed(add(select(Expr::position(b, 3, dims) <= last, zero, least))))
      return failure();
  }
  return sum;
}

/// [batch, heads, queries, size of a value].
static FailureOr<Tensor> attend(NodeBuilder &b, const Operands &x,
                                std::optional<Tensor> mask) {
  ScalarBuilder &s = b.scalars;
  Dims full{x.query.dims[0], x.query.dims[1], x.query.dims[2],
            x.key.dims[2]};
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
  double scale = b.floatAttr("scale", 0);
  if (scale == 0) {
    auto size = constantInt(x.query.dims[3]);
    if (!size)
      return b.fail("has heads of unknown size; give it by --dim");
    scale = 1 / std::sqrt(static_cast<double>(*size));
  }
  Dims dims{full[0], full[1], full[2], x.value.dims[3]};
  Value value = b.create<amp::AttentionOp>(
      b.type(x.query.dtype, dims), x.query.value, x.key.value, x.value.value,
      mask ? mask->value : Value(), APFloat(static_cast<float>(scale)),
      /*causal=*/false, amp::AlgorithmAttr());
  return Tensor{value, x.query.dtype, dims, {}};
}

/// Parts of the last dimension of these sizes.
static SmallVector<Tensor> parts(NodeBuilder &b, const Tensor &x,
                                 ArrayRef<Scalar> sizes) {
  SmallVector<Tensor> result;
  Scalar start = b.scalars.index(0);
  for (Scalar size : sizes) {
    result.push_back(b.sliceAxis(x, x.rank() - 1, start, size));
    start = b.scalars.add(start, size);
  }
  return result;
}

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
  if (auto given = b.node.intsAttr("qkv_hidden_sizes"); given && !given->empty())
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
  Operands operands{heads4[0], heads4[1], heads4[2]};
  Scalar past = s.index(0);
  if (b.has(Past)) {
    Tensor cache = b.tensor(Past);
    if (cache.rank() != 5)
      return b.fail("needs a past of rank 5");
    past = cache.dims[3];
    Dims dims(cache.dims.begin() + 1, cache.dims.end());
    for (auto [i, now] : {std::pair(0, &operands.key), {1, &operands.value}}) {
      Tensor own = b.reshape(b.sliceAxis(cache, 0, s.index(i), s.index(1)),
                             dims);
      for (int64_t d : {0, 1, 3})
        if (failed(b.requireEqual(own.dims[d], now->dims[d],
                                  "the past has another shape")))
          return failure();
      own.dims = {now->dims[0], now->dims[1], past, now->dims[3]};
      *now = b.concat({own, *now}, 2);
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
    return x;
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
  Operands operands{*q, *k, *v};
  Scalar past = s.index(0);
  for (auto [cache, now] :
       {std::pair(PastKey, &operands.key), {PastValue, &operands.value}}) {
    if (!b.has(cache))
      continue;
    Tensor before = b.tensor(cache);
    if (before.rank() != 4)
      return b.fail("needs a past of rank 4");
    for (int64_t d : {0, 1, 3})
      if (failed(b.requireEqual(before.dims[d], now->dims[d],
                                "the past has another shape")))
        return failure();
    past = before.dims[2];
    before.dims = {now->dims[0], now->dims[1], past, now->dims[3]};
    *now = b.concat({before, *now}, 2);
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

/// Turns pairs of a head's numbers by angles that depend on the position (Su et
/// al., RoFormer, 2021). Positions are one start for all, or one each.
static LogicalResult buildRotaryEmbedding(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), positions = b.cast(b.tensor(1), DType::Int64),
         cosTable = b.tensor(2), sinTable = b.tensor(3);
  if (b.intAttr("is_packed_batching"))
    return b.fail("packs batches, which is not supported");
  if ((x.rank() != 3 && x.rank() != 4) || cosTable.rank() != 2 ||
      sinTable.rank() != 2)
    return b.fail("needs an input of rank 3 or 4 and tables of rank 2");
  // As [batch, positions, heads, size].
  bool isFlat = x.rank() == 3;
  Dims original = x.dims;
  Scalar half = cosTable.dims[1], rotated = s.mul(half, s.index(2));
  if (isFlat) {
    int64_t heads = b.intAttr("num_heads");
    Scalar size = heads ? s.div(x.dims[2], s.index(heads)) : rotated;
    Scalar count = heads ? s.index(heads) : s.div(x.dims[2], size);
    if (failed(b.requireEqual(s.mul(size, count), x.dims[2],
                              "heads do not divide the hidden size")))
      return failure();
    x = b.reshape(x, {x.dims[0], x.dims[1], count, size});
  } else {
    x = b.transpose(x, {0, 2, 1, 3});
  }
  int64_t given = b.intAttr("rotary_embedding_dim");
  if (given && failed(b.requireEqual(s.index(given), rotated,
                                     "the tables have half as many columns as "
                                     "rotary_embedding_dim")))
    return failure();
  if (failed(b.require(s.compare(arith::CmpIPredicate::sle, rotated, x.dims[3]),
                       "turns more numbers than a head has")))
    return failure();

  Dims grid{x.dims[0], x.dims[1]};
  Expr at(b, positions);
  if (positions.rank() == 1)
    at = at.broadcast(grid) + Expr::position(b, 1, grid);
  else if (positions.rank() == 2 &&
           succeeded(b.requireEqual(positions.dims[0], grid[0],
                                    "positions differ in batch")) &&
           succeeded(b.requireEqual(positions.dims[1], grid[1],
                                    "has one position each")))
    at = at.broadcast(grid);
  else
    return b.fail("needs positions of rank 1 or 2 that fit");
  if (failed(b.requireReadable(cosTable.dims[0], grid)))
    return failure();
  Dims turned{grid[0], grid[1], x.dims[2], half};
  auto table = [&](const Tensor &from) {
    Tensor row = b.gather(from, at, 0);
    return Expr(b, b.cast(row, x.dtype))
        .reshape({grid[0], grid[1], s.index(1), half})
        .broadcast(turned);
  };
  Expr c = table(cosTable), d = table(sinTable);
  bool interleaved = b.intAttr("interleaved");
  Tensor first = b.sliceAxis(x, 3, s.index(0), rotated);
  Dims pairs = turned;
  pairs.push_back(s.index(2));
  auto pick = [&](int64_t i) {
    if (!interleaved)
      return Expr(b, b.sliceAxis(first, 3, i ? half : s.index(0), half));
    Tensor apart = b.reshape(first, pairs);
    return Expr(b, b.sliceAxis(apart, 4, s.index(i), s.index(1)))
        .reshape(turned);
  };
  Expr u = pick(0), v = pick(1);
  Expr re = u * c - v * d, im = u * d + v * c;
  Tensor y;
  if (interleaved) {
    Dims whole = turned;
    whole[3] = rotated;
    y = b.reshape(b.concat({b.unsqueeze(re, {4}), b.unsqueeze(im, {4})}, 4),
                  whole);
  } else {
    y = b.concat({re, im}, 3);
  }
  Scalar rest = s.sub(x.dims[3], rotated);
  if (constantInt(rest) != 0)
    y = b.concat({y, b.sliceAxis(x, 3, rotated, rest)}, 3);
  y.dims = x.dims;
  return b.output(0, isFlat ? b.reshape(y, original)
                            : b.transpose(y, {0, 2, 1, 3}));
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
  t.add({"RotaryEmbedding",
         "input:T position_ids:int64 cos_cache:T sin_cache:T",
         "output:T",
         types,
         {{"interleaved", 0},
          {"num_heads", 0},
          {"rotary_embedding_dim", 0},
          {"is_packed_batching", 0},
          {"scale", 1.0f}}},
        buildRotaryEmbedding);
}

} // namespace ampc::onnx_import
