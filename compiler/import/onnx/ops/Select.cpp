//===- Select.cpp - NonZero and Compress ----------------------------------===//

#include "compiler/import/onnx/ops/Select.h"

#include "compiler/import/onnx/OpTable.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

Tensor flatten(NodeBuilder &b, const Tensor &x) {
  return b.reshape(x, {b.scalars.product(x.dims)});
}

Tensor filled(NodeBuilder &b, Scalar number, const Dims &dims) {
  if (auto known = constantInt(number))
    return b.splat(static_cast<double>(*known), DType::Int64, dims);
  Value element = b.scalars.value(b.scalars.emit<arith::IndexCastOp>(
      b.builder().getI64Type(), b.scalars.value(number)));
  return {b.create<amp::SplatOp>(b.type(DType::Int64, dims), element,
                                 b.dynamic(dims)),
          DType::Int64,
          dims,
          {}};
}

Tensor runningSum(NodeBuilder &b, const Tensor &list) {
  Value value = b.create<amp::ScanOp>(list.type(), amp::ReduceKind::Sum,
                                      list.value, /*axis=*/0,
                                      /*exclusive=*/false, /*reverse=*/false);
  return {value, list.dtype, list.dims, {}};
}

Tensor scatterList(NodeBuilder &b, Scalar size, const Tensor &positions,
                   const Tensor &values, bool add) {
  Tensor zeros = b.splat(0, DType::Int64, {size});
  Value value = b.create<amp::ScatterElementsOp>(
      zeros.type(), /*axis=*/0,
      add ? amp::ScatterKind::Add : amp::ScatterKind::Replace, zeros.value,
      positions.value, values.value);
  return {value, DType::Int64, zeros.dims, {}};
}

Tensor positionsOfTrue(NodeBuilder &b, const Tensor &mask) {
  ScalarBuilder &s = b.scalars;
  Tensor ones = b.cast(mask, DType::Int64);
  Tensor total = b.reduce(amp::ReduceKind::Sum, ones, {0}, /*keepDims=*/false);
  Scalar count = s.emit<arith::IndexCastOp>(
      b.builder().getIndexType(),
      b.create<tensor::ExtractOp>(total.value, ValueRange()).getResult());
  count = s.max(count, s.index(0));
  // Each true element goes to its number among them, all others to one place
  // behind, which is cut off.
  Tensor numbers = b.sub(runningSum(b, ones), b.splatLike(1, ones));
  Tensor places = b.select(mask, numbers, filled(b, count, mask.dims));
  Tensor placed = scatterList(b, s.add(count, s.index(1)), places,
                              b.iota(DType::Int64, 0, mask.dims));
  return b.sliceAxis(placed, 0, s.index(0), count);
}

static LogicalResult buildNonZero(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  Tensor mask =
      b.compare(CmpIPredicate::ne, CmpFPredicate::UNE, x, b.splatLike(0, x));
  Tensor positions = positionsOfTrue(b, flatten(b, mask));
  Dims row{s.index(1), positions.dims[0]};
  if (x.rank() == 0)
    return b.output(0,
                    b.splat(0, DType::Int64, {s.index(0), positions.dims[0]}));
  SmallVector<Tensor> rows;
  for (int64_t i = 0; i < x.rank(); ++i) {
    // Where there is a position no size is zero.
    Scalar step = s.product(ArrayRef(x.dims).drop_front(i + 1));
    Tensor index = positions;
    if (constantInt(step) != 1)
      index = b.pointwise<arith::DivUIOp>(
          DType::Int64, index, filled(b, s.max(step, s.index(1)), index.dims));
    if (i > 0)
      index = b.pointwise<arith::RemUIOp>(
          DType::Int64, index,
          filled(b, s.max(x.dims[i], s.index(1)), index.dims));
    rows.push_back(b.reshape(index, row));
  }
  return b.output(0, b.concat(rows, 0));
}

static LogicalResult buildCompress(NodeBuilder &b) {
  Tensor x = b.tensor(0), condition = b.tensor(1);
  if (condition.rank() != 1)
    return b.fail("needs a condition of rank 1, not " +
                  Twine(condition.rank()));
  int64_t axis = 0;
  if (b.node.hasAttr("axis")) {
    auto given = b.axisAttr("axis", x.rank());
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    x = flatten(b, x);
  }
  if (failed(b.require(b.scalars.compare(CmpIPredicate::sle, condition.dims[0],
                                         x.dims[axis]),
                       "has more conditions than elements")))
    return failure();
  return b.output(0, b.gather(x, positionsOfTrue(b, condition), axis));
}

void registerSelectOps(OpTable &t) {
  t.add("NonZero", 9, 28, buildNonZero);
  t.add("Compress", 9, 28, buildCompress);
}

} // namespace ampc::onnx_import
