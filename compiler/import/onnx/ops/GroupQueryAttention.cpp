//===- GroupQueryAttention.cpp - Attention with a cache -------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/ops/Attention.h"
#include "compiler/import/onnx/ops/Norm.h"
#include "compiler/import/onnx/ops/RotaryEmbedding.h"

using namespace mlir;

namespace ampc::onnx_import {

namespace {
enum Input {
  Query,
  Key,
  Values,
  PastKey,
  PastValue,
  LastKey,
  Total,
  Cosines,
  Sines,
  Positions,
  ScoreBias,
};

/// Where the keys of now stand in the cache.
struct Cache {
  /// The first place, one for each of the batch: [batch, 1] int64.
  Expr start;
  /// How many keys queries can see at most.
  Scalar total;
};
} // namespace

static FailureOr<Heads> headsOf(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  int64_t heads = b.intAttr("num_heads"), few = b.intAttr("kv_num_heads");
  if (heads < 1 || few < 1 || heads % few)
    return b.fail("needs a positive kv_num_heads that divides num_heads");
  Tensor x = b.tensor(Query);
  SmallVector<Tensor> packed{x};
  if (x.rank() != 3 || b.has(Key) != b.has(Values))
    return b.fail("needs inputs of rank 3, and keys and values or neither");
  if (b.has(Key)) {
    packed.append({b.tensor(Key), b.tensor(Values)});
  } else {
    Scalar size = s.div(x.dims[2], s.index(heads + 2 * few));
    Scalar other = s.mul(size, s.index(few));
    packed = parts(b, x, {s.mul(size, s.index(heads)), other, other});
  }
  SmallVector<Tensor> result;
  int64_t counts[] = {heads, few, few};
  for (auto [tensor, count] : llvm::zip(packed, counts)) {
    if (tensor.rank() != 3 ||
        failed(b.requireEqual(tensor.dims[0], x.dims[0], "differs in batch")) ||
        failed(b.requireEqual(tensor.dims[1], x.dims[1],
                              "has not one key and value for each query")))
      return b.fail("needs keys and values like the query");
    auto split = splitHeads(b, tensor, count);
    if (failed(split))
      return failure();
    result.push_back(*split);
  }
  return Heads{result[0], result[1], result[2]};
}

/// The input gives the last key of each of the batch. A prompt, which has as
/// many queries as there are keys, starts the cache; what is too short for it
/// is padded at its end.
static FailureOr<Cache> cacheOf(NodeBuilder &b, const Tensor &query) {
  ScalarBuilder &s = b.scalars;
  auto total = b.list(Total);
  if (failed(total))
    return failure();
  if (total->size() != 1)
    return b.fail("needs one total sequence length");
  Tensor last = b.cast(b.tensor(LastKey), DType::Int64);
  Dims column{query.dims[0], s.index(1)};
  if (failed(b.requireEqual(s.product(last.dims), column[0],
                            "has one length for each of the batch")))
    return failure();
  Scalar isPrompt =
      s.compare(arith::CmpIPredicate::eq, query.dims[2], total->front());
  auto repeated = [&](Scalar scalar) {
    return Expr::ofScalar(b, scalar, DType::Int64, column);
  };
  Expr later = Expr(b, last).reshape(column) + 1 - repeated(query.dims[2]);
  Expr factor = repeated(s.select(isPrompt, s.index(0), s.index(1)));
  return Cache{later * factor, total->front()};
}

/// The keys or values of now written behind those of the past.
static FailureOr<Tensor> append(NodeBuilder &b, unsigned input,
                                const Tensor &now, const Cache &cache) {
  ScalarBuilder &s = b.scalars;
  Scalar zero = s.index(0);
  Dims dims = now.dims;
  dims[2] = cache.total;
  Tensor all;
  if (b.has(input)) {
    Tensor past = b.tensor(input);
    if (past.rank() != 4 || past.dtype != now.dtype)
      return b.fail("has a past of another rank or type");
    for (int64_t d : {0, 1, 3})
      if (failed(b.requireEqual(past.dims[d], now.dims[d],
                                "the past has another shape")))
        return failure();
    dims[2] = s.max(past.dims[2], cache.total);
    Scalar more = s.sub(dims[2], past.dims[2]);
    all = b.pad(past, 0, {zero, zero, zero, zero}, {zero, zero, more, zero});
    all = b.reshape(all, dims);
  } else {
    all = b.splat(0, now.dtype, dims);
  }
  if (failed(b.requireReadable(dims[2], now.dims)))
    return failure();
  Dims column{now.dims[0], s.index(1), s.index(1), s.index(1)};
  Expr at = cache.start.reshape(column).broadcast(now.dims) +
            Expr::position(b, 2, now.dims);
  all.value = b.create<amp::ScatterElementsOp>(
      b.type(all.dtype, dims), 2, amp::ScatterKind::Replace, all.value,
      at.tensor.value, now.value);
  return all;
}

/// Queries see the keys up to their own, or the last ones of these.
static FailureOr<Tensor> visible(NodeBuilder &b, const Tensor &query,
                                 const Cache &cache) {
  Scalar one = b.scalars.index(1);
  Dims dims{query.dims[0], one, query.dims[2], cache.total};
  Expr own = cache.start.reshape({dims[0], one, one, one}).broadcast(dims) +
             Expr::position(b, 2, dims);
  Expr key = Expr::position(b, 3, dims), sees = key <= own;
  if (int64_t window = b.intAttr("local_window_size", -1); window > 0)
    sees = sees & (key > own - double(window));
  Expr nothing(b, b.splat(0, query.dtype, dims));
  SmallVector<Tensor> terms{
      select(sees, nothing, -std::numeric_limits<double>::infinity())};
  if (!b.has(ScoreBias))
    return terms[0];
  terms.push_back(b.tensor(ScoreBias));
  if (failed(b.broadcastAll(terms)))
    return failure();
  return b.add(terms[0], terms[1]);
}

LogicalResult buildGroupQueryAttention(NodeBuilder &b) {
  for (unsigned i = ScoreBias + 1; i < b.numInputs(); ++i)
    if (b.has(i))
      return b.fail("has a head sink, scales or weights of norms, which are "
                    "not supported");
  if (b.floatAttr("softcap") != 0 || b.intAttr("smooth_softmax", -1) > 0 ||
      !b.intAttr("causal", 1) || b.intAttr("sliding_window_cache") ||
      b.stringAttr("k_quant_type", "NONE") != "NONE" || b.wants(3))
    return b.fail("caps scores, smooths the softmax, sees all keys, slides or "
                  "quantizes its cache or gives scores, which is not "
                  "supported");
  auto x = headsOf(b);
  if (failed(x))
    return failure();
  auto cache = cacheOf(b, x->query);
  if (failed(cache))
    return failure();
  if (b.intAttr("do_rotary")) {
    if (!b.has(Cosines) || !b.has(Sines))
      return b.fail("needs tables to rotate by");
    Dims grid{x->query.dims[0], x->query.dims[2]};
    Expr at = cache->start.broadcast(grid) + Expr::position(b, 1, grid);
    if (b.has(Positions)) {
      auto each = spreadTo(b, b.tensor(Positions), grid);
      if (failed(each))
        return failure();
      at = {b, *each};
    }
    for (Tensor *heads : {&x->query, &x->key}) {
      auto turned =
          rotate(b, b.transpose(*heads, {0, 2, 1, 3}), at, b.tensor(Cosines),
                 b.tensor(Sines), b.intAttr("rotary_interleaved"));
      if (failed(turned))
        return failure();
      *heads = b.transpose(*turned, {0, 2, 1, 3});
    }
  }
  auto key = append(b, PastKey, x->key, *cache),
       value = append(b, PastValue, x->value, *cache);
  if (failed(key) || failed(value))
    return failure();
  auto seen = [&](const Tensor &all) {
    return b.sliceAxis(all, 2, b.scalars.index(0), cache->total);
  };
  auto mask = visible(b, x->query, *cache);
  if (failed(mask))
    return failure();
  auto y = attend(b, {x->query, seen(*key), seen(*value)}, *mask);
  if (failed(y))
    return failure();
  (void)b.output(1, *key);
  (void)b.output(2, *value);
  return b.output(0, joinHeads(b, *y));
}

} // namespace ampc::onnx_import
