//===- Reduce.cpp - Reductions over axes ----------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Axes.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

/// Axes are an attribute, and an input since `inputSince`. Without any, all.
static FailureOr<Axes> axesOf(NodeBuilder &b, int inputSince) {
  ScalarBuilder &s = b.scalars;
  Axes axes;
  if (b.node.version < inputSince) {
    for (int64_t axis :
         b.node.intsAttr("axes").value_or(SmallVector<int64_t>()))
      axes.axes.push_back(s.index(axis));
  } else if (b.has(1)) {
    auto given = b.list(1);
    if (failed(given))
      return failure();
    axes.axes = *given;
  }
  axes.keep = b.intAttr("keepdims", 1);
  if (axes.axes.empty() && !b.intAttr("noop_with_empty_axes", 0))
    for (int64_t i = 0; i < b.rank(0); ++i)
      axes.axes.push_back(s.index(i));
  if (int64_t(axes.axes.size()) > b.rank(0))
    return b.reject("has " + Twine(axes.axes.size()) + " axes for rank " +
                    Twine(b.rank(0)));
  SmallVector<int64_t> known;
  if (constantInts(axes.axes, known)) {
    auto normal = b.normalizeAxes(known, b.rank(0));
    if (failed(normal))
      return failure();
    axes.axes = llvm::map_to_vector(
        *normal, [&](int64_t axis) { return s.index(axis); });
  }
  return axes;
}

/// A reduction of a list to one number, for shape arithmetic.
static Scalar reduceList(ScalarBuilder &s, amp::ReduceKind kind,
                         ArrayRef<Scalar> list) {
  Scalar result = list.front();
  for (Scalar next : list.drop_front())
    switch (kind) {
    case amp::ReduceKind::Sum:
      result = s.add(result, next);
      break;
    case amp::ReduceKind::Prod:
      result = s.mul(result, next);
      break;
    case amp::ReduceKind::Max:
      result = s.max(result, next);
      break;
    case amp::ReduceKind::Min:
      result = s.min(result, next);
      break;
    }
  return result;
}

template <amp::ReduceKind kind, int inputSince>
static LogicalResult buildReduce(NodeBuilder &b) {
  auto axes = axesOf(b, inputSince);
  if (failed(axes))
    return failure();
  NamedValue &x = b.input(0);
  if (x.scalars && isIndex(x.dtype) && x.rank() == 1 && !x.scalars->empty() &&
      axes->axes.size() == 1)
    return b.outputList(0, x.dtype, axes->keep ? 1 : 0,
                        {reduceList(b.scalars, kind, *x.scalars)});
  return b.output(0, reduceOver(b, kind, b.tensor(0), *axes));
}

static LogicalResult buildReduceMean(NodeBuilder &b) {
  auto axes = axesOf(b, 18);
  if (failed(axes))
    return failure();
  Tensor x = b.tensor(0);
  Tensor sum = reduceOver(b, amp::ReduceKind::Sum, x, *axes);
  SmallVector<Scalar> sizes;
  for (Scalar axis : axes->axes)
    sizes.push_back(sizeAlong(b, x.dims, axis));
  return b.output(0, b.divideByCount(sum, b.scalars.product(sizes)));
}

static Tensor absolute(NodeBuilder &b, const Tensor &x) {
  if (isUnsigned(x.dtype))
    return x;
  return isFloat(x.dtype) ? b.pointwise<math::AbsFOp>(x.dtype, x)
                          : b.pointwise<math::AbsIOp>(x.dtype, x);
}

/// A float function of a tensor; integers go through double.
template <typename Op> static Tensor inFloat(NodeBuilder &b, const Tensor &x) {
  if (isFloat(x.dtype))
    return b.pointwise<Op>(x.dtype, x);
  Tensor real = b.cast(x, DType::Double);
  return b.cast(b.pointwise<Op>(DType::Double, real), x.dtype);
}

/// log(sum(exp(x))), shifted by the maximum so that nothing overflows.
static Tensor logSumExp(NodeBuilder &b, Tensor x, const Axes &axes) {
  DType dtype = x.dtype;
  if (!isFloat(dtype))
    x = b.cast(x, DType::Double);
  Axes kept{axes.axes, /*keep=*/true};
  Tensor top = reduceOver(b, amp::ReduceKind::Max, x, kept);
  // An infinite maximum must not be subtracted from itself.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor finite = b.compare(CmpIPredicate::slt, CmpFPredicate::OLT,
                            absolute(b, top), b.splatLike(infinity, top));
  top = b.select(finite, top, b.splatLike(0, top));
  Dims dims = x.dims;
  Tensor shifted = b.sub(x, b.broadcast(top, dims));
  Tensor powers = b.pointwise<math::ExpOp>(x.dtype, shifted);
  Tensor sum = reduceOver(b, amp::ReduceKind::Sum, powers, kept);
  Tensor result = b.add(b.pointwise<math::LogOp>(x.dtype, sum), top);
  if (!axes.keep)
    result = b.reshape(result, remaining(b, x.dims, axes));
  return b.cast(result, dtype);
}

enum class Composed { L1, L2, LogSum, LogSumExp, SumSquare };

template <Composed kind> static LogicalResult buildComposed(NodeBuilder &b) {
  auto axes = axesOf(b, 18);
  if (failed(axes))
    return failure();
  Tensor x = b.tensor(0);
  auto sum = [&](const Tensor &of) {
    return reduceOver(b, amp::ReduceKind::Sum, of, *axes);
  };
  switch (kind) {
  case Composed::L1:
    return b.output(0, sum(absolute(b, x)));
  case Composed::L2:
    return b.output(0, inFloat<math::SqrtOp>(b, sum(b.mul(x, x))));
  case Composed::LogSum:
    return b.output(0, inFloat<math::LogOp>(b, sum(x)));
  case Composed::LogSumExp:
    return b.output(0, logSumExp(b, x, *axes));
  case Composed::SumSquare:
    return b.output(0, sum(b.mul(x, x)));
  }
  return failure();
}

void registerReduceOps(OpTable &t) {
  using amp::ReduceKind;
  t.add("ReduceSum", 1, 13, buildReduce<ReduceKind::Sum, 13>);
  t.add("ReduceProd", 1, 18, buildReduce<ReduceKind::Prod, 18>);
  t.add("ReduceMax", 1, 20, buildReduce<ReduceKind::Max, 18>);
  t.add("ReduceMin", 1, 20, buildReduce<ReduceKind::Min, 18>);
  t.add("ReduceMean", 1, 18, buildReduceMean);
  t.add("ReduceL1", 1, 18, buildComposed<Composed::L1>);
  t.add("ReduceL2", 1, 18, buildComposed<Composed::L2>);
  t.add("ReduceLogSum", 1, 28, buildComposed<Composed::LogSum>);
  t.add("ReduceLogSumExp", 1, 28, buildComposed<Composed::LogSumExp>);
  t.add("ReduceSumSquare", 1, 18, buildComposed<Composed::SumSquare>);
}

} // namespace ampc::onnx_import
