//===- Softmax.cpp - Softmax and its relatives ----------------------------===//

#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

template <bool log>
static Tensor softmax(NodeBuilder &b, const Tensor &x, int64_t axis) {
  return {b.create<amp::SoftmaxOp>(x.type(), x.value, axis, log),
          x.dtype,
          x.dims,
          {}};
}

/// One where the (first) maximum along the axis is, else zero.
static Tensor hardmax(NodeBuilder &b, const Tensor &x, int64_t axis) {
  Dims reduced = x.dims;
  reduced.erase(reduced.begin() + axis);
  Tensor index{b.create<amp::ArgReduceOp>(b.type(DType::Int64, reduced),
                                          amp::ReduceKind::Max, x.value, axis,
                                          /*last=*/false,
                                          /*unsigned_source=*/false),
               DType::Int64,
               reduced,
               {}};
  index = b.broadcast(b.unsqueeze(index, {axis}), x.dims);
  Tensor hit = b.compare(CmpIPredicate::eq, CmpFPredicate::OEQ,
                         b.iota(DType::Int64, axis, x.dims), index);
  return b.cast(hit, x.dtype);
}

/// Up to opset 12 the tensor is seen as a matrix: the dimensions from the axis
/// on are one.
template <Tensor (*build)(NodeBuilder &, const Tensor &, int64_t)>
static LogicalResult buildOnAxis(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  if (b.node.version >= 13) {
    auto axis = b.axisAttr("axis", x.rank(), -1);
    return failed(axis) ? failure() : b.output(0, build(b, x, *axis));
  }
  int64_t axis = b.intAttr("axis", 1);
  if (axis < -x.rank() || axis > x.rank())
    return b.fail("axis " + Twine(axis) + " is out of range for rank " +
                  Twine(x.rank()));
  if (axis < 0)
    axis += x.rank();
  if (axis == x.rank() - 1)
    return b.output(0, build(b, x, axis));
  ArrayRef<Scalar> dims = x.dims;
  Tensor matrix = b.reshape(x, {b.scalars.product(dims.take_front(axis)),
                                b.scalars.product(dims.drop_front(axis))});
  return b.output(0, b.reshape(build(b, matrix, 1), x.dims));
}

void registerSoftmaxOps(OpTable &t) {
  t.add("Softmax", 1, 13, buildOnAxis<softmax<false>>);
  t.add("LogSoftmax", 1, 13, buildOnAxis<softmax<true>>);
  t.add("Hardmax", 1, 13, buildOnAxis<hardmax>);
}

} // namespace ampc::onnx_import
