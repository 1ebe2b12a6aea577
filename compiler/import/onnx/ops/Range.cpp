//===- Range.cpp - Range --------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

/// max(ceil((limit - start) / delta), 0) for integers. The difference may need
/// all 64 bits: it is one without sign, and so is the quotient, which as a
/// number of elements is negative if it is no size.
static Scalar countInts(ScalarBuilder &s, Scalar start, Scalar limit,
                        Scalar delta) {
  Scalar zero = s.index(0), one = s.index(1);
  auto steps = [&](Scalar from, Scalar to, Scalar step) {
    // Positions of tensors are far from where 64 bits end.
    if (constantInt(step) && (constantInt(from) == 0 || constantInt(to) == 0))
      return s.ceilDiv(s.max(s.sub(to, from), zero), step);
    Scalar last = s.binary<arith::DivUIOp>(s.sub(s.sub(to, from), one), step);
    Scalar some = s.compare(CmpIPredicate::slt, from, to);
    return s.select(some, s.add(last, one), zero);
  };
  if (auto step = constantInt(delta))
    return *step > 0 ? steps(start, limit, delta)
                     : steps(limit, start, s.sub(zero, delta));
  Scalar isZero = s.compare(CmpIPredicate::eq, delta, zero);
  Scalar forward = s.compare(CmpIPredicate::sgt, delta, zero);
  Scalar safe = s.select(isZero, one, delta);
  Scalar magnitude = s.select(forward, safe, s.sub(zero, safe));
  magnitude = s.select(isZero, one, magnitude);
  return steps(s.select(forward, start, limit), s.select(forward, limit, start),
               magnitude);
}

/// The same for floats, in their own arithmetic.
static Scalar countFloats(NodeBuilder &b, DType dtype, Scalar start,
                          Scalar limit, Scalar delta) {
  ScalarBuilder &s = b.scalars;
  PointBuilder point(b);
  Scalar steps =
      s.binary<arith::DivFOp>(s.binary<arith::SubFOp>(limit, start), delta);
  steps = s.emit<math::CeilOp>(s.value(steps));
  Scalar count =
      getAsOpFoldResult(point.cast(s.value(steps), dtype, DType::Int64));
  return s.max(count, s.index(0));
}

static LogicalResult buildRange(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  DType dtype = b.dtype(0);
  SmallVector<Scalar> bounds;
  for (unsigned i = 0; i < 3; ++i) {
    auto list = b.list(i);
    if (failed(list))
      return failure();
    if (list->size() != 1)
      return b.fail("input " + Twine(i) + " is not one number");
    bounds.push_back(list->front());
  }
  if (!isIndex(dtype) && !isFloat(dtype))
    return b.fail("has type " + dtypeName(dtype) + ", which is not supported");
  if (isIndex(dtype) &&
      failed(b.require(s.compare(CmpIPredicate::ne, bounds[2], s.index(0)),
                       "has a delta of zero")))
    return failure();
  Scalar count = isIndex(dtype)
                     ? countInts(s, bounds[0], bounds[1], bounds[2])
                     : countFloats(b, dtype, bounds[0], bounds[1], bounds[2]);
  auto known = constantInt(count);
  if (isIndex(dtype) && known && *known <= NamedValue::kMaxScalars) {
    SmallVector<Scalar> list;
    for (int64_t i = 0; i < *known; ++i)
      list.push_back(s.add(bounds[0], s.mul(bounds[2], s.index(i))));
    return b.outputList(0, dtype, 1, std::move(list));
  }
  Dims dims{count};
  Tensor position = b.cast(b.iota(DType::Int64, 0, dims), dtype);
  Tensor start = b.broadcast(b.scalarTensor(bounds[0], dtype), dims);
  Tensor delta = b.broadcast(b.scalarTensor(bounds[2], dtype), dims);
  return b.output(0, b.add(start, b.mul(position, delta)));
}

void registerRangeOps(OpTable &t) { t.add("Range", 11, 27, buildRange); }

} // namespace ampc::onnx_import
