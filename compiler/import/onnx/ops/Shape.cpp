//===- Shape.cpp - Ops that ask for or change shapes ----------------------===//

#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

static LogicalResult buildShape(NodeBuilder &b) {
  const Dims &dims = b.dims(0);
  int64_t rank = dims.size();
  auto bound = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = bound(b.intAttr("start", 0));
  int64_t end = bound(b.intAttr("end", rank));
  SmallVector<Scalar> list;
  for (int64_t i = start; i < end; ++i)
    list.push_back(dims[i]);
  return b.outputList(0, DType::Int64, 1, std::move(list));
}

static LogicalResult buildSize(NodeBuilder &b) {
  return b.outputList(0, DType::Int64, 0, {b.scalars.product(b.dims(0))});
}

/// Output 0 is input 0, which holds as many elements, in another shape.
static LogicalResult reshapeTo(NodeBuilder &b, const Dims &dims) {
  NamedValue &x = b.input(0);
  if (x.scalars && dims.size() <= 1)
    return b.outputList(0, x.dtype, dims.size(), *x.scalars);
  return b.output(0, b.reshape(b.tensor(0), dims));
}

/// Sizes with -1 to be inferred and, unless `allowZero`, 0 to be copied. Values
/// that the run brings may be either.
static FailureOr<Dims> resolveShape(NodeBuilder &b, ArrayRef<Scalar> target,
                                    bool allowZero) {
  ScalarBuilder &s = b.scalars;
  const Dims &from = b.dims(0);
  Dims dims;
  std::optional<size_t> inferred;
  SmallVector<std::pair<size_t, Scalar>> maybeInferred;
  for (auto [i, entry] : llvm::enumerate(target)) {
    Scalar size = entry;
    auto known = constantInt(size);
    if (known == -1) {
      if (inferred)
        return b.fail("asks for two sizes to be inferred");
      inferred = i;
      dims.push_back(s.index(1));
      continue;
    }
    if (known && *known < -1)
      return b.fail("asks for size " + Twine(*known));
    if (known == 0 && !allowZero) {
      if (i >= from.size())
        return b.fail("copies size " + Twine(i) + " of a tensor of rank " +
                      Twine(from.size()));
      dims.push_back(from[i]);
      continue;
    }
    if (isNonNegative(size)) {
      dims.push_back(size);
      continue;
    }
    if (!allowZero && i < from.size())
      size = s.select(s.compare(CmpIPredicate::eq, size, s.index(0)), from[i],
                      size);
    Scalar unknown = s.compare(CmpIPredicate::eq, size, s.index(-1));
    maybeInferred.emplace_back(i, unknown);
    dims.push_back(s.select(unknown, s.index(1), size));
  }
  if (inferred)
    dims[*inferred] = s.quotient(from, dims);
  else if (!maybeInferred.empty()) {
    Scalar rest = s.quotient(from, dims);
    for (auto [i, unknown] : maybeInferred)
      dims[i] = s.select(unknown, rest, dims[i]);
  }
  return dims;
}

/// Checks that two shapes hold equally many elements.
static LogicalResult checkCount(NodeBuilder &b, const Dims &from,
                                const Dims &to) {
  SmallVector<Scalar> left(from), right;
  for (Scalar size : to)
    if (auto *same = llvm::find(left, size);
        same != left.end() && !constantInt(size))
      left.erase(same);
    else
      right.push_back(size);
  return b.requireEqual(b.scalars.product(left), b.scalars.product(right),
                        "cannot make shape " + toString(to) + " of " +
                            toString(from));
}

static LogicalResult buildReshape(NodeBuilder &b) {
  auto target = b.list(1);
  if (failed(target))
    return failure();
  auto dims = resolveShape(b, *target, b.intAttr("allowzero", 0));
  if (failed(dims) || failed(checkCount(b, b.dims(0), *dims)))
    return failure();
  return reshapeTo(b, *dims);
}

static LogicalResult buildFlatten(NodeBuilder &b) {
  int64_t rank = b.rank(0), axis = b.intAttr("axis", 1);
  if (axis < -rank || axis > rank)
    return b.fail("axis " + Twine(axis) + " is out of range for rank " +
                  Twine(rank));
  if (axis < 0)
    axis += rank;
  ArrayRef<Scalar> dims = b.dims(0);
  return reshapeTo(b, {b.scalars.product(dims.take_front(axis)),
                       b.scalars.product(dims.drop_front(axis))});
}

static LogicalResult buildExpand(NodeBuilder &b) {
  auto target = b.list(1);
  if (failed(target))
    return failure();
  auto dims = b.broadcastDims({b.dims(0), *target});
  if (failed(dims))
    return failure();
  NamedValue &x = b.input(0);
  SmallVector<int64_t> shape;
  if (x.scalars && dims->size() <= 1 && constantInts(*dims, shape) &&
      (shape.empty() || shape[0] <= NamedValue::kMaxScalars)) {
    SmallVector<Scalar> list = *x.scalars;
    if (list.size() == 1 && !shape.empty())
      list.assign(shape[0], Scalar(list.front()));
    return b.outputList(0, x.dtype, dims->size(), std::move(list));
  }
  return b.output(0, b.broadcast(b.tensor(0), *dims));
}

void registerShapeOps(OpTable &t) {
  t.add("Shape", 1, 25, buildShape);
  t.add("Size", 1, 25, buildSize);
  t.add("Reshape", 5, 25, buildReshape);
  t.add("Flatten", 1, 25, buildFlatten);
  t.add("Expand", 8, 13, buildExpand);
}

} // namespace ampc::onnx_import
