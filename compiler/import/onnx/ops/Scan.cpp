//===- Scan.cpp - Running sums, sorting and searching along an axis -------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Axes.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

template <amp::ReduceKind kind> static LogicalResult buildScan(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto given = b.list(1);
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return b.fail("needs one axis");
  Tensor view = x;
  int64_t axis = 1;
  if (auto known = constantInt(given->front())) {
    auto normal = b.normalizeAxis(*known, x.rank());
    if (failed(normal))
      return failure();
    axis = *normal;
  } else {
    view = b.reshape(x, aroundAxis(b, x.dims, given->front()));
  }
  Value value = b.create<amp::ScanOp>(view.type(), kind, view.value, axis,
                                      b.intAttr("exclusive", 0) != 0,
                                      b.intAttr("reverse", 0) != 0);
  return b.output(0, b.reshape(Tensor{value, x.dtype, view.dims, {}}, x.dims));
}

template <amp::ReduceKind kind>
static LogicalResult buildArgReduce(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto axis = b.axisAttr("axis", x.rank());
  if (failed(axis))
    return failure();
  Dims dims = x.dims;
  dims.erase(dims.begin() + *axis);
  Value value = b.create<amp::ArgReduceOp>(
      b.type(DType::Int64, dims), kind, x.value, *axis,
      b.intAttr("select_last_index", 0) != 0, isUnsigned(x.dtype));
  Tensor result{value, DType::Int64, dims, {}};
  if (b.intAttr("keepdims", 1))
    result = b.unsqueeze(result, {*axis});
  return b.output(0, result);
}

static LogicalResult buildTopK(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  auto axis = b.axisAttr("axis", x.rank(), -1);
  if (failed(axis))
    return failure();
  Scalar k = s.index(b.intAttr("k", 0));
  if (b.node.version >= 10) {
    auto list = b.list(1);
    if (failed(list))
      return failure();
    if (list->size() != 1)
      return b.fail("has " + Twine(list->size()) + " values for k");
    k = list->front();
  }
  if (failed(b.require(s.compare(CmpIPredicate::sle, k, x.dims[*axis]),
                       "k is more than there are elements")) ||
      failed(b.require(s.compare(CmpIPredicate::sge, k, s.index(0)),
                       "k is negative")))
    return failure();
  Dims dims = x.dims;
  dims[*axis] = k;
  SmallVector<Value> dynamic = b.dynamic(k);
  auto op = b.create<amp::TopKOp>(
      b.type(x.dtype, dims), b.type(DType::Int64, dims), x.value, *axis,
      dynamic.empty() ? Value() : dynamic.front(), b.intAttr("largest", 1) != 0,
      isUnsigned(x.dtype));
  (void)b.output(1, Tensor{op.getIndices(), DType::Int64, dims, {}});
  return b.output(0, Tensor{op.getValues(), x.dtype, dims, {}});
}

void registerScanOps(OpTable &t) {
  t.add("CumSum", 11, 14, buildScan<amp::ReduceKind::Sum>);
  t.add("CumProd", 26, 26, buildScan<amp::ReduceKind::Prod>);
  t.add("ArgMax", 1, 13, buildArgReduce<amp::ReduceKind::Max>);
  t.add("ArgMin", 1, 13, buildArgReduce<amp::ReduceKind::Min>);
  t.add("TopK", 1, 24, buildTopK);
}

} // namespace ampc::onnx_import
