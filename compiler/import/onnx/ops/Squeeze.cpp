//===- Squeeze.cpp - Dimensions of size one come and go -------------------===//
//
// Axes are an attribute up to opset 12 and an input after. An input that only
// the run brings still leaves the rank known, so that sizes are selected then.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"

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

/// For each of `rank` dimensions whether it is one of the axes.
static FailureOr<SmallVector<Scalar>>
membership(NodeBuilder &b, ArrayRef<Scalar> axes, int64_t rank) {
  ScalarBuilder &s = b.scalars;
  SmallVector<int64_t> known;
  if (constantInts(axes, known) && failed(b.normalizeAxes(known, rank)))
    return failure();
  SmallVector<Scalar> members;
  for (int64_t i = 0; i < rank; ++i) {
    Scalar member = Attribute(b.builder().getBoolAttr(false));
    for (Scalar axis : axes)
      for (int64_t form : {i, i - rank})
        member = s.logicalOr(member,
                             s.compare(CmpIPredicate::eq, axis, s.index(form)));
    members.push_back(member);
  }
  return members;
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
  auto isNew = membership(b, **axes, from.size() + (*axes)->size());
  if (failed(isNew))
    return failure();
  Dims dims;
  Scalar next = s.index(0);
  for (Scalar inserted : *isNew) {
    Scalar one = s.index(1);
    dims.push_back(from.empty() ? one
                                : s.select(inserted, one, at(s, from, next)));
    next = s.add(next, s.select(inserted, s.index(0), one));
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
    for (auto [i, size] : llvm::enumerate(from)) {
      if (!constantInt(size))
        return b.fail("has no axes, and whether size " + Twine(i) +
                      " is one is not known; give it by --dim");
      if (constantInt(size) != 1)
        dims.push_back(size);
    }
    return finish(b, dims);
  }
  auto removed = membership(b, **axes, from.size());
  if (failed(removed))
    return failure();
  int64_t rank = int64_t(from.size()) - int64_t((*axes)->size());
  // Result dimension j is the operand's one with j kept ones before it.
  dims.assign(std::max<int64_t>(rank, 0), s.index(1));
  Scalar kept = s.index(0);
  for (auto [i, gone] : llvm::enumerate(*removed)) {
    Scalar isOne = s.compare(CmpIPredicate::eq, from[i], s.index(1));
    Scalar stays = s.select(gone, Attribute(b.builder().getBoolAttr(false)),
                            Attribute(b.builder().getBoolAttr(true)));
    if (failed(b.require(s.logicalOr(stays, isOne),
                         "removes dimension " + Twine(i) +
                             ", whose size is not one")))
      return failure();
    for (auto [j, size] : llvm::enumerate(dims)) {
      Scalar here =
          s.logicalAnd(stays, s.compare(CmpIPredicate::eq, kept, s.index(j)));
      size = s.select(here, from[i], size);
    }
    kept = s.add(kept, s.select(stays, s.index(1), s.index(0)));
  }
  return finish(b, dims);
}

void registerSqueezeOps(OpTable &t) {
  t.add("Squeeze", 1, 25, buildSqueeze);
  t.add("Unsqueeze", 1, 25, buildUnsqueeze);
}

} // namespace ampc::onnx_import
