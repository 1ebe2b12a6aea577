//===- TfIdf.cpp - Counts of n-grams --------------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;

namespace ampc::onnx_import {

namespace {

/// The n-grams of one length, one after the other, and the column of the result
/// that each is counted in.
struct Grams {
  int64_t length;
  SmallVector<int64_t> tokens, columns;

  int64_t count() const { return columns.size(); }
};

} // namespace

/// The n-grams of each length from min_gram_length on that the node knows.
static FailureOr<SmallVector<Grams>> gramsOf(NodeBuilder &b,
                                             ArrayRef<int64_t> columns) {
  auto pool = b.node.intsAttr("pool_int64s"),
       starts = b.node.intsAttr("ngram_counts");
  if (!pool || !starts)
    return b.fail("counts strings, which is not supported");
  int64_t shortest = b.intAttr("min_gram_length"),
          longest = b.intAttr("max_gram_length");
  SmallVector<Grams> all;
  int64_t next = 0, end = pool->size();
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t length = i + 1, from = (*starts)[i],
            to = i + 1 < starts->size() ? (*starts)[i + 1] : end;
    if (from < 0 || to < from || to > end || (to - from) % length)
      return b.fail("has ngram_counts that do not fit the pool");
    int64_t count = (to - from) / length;
    if (next + count > int64_t(columns.size()))
      return b.fail("has fewer ngram_indexes than n-grams");
    if (count && length >= shortest && length <= longest)
      all.push_back(
          {length, SmallVector<int64_t>(ArrayRef(*pool).slice(from, to - from)),
           SmallVector<int64_t>(columns.slice(next, count))});
    next += count;
  }
  return all;
}

/// How often each n-gram stands in each row of `x` [batch, tokens], with `skip`
/// tokens from one of its tokens to the next: f32 [batch, n-grams].
static Expr countGrams(NodeBuilder &b, const Tensor &x, const Grams &grams,
                       int64_t skip) {
  ScalarBuilder &s = b.scalars;
  Scalar windows =
      s.max(s.sub(x.dims[1], s.index((grams.length - 1) * skip)), s.index(0));
  Dims dims{x.dims[0], windows, s.index(grams.count())};
  std::optional<Expr> match;
  for (int64_t i = 0; i < grams.length; ++i) {
    SmallVector<int64_t> tokens;
    for (int64_t k = 0; k < grams.count(); ++k)
      tokens.push_back(grams.tokens[k * grams.length + i]);
    Expr token(b, b.constant(tokens, DType::Int64, {1, 1, grams.count()}));
    // No window, no position to start at.
    Scalar start = s.min(s.index(i * skip), s.sub(x.dims[1], windows));
    Expr at(b, b.unsqueeze(b.sliceAxis(x, 1, start, windows), {2}));
    Expr same = at.broadcast(dims) == token.broadcast(dims);
    match = match ? *match & same : same;
  }
  return {b, b.reduce(amp::ReduceKind::Sum, match->to(DType::Float), {1},
                      /*keepDims=*/false)};
}

static LogicalResult buildTfIdf(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  if (!isIndex(b.dtype(0)))
    return b.fail("counts strings, which is not supported");
  Tensor x = b.cast(b.tensor(0), DType::Int64);
  bool isRow = x.rank() == 1;
  if (isRow)
    x = b.unsqueeze(x, {0});
  std::string mode = b.stringAttr("mode");
  auto columns = b.node.intsAttr("ngram_indexes");
  auto weights = b.node.floatsAttr("weights");
  if (x.rank() != 2 || !columns || columns->empty())
    return b.fail("needs a tensor of rank 1 or 2 and ngram_indexes");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return b.fail("has mode '" + mode + "'; it is TF, IDF or TFIDF");
  auto grams = gramsOf(b, *columns);
  if (failed(grams))
    return failure();
  if (*llvm::min_element(*columns) < 0 ||
      *llvm::max_element(*columns) > INT32_MAX)
    return b.fail("has an index in ngram_indexes that is out of range");
  int64_t size = *llvm::max_element(*columns) + 1;
  Dims dims{x.dims[0], s.index(size)};
  Expr total(b, b.splat(0, DType::Float, dims));
  // Each is written out.
  constexpr int64_t most = 1024;
  int64_t skips = b.intAttr("max_skip_count");
  if (skips < 0 || skips > most)
    return b.fail("has a max_skip_count that is not 0 to " + Twine(most));
  ++skips;
  for (const Grams &group : *grams) {
    Expr count = countGrams(b, x, group, 1);
    // A single token has nothing to skip.
    for (int64_t skip = 2; group.length > 1 && skip <= skips; ++skip)
      count = count + countGrams(b, x, group, skip);
    Tensor at =
        b.broadcast(b.constant(group.columns, DType::Int64, {1, group.count()}),
                    count.dims());
    total = Expr(b, {b.create<amp::ScatterElementsOp>(
                         total.tensor.type(), 1, amp::ScatterKind::Add,
                         total.tensor.value, at.value, count.tensor.value),
                     DType::Float,
                     dims,
                     {}});
  }
  if (mode == "IDF")
    total = (total > 0).to(DType::Float);
  if (mode != "TF" && weights) {
    if (int64_t(weights->size()) < size)
      return b.fail("has fewer weights than columns");
    SmallVector<float> row(weights->begin(), weights->begin() + size);
    auto type = RankedTensorType::get({1, size}, b.builder().getF32Type());
    Expr factor(b, b.constant(DenseElementsAttr::get(type, ArrayRef(row)),
                              DType::Float, ""));
    total = total * factor.broadcast(dims);
  }
  return b.output(0, isRow ? total.reshape({s.index(size)}) : total);
}

void registerTfIdfOps(OpTable &t) {
  t.add("TfIdfVectorizer", 9, 9, buildTfIdf);
}

} // namespace ampc::onnx_import
