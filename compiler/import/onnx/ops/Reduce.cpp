//===- Reduce.cpp - Reductions over axes ----------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

namespace {
/// The reduced dimensions, and whether they stay with size one.
struct Axes {
  SmallVector<int64_t> axes;
  bool keep;
};
} // namespace

/// Axes are an attribute, and an input since `inputSince`. Without any, all.
static FailureOr<Axes> axesOf(NodeBuilder &b, int inputSince) {
  int64_t rank = b.rank(0);
  SmallVector<int64_t> axes;
  if (b.node.version < inputSince) {
    axes = b.node.intsAttr("axes").value_or(SmallVector<int64_t>());
  } else if (b.has(1)) {
    auto given = b.constantInts(1);
    if (failed(given))
      return failure();
    axes = *given;
  }
  bool keep = b.intAttr("keepdims", 1);
  if (axes.empty() && !b.intAttr("noop_with_empty_axes", 0))
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  auto normal = b.normalizeAxes(axes, rank);
  if (failed(normal))
    return failure();
  return Axes{*normal, keep};
}

/// A reduction of a list to one number, for shape arithmetic.
template <amp::ReduceKind kind>
static LogicalResult reduceList(NodeBuilder &b, bool keep) {
  ScalarBuilder &s = b.scalars;
  ArrayRef<Scalar> list = *b.input(0).scalars;
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
  return b.outputList(0, b.dtype(0), keep ? 1 : 0, {result});
}

template <amp::ReduceKind kind, int inputSince>
static LogicalResult buildReduce(NodeBuilder &b) {
  auto axes = axesOf(b, inputSince);
  if (failed(axes))
    return failure();
  NamedValue &x = b.input(0);
  if (x.scalars && isIndex(x.dtype) && x.rank() == 1 && !x.scalars->empty() &&
      axes->axes.size() == 1)
    return reduceList<kind>(b, axes->keep);
  return b.output(0, b.reduce(kind, b.tensor(0), axes->axes, axes->keep));
}

static LogicalResult buildReduceMean(NodeBuilder &b) {
  auto axes = axesOf(b, 18);
  if (failed(axes))
    return failure();
  return b.output(0, b.mean(b.tensor(0), axes->axes, axes->keep));
}

static Tensor absolute(NodeBuilder &b, const Tensor &x) {
  if (isUnsigned(x.dtype))
    return x;
  return isFloat(x.dtype) ? b.pointwise<math::AbsFOp>(x.dtype, x)
                          : b.pointwise<math::AbsIOp>(x.dtype, x);
}

/// The square root in the type of the tensor, integers through double.
static Tensor rootOf(NodeBuilder &b, const Tensor &x) {
  if (isFloat(x.dtype))
    return b.sqrt(x);
  return b.cast(b.sqrt(b.cast(x, DType::Double)), x.dtype);
}

static Tensor logOf(NodeBuilder &b, const Tensor &x) {
  if (isFloat(x.dtype))
    return b.pointwise<math::LogOp>(x.dtype, x);
  Tensor real = b.cast(x, DType::Double);
  return b.cast(b.pointwise<math::LogOp>(DType::Double, real), x.dtype);
}

/// log(sum(exp(x))), shifted by the maximum so that nothing overflows.
static Tensor logSumExp(NodeBuilder &b, Tensor x, const Axes &axes) {
  DType dtype = x.dtype;
  if (!isFloat(dtype))
    x = b.cast(x, DType::Double);
  Tensor top = b.reduce(amp::ReduceKind::Max, x, axes.axes, /*keepDims=*/true);
  // An infinite maximum must not be subtracted from itself.
  Tensor finite =
      b.compare(CmpIPredicate::slt, CmpFPredicate::OLT, absolute(b, top),
                b.splatLike(std::numeric_limits<double>::infinity(), top));
  top = b.select(finite, top, b.splatLike(0, top));
  Tensor shifted = b.sub(x, b.broadcast(top, x.dims));
  Tensor sum = b.reduce(amp::ReduceKind::Sum,
                        b.pointwise<math::ExpOp>(x.dtype, shifted), axes.axes,
                        /*keepDims=*/true);
  Tensor result = b.add(b.pointwise<math::LogOp>(x.dtype, sum), top);
  if (!axes.keep) {
    Dims dims;
    for (auto [i, size] : llvm::enumerate(x.dims))
      if (!llvm::is_contained(axes.axes, i))
        dims.push_back(size);
    result = b.reshape(result, dims);
  }
  return b.cast(result, dtype);
}

enum class Composed { L1, L2, LogSum, LogSumExp, SumSquare };

template <Composed kind> static LogicalResult buildComposed(NodeBuilder &b) {
  auto axes = axesOf(b, 18);
  if (failed(axes))
    return failure();
  Tensor x = b.tensor(0);
  auto sum = [&](const Tensor &of) {
    return b.reduce(amp::ReduceKind::Sum, of, axes->axes, axes->keep);
  };
  switch (kind) {
  case Composed::L1:
    return b.output(0, sum(absolute(b, x)));
  case Composed::L2:
    return b.output(0, rootOf(b, sum(b.mul(x, x))));
  case Composed::LogSum:
    return b.output(0, logOf(b, sum(x)));
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
