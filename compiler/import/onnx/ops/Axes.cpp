//===- Axes.cpp - Axes that may be known at run time only -----------------===//

#include "compiler/import/onnx/ops/Axes.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

Scalar isAxis(ScalarBuilder &s, Scalar axis, int64_t i, int64_t rank) {
  return s.logicalOr(s.compare(CmpIPredicate::eq, axis, s.index(i)),
                     s.compare(CmpIPredicate::eq, axis, s.index(i - rank)));
}

Scalar sizeAlong(NodeBuilder &b, ArrayRef<Scalar> dims, Scalar axis) {
  Scalar size = b.scalars.index(1);
  for (auto [i, dim] : llvm::enumerate(dims))
    size = b.scalars.select(isAxis(b.scalars, axis, i, dims.size()), dim, size);
  return size;
}

Dims aroundAxis(NodeBuilder &b, ArrayRef<Scalar> dims, Scalar axis) {
  ScalarBuilder &s = b.scalars;
  Scalar one = s.index(1), before = one, size = one, after = one;
  Scalar seen = Attribute(b.builder().getBoolAttr(false));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Scalar here = isAxis(s, axis, i, dims.size());
    size = s.select(here, dim, size);
    after = s.mul(after, s.select(seen, dim, one));
    seen = s.logicalOr(seen, here);
    before = s.mul(before, s.select(seen, one, dim));
  }
  return {before, size, after};
}

Dims remaining(NodeBuilder &b, ArrayRef<Scalar> dims, const Axes &axes) {
  ScalarBuilder &s = b.scalars;
  Dims result(dims.size() - axes.axes.size(), s.index(1));
  Scalar kept = s.index(0);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Scalar gone = Attribute(b.builder().getBoolAttr(false));
    for (Scalar axis : axes.axes)
      gone = s.logicalOr(gone, isAxis(s, axis, i, dims.size()));
    for (auto [j, size] : llvm::enumerate(result)) {
      Scalar here = s.compare(CmpIPredicate::eq, kept, s.index(j));
      size = s.select(gone, size, s.select(here, dim, size));
    }
    kept = s.add(kept, s.select(gone, s.index(0), s.index(1)));
  }
  return result;
}

Tensor reduceOver(NodeBuilder &b, amp::ReduceKind kind, const Tensor &x,
                  const Axes &axes) {
  SmallVector<int64_t> known;
  if (constantInts(axes.axes, known))
    return b.reduce(kind, x, known, axes.keep);
  ScalarBuilder &s = b.scalars;
  Tensor result = x;
  Dims dims = x.dims;
  for (Scalar axis : axes.axes) {
    result = b.reshape(result, aroundAxis(b, dims, axis));
    result = b.reduce(kind, result, {1}, /*keepDims=*/false);
    for (auto [i, dim] : llvm::enumerate(dims))
      dim = s.select(isAxis(s, axis, i, dims.size()), s.index(1), dim);
  }
  return b.reshape(result, axes.keep ? dims : remaining(b, x.dims, axes));
}

} // namespace ampc::onnx_import
