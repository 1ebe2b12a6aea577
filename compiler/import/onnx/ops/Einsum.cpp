//===- Einsum.cpp - Einstein summation ------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Matmul.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ampc::onnx_import {

/// One label a dimension: a letter, or kEllipsis + i for the i-th dimension
/// from the right of what an ellipsis stands for.
using Labels = SmallVector<int>;
constexpr int kEllipsis = 256;

namespace {
struct Term {
  Tensor tensor;
  Labels labels;
};
} // namespace

static FailureOr<Labels> parseTerm(NodeBuilder &b, StringRef text,
                                   int64_t ellipsisRank) {
  Labels labels;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      for (int64_t i = ellipsisRank - 1; i >= 0; --i)
        labels.push_back(kEllipsis + i);
    } else if (llvm::isAlpha(text.front())) {
      labels.push_back(text.front());
      text = text.drop_front();
    } else {
      return b.fail("has an equation with an unexpected '" +
                    Twine(text.front()) + "'");
    }
  }
  return labels;
}

static Term sumOut(NodeBuilder &b, Term term,
                   llvm::function_ref<bool(int)> keep) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [i, label] : llvm::enumerate(term.labels))
    if (keep(label))
      kept.push_back(label);
    else
      axes.push_back(i);
  if (axes.empty())
    return term;
  return {b.reduce(amp::ReduceKind::Sum, term.tensor, axes, false), kept};
}

/// Keeps the diagonal where a label stands twice.
static Term takeDiagonals(NodeBuilder &b, Term term) {
  for (size_t i = 0; i < term.labels.size(); ++i)
    for (size_t j = term.labels.size() - 1; j > i; --j) {
      if (term.labels[i] != term.labels[j])
        continue;
      Tensor &x = term.tensor;
      Tensor on = b.compare(arith::CmpIPredicate::eq, arith::CmpFPredicate::OEQ,
                            b.iota(DType::Int64, i, x.dims),
                            b.iota(DType::Int64, j, x.dims));
      x = b.reduce(amp::ReduceKind::Sum, b.select(on, x, b.splatLike(0, x)),
                   {int64_t(j)}, false);
      term.labels.erase(term.labels.begin() + j);
    }
  return term;
}

/// Dimensions of `term` in the order of `labels`, which are all of its own.
static Tensor ordered(NodeBuilder &b, const Term &term, ArrayRef<int> labels) {
  SmallVector<int64_t> permutation;
  for (int label : labels)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return b.transpose(term.tensor, permutation);
}

/// The product of two terms without shared sums, by broadcasting.
static FailureOr<Term> multiply(NodeBuilder &b, const Term &lhs,
                                const Term &rhs) {
  Labels labels = lhs.labels;
  for (int label : rhs.labels)
    if (!llvm::is_contained(labels, label))
      labels.push_back(label);
  SmallVector<Tensor> factors;
  for (const Term *term : {&lhs, &rhs}) {
    Labels own;
    SmallVector<int64_t> missing;
    for (auto [i, label] : llvm::enumerate(labels))
      if (llvm::is_contained(term->labels, label))
        own.push_back(label);
      else
        missing.push_back(i);
    factors.push_back(b.unsqueeze(ordered(b, *term, own), missing));
  }
  if (failed(b.broadcastAll(factors)))
    return failure();
  return Term{b.mul(factors[0], factors[1]), labels};
}

/// Multiplies two terms and sums over the labels that `keep` does not want.
static FailureOr<Term> contract(NodeBuilder &b, Term lhs, Term rhs,
                                llvm::function_ref<bool(int)> keep) {
  auto in = [](const Term &term, int label) {
    return llvm::is_contained(term.labels, label);
  };
  lhs = sumOut(b, lhs, [&](int l) { return keep(l) || in(rhs, l); });
  rhs = sumOut(b, rhs, [&](int l) { return keep(l) || in(lhs, l); });
  Labels batch, summed, rows, columns;
  for (int label : lhs.labels)
    (!in(rhs, label) ? rows : keep(label) ? batch : summed).push_back(label);
  for (int label : rhs.labels)
    if (!in(lhs, label))
      columns.push_back(label);
  if (summed.empty())
    return multiply(b, lhs, rhs);

  auto join = [](Labels first, const Labels &second, const Labels &third) {
    first.append(second);
    first.append(third);
    return first;
  };
  Tensor x = ordered(b, lhs, join(batch, rows, summed));
  Tensor y = ordered(b, rhs, join(batch, summed, columns));
  size_t nb = batch.size(), nr = rows.size(), ns = summed.size();
  auto matrix = [&](const Tensor &t, size_t first) {
    ArrayRef<Scalar> dims = t.dims;
    Dims shape(dims.take_front(nb));
    shape.push_back(b.scalars.product(dims.slice(nb, first)));
    shape.push_back(b.scalars.product(dims.drop_front(nb + first)));
    return b.reshape(t, shape);
  };
  Dims rowDims(ArrayRef<Scalar>(x.dims).slice(nb, nr)),
      columnDims(ArrayRef<Scalar>(y.dims).drop_front(nb + ns));
  auto product = matmul(b, matrix(x, nr), matrix(y, ns));
  if (failed(product))
    return failure();
  Dims dims(ArrayRef<Scalar>(product->dims).take_front(nb));
  dims.append(rowDims);
  dims.append(columnDims);
  return Term{b.reshape(*product, dims), join(batch, rows, columns)};
}

static LogicalResult buildEinsum(NodeBuilder &b) {
  std::string equation = b.stringAttr("equation");
  llvm::erase_if(equation, [](char c) { return c == ' '; });
  auto [left, right] = StringRef(equation).split("->");
  bool isExplicit = StringRef(equation).contains("->");
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != b.numInputs())
    return b.fail("has " + Twine(texts.size()) + " terms for " +
                  Twine(b.numInputs()) + " inputs");
  SmallVector<Term> terms;
  int64_t widest = 0;
  for (auto [i, text] : llvm::enumerate(texts)) {
    int64_t letters = llvm::count_if(text, llvm::isAlpha);
    int64_t hidden = text.contains("...") ? b.rank(i) - letters : 0;
    auto labels = parseTerm(b, text, hidden);
    if (failed(labels))
      return failure();
    if (hidden < 0 || int64_t(labels->size()) != b.rank(i))
      return b.fail("has term '" + text + "' for rank " + Twine(b.rank(i)));
    widest = std::max(widest, hidden);
    terms.push_back(takeDiagonals(b, {b.tensor(i), *labels}));
  }
  Labels output;
  if (isExplicit) {
    auto labels = parseTerm(b, right, widest);
    if (failed(labels))
      return failure();
    output = *labels;
  } else {
    // The ellipsis, then letters that stand once, in order.
    for (int64_t i = widest - 1; i >= 0; --i)
      output.push_back(kEllipsis + i);
    for (int letter = 'A'; letter <= 'z'; ++letter)
      if (left.count(char(letter)) == 1 && llvm::isAlpha(char(letter)))
        output.push_back(letter);
  }
  Term result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    auto keep = [&](int label) {
      return llvm::is_contained(output, label) ||
             llvm::any_of(ArrayRef(terms).drop_front(i + 1),
                          [&](const Term &later) {
                            return llvm::is_contained(later.labels, label);
                          });
    };
    auto next = contract(b, result, terms[i], keep);
    if (failed(next))
      return failure();
    result = *next;
  }
  result = sumOut(b, result,
                  [&](int label) { return llvm::is_contained(output, label); });
  for (int label : output)
    if (!llvm::is_contained(result.labels, label))
      return b.fail("has an output label that no input has");
  if (output.size() != result.labels.size())
    return b.fail("has a label twice in its output");
  return b.output(0, ordered(b, result, output));
}

void registerEinsumOps(OpTable &t) { t.add("Einsum", 12, 28, buildEinsum); }

} // namespace ampc::onnx_import
