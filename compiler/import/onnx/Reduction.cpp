//===- Reduction.cpp - Reductions with tracked sizes ----------------------===//

#include "compiler/import/onnx/NodeBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

Tensor NodeBuilder::reduce(amp::ReduceKind kind, const Tensor &x,
                           ArrayRef<int64_t> axes, bool keepDims) {
  SmallVector<int64_t> sorted(axes);
  llvm::sort(sorted);
  Tensor result = x;
  if (!sorted.empty()) {
    Dims dims;
    for (auto [i, size] : llvm::enumerate(x.dims))
      if (!llvm::is_contained(sorted, i))
        dims.push_back(size);
    result = {
        create<amp::ReduceOp>(type(x.dtype, dims), kind, x.value, sorted,
                              isUnsigned(x.dtype) || x.dtype == DType::Bool),
        x.dtype,
        dims,
        {}};
  }
  return keepDims ? unsqueeze(result, sorted) : result;
}

Tensor NodeBuilder::mean(const Tensor &x, ArrayRef<int64_t> axes,
                         bool keepDims) {
  Tensor sum = reduce(amp::ReduceKind::Sum, x, axes, keepDims);
  SmallVector<Scalar> sizes;
  for (int64_t axis : axes)
    sizes.push_back(x.dims[axis]);
  return divideByCount(sum, scalars.product(sizes));
}

Tensor NodeBuilder::divideByCount(const Tensor &sum, Scalar count) {
  Tensor divisor;
  if (auto known = constantInt(count)) {
    if (*known == 1)
      return sum;
    divisor = splatLike(static_cast<double>(*known), sum);
  } else {
    divisor =
        broadcast(cast(scalarTensor(count, DType::Int64), sum.dtype), sum.dims);
  }
  if (isFloat(sum.dtype))
    return div(sum, divisor);
  // The mean of nothing has no meaning, but it must not trap.
  divisor = maximum(divisor, splatLike(1, divisor));
  return isUnsigned(sum.dtype)
             ? pointwise<arith::DivUIOp>(sum.dtype, sum, divisor)
             : pointwise<arith::DivSIOp>(sum.dtype, sum, divisor);
}

} // namespace ampc::onnx_import
