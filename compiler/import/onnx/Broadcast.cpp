//===- Broadcast.cpp - Shapes that must meet ------------------------------===//

#include "compiler/import/onnx/NodeBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

/// The size that two sizes of one dimension broadcast to.
static FailureOr<Scalar> broadcastDim(NodeBuilder &b, Scalar lhs, Scalar rhs) {
  if (b.scalars.same(lhs, rhs))
    return constantInt(rhs) ? rhs : lhs;
  auto left = constantInt(lhs), right = constantInt(rhs);
  if (left == 1)
    return rhs;
  if (right == 1)
    return lhs;
  ScalarBuilder &s = b.scalars;
  if (left && right) {
    (void)b.fail("sizes " + Twine(*left) + " and " + Twine(*right) +
                 " do not broadcast");
    return failure();
  }
  auto is = [&](Scalar size, Scalar other) {
    return s.compare(arith::CmpIPredicate::eq, size, other);
  };
  Scalar one = s.index(1);
  Scalar fits = is(lhs, rhs);
  if (!left)
    fits = s.logicalOr(fits, is(lhs, one));
  if (!right)
    fits = s.logicalOr(fits, is(rhs, one));
  if (failed(b.require(fits, "sizes of its inputs do not broadcast")))
    return failure();
  if (left)
    return lhs;
  if (right)
    return rhs;
  return s.select(is(lhs, one), rhs, lhs);
}

FailureOr<Dims> NodeBuilder::broadcastDims(ArrayRef<Dims> operands) {
  Dims result;
  for (const Dims &operand : operands) {
    // Aligned at the right; the longer shape gives the rest.
    if (operand.size() > result.size())
      result.insert(result.begin(), operand.size() - result.size(),
                    scalars.index(1));
    size_t offset = result.size() - operand.size();
    for (auto [i, size] : llvm::enumerate(operand)) {
      auto common = broadcastDim(*this, result[offset + i], size);
      if (failed(common))
        return failure();
      result[offset + i] = *common;
    }
  }
  return result;
}

/// The one element of a constant, or null.
static TypedAttr onlyElement(const Tensor &x) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(x.constant);
  if (!dense || !dense.isSplat())
    return {};
  return dense.getSplatValue<TypedAttr>();
}

Tensor NodeBuilder::broadcast(const Tensor &x, const Dims &dims) {
  RankedTensorType result = type(x.dtype, dims);
  if (x.type() == result && scalars.same(x.dims, dims))
    return x;
  if (TypedAttr element = onlyElement(x)) {
    if (result.hasStaticShape()) {
      auto elements = DenseElementsAttr::get(result, Attribute(element));
      return {create<arith::ConstantOp>(elements), x.dtype, dims, elements};
    }
    Value value = scalars.value(Attribute(element));
    return {
        create<amp::SplatOp>(result, value, dynamic(dims)), x.dtype, dims, {}};
  }
  SmallVector<int64_t> maybeOne;
  size_t offset = dims.size() - x.dims.size();
  for (auto [i, size] : llvm::enumerate(x.dims))
    if (!constantInt(size) && !scalars.same(size, dims[offset + i]))
      maybeOne.push_back(i);
  return {create<amp::BroadcastOp>(result, x.value, dynamic(dims), maybeOne),
          x.dtype,
          dims,
          {}};
}

LogicalResult NodeBuilder::broadcastAll(MutableArrayRef<Tensor> tensors) {
  auto common = broadcastDims(llvm::map_to_vector(
      tensors, [](const Tensor &tensor) { return tensor.dims; }));
  if (failed(common))
    return failure();
  for (Tensor &tensor : tensors)
    tensor = broadcast(tensor, *common);
  return success();
}

FailureOr<Tensor> NodeBuilder::broadcastOnto(const Tensor &x,
                                             const Dims &dims) {
  if (x.rank() > int64_t(dims.size()))
    return fail("has an operand of rank " + Twine(x.rank()) +
                " that does not fit");
  auto under = ArrayRef(dims).take_back(x.rank());
  for (auto [own, size] : llvm::zip(x.dims, under))
    if (constantInt(own) != 1 &&
        failed(requireEqual(own, size, "has an operand that does not fit")))
      return failure();
  return broadcast(x, dims);
}

} // namespace ampc::onnx_import
