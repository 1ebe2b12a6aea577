//===- Squeeze.cpp - Dimensions of size one come and go -------------------===//
//
// Axes are an attribute up to opset 12 and an input after. An input that only
// the run brings still leaves the rank known, so that sizes are selected then.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Axes.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

/// The axes, or nothing if the node has none.
static FailureOr<std::optional<SmallVector<Scalar>>> axesOf(NodeBuilder &b) {
  std::optional<SmallVector<Scalar>> axes;
  if (b.node.version < 13) {
    if (auto ints = b.node.intsAttr("axes"))
      axes = llvm::map_to_vector(
          *ints, [&](int64_t axis) { return b.scalars.index(axis); });
    return axes;
  }
  if (!b.has(1))
    return axes;
  auto list = b.list(1);
  if (failed(list))
    return failure();
  axes = *list;
  return axes;
}

/// Axes counted from the front where they are constant.
static LogicalResult normalize(NodeBuilder &b, SmallVector<Scalar> &axes,
                               int64_t rank) {
  SmallVector<int64_t> known;
  if (!constantInts(axes, known))
    return success();
  auto normal = b.normalizeAxes(known, rank);
  if (failed(normal))
    return failure();
  axes = llvm::map_to_vector(
      *normal, [&](int64_t axis) { return b.scalars.index(axis); });
  return success();
}

/// Whether dimension `i` is one of the axes.
static Scalar isMember(NodeBuilder &b, ArrayRef<Scalar> axes, int64_t i,
                       int64_t rank) {
  Scalar member = Attribute(b.builder().getBoolAttr(false));
  for (Scalar axis : axes)
    member = b.scalars.logicalOr(member, isAxis(b.scalars, axis, i, rank));
  return member;
}

static LogicalResult finish(NodeBuilder &b, const Dims &dims) {
  NamedValue &x = b.input(0);
  if (x.scalars && dims.size() <= 1)
    return b.outputList(0, x.dtype, dims.size(), *x.scalars);
  return b.output(0, b.reshape(b.tensor(0), dims));
}

/// The element of `list` at a position that may be known at run time only.
static Scalar at(ScalarBuilder &s, ArrayRef<Scalar> list, Scalar position) {
  if (auto known = constantInt(position))
    return list[std::clamp<int64_t>(*known, 0, list.size() - 1)];
  Scalar result = list.front();
  for (size_t i = 1; i < list.size(); ++i)
    result = s.select(s.compare(CmpIPredicate::eq, position, s.index(i)),
                      list[i], result);
  return result;
}

static LogicalResult buildUnsqueeze(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  auto axes = axesOf(b);
  if (failed(axes))
    return failure();
  if (!*axes)
    return b.fail("has no axes");
  const Dims &from = b.dims(0);
  int64_t rank = from.size() + (*axes)->size();
  if (failed(normalize(b, **axes, rank)))
    return failure();
  Dims dims;
  Scalar zero = s.index(0), one = s.index(1), next = zero;
  for (int64_t i = 0; i < rank; ++i) {
    Scalar inserted = isMember(b, **axes, i, rank);
    dims.push_back(from.empty() ? one
                                : s.select(inserted, one, at(s, from, next)));
    next = s.add(next, s.select(inserted, zero, one));
  }
  return finish(b, dims);
}

static LogicalResult buildSqueeze(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  auto axes = axesOf(b);
  if (failed(axes))
    return failure();
  const Dims &from = b.dims(0);
  Dims dims;
  if (!*axes) {
    // A size that only the run knows stays: ranks are static.
    for (auto [i, size] : llvm::enumerate(from)) {
      if (constantInt(size) == 1)
        continue;
      if (failed(b.require(
              s.compare(CmpIPredicate::ne, size, s.index(1)),
              "has no axes, and was compiled for a size of dimension " +
                  Twine(i) + " other than one; fix it by --dim")))
        return failure();
      dims.push_back(size);
    }
    return finish(b, dims);
  }
  int64_t rank = from.size();
  if (failed(normalize(b, **axes, rank)))
    return failure();
  if (int64_t((*axes)->size()) > rank)
    return b.fail("has more axes than dimensions");
  for (auto [i, size] : llvm::enumerate(from)) {
    Scalar gone = isMember(b, **axes, i, rank);
    Scalar stays =
        b.scalars.select(gone, Attribute(b.builder().getBoolAttr(false)),
                         Attribute(b.builder().getBoolAttr(true)));
    Scalar isOne = s.compare(CmpIPredicate::eq, size, s.index(1));
    if (failed(b.require(s.logicalOr(stays, isOne),
                         "removes dimension " + Twine(i) +
                             ", whose size is not one")))
      return failure();
  }
  return finish(b, remaining(b, from, Axes{**axes, false}));
}

void registerSqueezeOps(OpTable &t) {
  t.add("Squeeze", 1, 25, buildSqueeze);
  t.add("Unsqueeze", 1, 25, buildUnsqueeze);
}

} // namespace ampc::onnx_import
