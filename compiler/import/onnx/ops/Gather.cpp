//===- Gather.cpp - Reading by index --------------------------------------===//

#include "compiler/import/onnx/ops/Gather.h"

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

static LogicalResult buildGather(NodeBuilder &b) {
  auto axis = b.axisAttr("axis", b.rank(0));
  if (failed(axis))
    return failure();
  NamedValue &x = b.input(0), &indices = b.input(1);
  SmallVector<int64_t> positions;
  if (x.scalars && indices.scalars &&
      constantInts(*indices.scalars, positions)) {
    int64_t size = x.scalars->size();
    SmallVector<Scalar> list;
    for (int64_t position : positions) {
      if (position < -size || position >= size)
        return b.fail("index " + Twine(position) +
                      " is out of range for size " + Twine(size));
      list.push_back((*x.scalars)[position < 0 ? position + size : position]);
    }
    return b.outputList(0, x.dtype, indices.rank(), std::move(list));
  }
  Tensor result = b.gather(b.tensor(0), b.tensor(1), *axis);
  if (failed(b.requireReadable(x.dims[*axis], result.dims)))
    return failure();
  return b.output(0, result);
}

LogicalResult requireElementwise(NodeBuilder &b, const Tensor &x,
                                 const Tensor &indices, int64_t axis) {
  if (indices.rank() != x.rank())
    return b.fail("has indices of rank " + Twine(indices.rank()) +
                  " for a tensor of rank " + Twine(x.rank()));
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis && !b.scalars.same(indices.dims[i], x.dims[i]) &&
        failed(b.require(
            b.scalars.compare(CmpIPredicate::sle, indices.dims[i], x.dims[i]),
            "has more indices than elements in dimension " + Twine(i))))
      return failure();
  return b.requireReadable(x.dims[axis], indices.dims);
}

static LogicalResult buildGatherElements(NodeBuilder &b) {
  Tensor x = b.tensor(0), indices = b.tensor(1);
  auto axis = b.axisAttr("axis", x.rank());
  if (failed(axis))
    return failure();
  if (failed(requireElementwise(b, x, indices, *axis)))
    return failure();
  Value value = b.create<amp::GatherElementsOp>(b.type(x.dtype, indices.dims),
                                                *axis, x.value, indices.value);
  return b.output(0, Tensor{value, x.dtype, indices.dims, {}});
}

static LogicalResult buildGatherND(NodeBuilder &b) {
  Tensor x = b.tensor(0), indices = b.tensor(1);
  int64_t batch = b.intAttr("batch_dims", 0);
  if (batch < 0 || batch >= std::min(x.rank(), indices.rank()))
    return b.fail("has batch_dims " + Twine(batch));
  auto depth = constantInt(indices.dims.back());
  if (!depth || *depth < 1 || batch + *depth > x.rank())
    return b.fail("has index tuples of a length that is not known or too long");
  for (int64_t i = 0; i < batch; ++i)
    if (failed(b.requireEqual(x.dims[i], indices.dims[i],
                              "batch dimension " + Twine(i) + " differs")))
      return failure();
  Dims dims(indices.dims.begin(), indices.dims.end() - 1);
  dims.append(x.dims.begin() + batch + *depth, x.dims.end());
  if (failed(b.requireReadable(ArrayRef(x.dims).slice(batch, *depth), dims)))
    return failure();
  Value value = b.create<amp::GatherNDOp>(b.type(x.dtype, dims), batch, x.value,
                                          indices.value);
  return b.output(0, Tensor{value, x.dtype, dims, {}});
}

/// on_value where the index along the new axis is the one given.
static LogicalResult buildOneHot(NodeBuilder &b) {
  auto depth = b.list(1), values = b.list(2);
  if (failed(depth) || failed(values))
    return failure();
  if (depth->size() != 1 || values->size() != 2)
    return b.fail("needs one depth and two values");
  ScalarBuilder &s = b.scalars;
  Scalar size = depth->front();
  if (!isIndex(b.dtype(1)))
    size = isFloat(b.dtype(1)) ? getAsOpFoldResult(PointBuilder(b).cast(
                                     s.value(size), b.dtype(1), DType::Int64))
                               : s.emit<arith::IndexCastUIOp>(
                                     b.builder().getIndexType(), s.value(size));
  Tensor indices = b.cast(b.tensor(0), DType::Int64);
  auto axis = b.normalizeAxis(b.intAttr("axis", -1), indices.rank() + 1);
  if (failed(axis))
    return failure();
  Dims dims = indices.dims;
  dims.insert(dims.begin() + *axis, size);
  indices = b.broadcast(b.unsqueeze(indices, {*axis}), dims);
  // Negative indices count from the end.
  Tensor count = b.broadcast(b.scalarTensor(size, DType::Int64), dims);
  Tensor negative = b.compare(CmpIPredicate::slt, CmpFPredicate::OLT, indices,
                              b.splatLike(0, indices));
  indices = b.select(negative, b.add(indices, count), indices);
  Tensor hit = b.compare(CmpIPredicate::eq, CmpFPredicate::OEQ, indices,
                         b.iota(DType::Int64, *axis, dims));
  auto fill = [&](Scalar value) {
    return b.broadcast(b.scalarTensor(value, b.dtype(2)), dims);
  };
  return b.output(0, b.select(hit, fill((*values)[1]), fill((*values)[0])));
}

void registerGatherOps(OpTable &t) {
  t.add("Gather", 1, 13, buildGather);
  t.add("GatherElements", 11, 13, buildGatherElements);
  t.add("GatherND", 11, 13, buildGatherND);
  t.add("OneHot", 9, 28, buildOneHot);
}

} // namespace ampc::onnx_import
