//===- Movement.cpp - Reshapes, slices and the like -----------------------===//

#include "compiler/import/onnx/NodeBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

Tensor NodeBuilder::reshape(const Tensor &x, const Dims &dims) {
  RankedTensorType shape = type(x.dtype, dims);
  if (x.type() == shape && scalars.same(x.dims, dims))
    return x;
  Tensor result{{}, x.dtype, dims, {}};
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(x.constant);
      dense && shape.hasStaticShape()) {
    result.constant = dense.reshape(shape);
    result.value = create<arith::ConstantOp>(result.constant);
    return result;
  }
  result.value = create<amp::ReshapeOp>(shape, x.value, dynamic(dims));
  return result;
}

Tensor NodeBuilder::unsqueeze(const Tensor &x, ArrayRef<int64_t> axes) {
  Dims dims;
  size_t next = 0;
  for (size_t i = 0; i < x.dims.size() + axes.size(); ++i)
    dims.push_back(llvm::is_contained(axes, i) ? scalars.index(1)
                                               : x.dims[next++]);
  return reshape(x, dims);
}

Tensor NodeBuilder::transpose(const Tensor &x, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return x;
  Dims dims;
  for (int64_t from : permutation)
    dims.push_back(x.dims[from]);
  return {create<amp::TransposeOp>(type(x.dtype, dims), x.value, permutation),
          x.dtype,
          dims,
          {}};
}

Tensor NodeBuilder::slice(const Tensor &x, ArrayRef<Scalar> starts,
                          ArrayRef<Scalar> steps, const Dims &dims) {
  auto all = [](ArrayRef<Scalar> list, int64_t value) {
    return llvm::all_of(list,
                        [&](Scalar s) { return constantInt(s) == value; });
  };
  if (x.dims == dims && all(starts, 0) && all(steps, 1))
    return x;
  return {create<amp::SliceOp>(type(x.dtype, dims), x.value, starts, steps,
                               dynamic(dims)),
          x.dtype,
          dims,
          {}};
}

Tensor NodeBuilder::sliceAxis(const Tensor &x, int64_t axis, Scalar start,
                              Scalar size) {
  SmallVector<Scalar> starts(x.rank(), scalars.index(0)),
      steps(x.rank(), scalars.index(1));
  Dims dims = x.dims;
  starts[axis] = start;
  dims[axis] = size;
  return slice(x, starts, steps, dims);
}

Tensor NodeBuilder::concat(ArrayRef<Tensor> parts, int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  Tensor result{{}, parts.front().dtype, parts.front().dims, {}};
  SmallVector<Value> values{parts.front().value};
  for (const Tensor &part : parts.drop_front()) {
    result.dims[axis] = scalars.add(result.dims[axis], part.dims[axis]);
    values.push_back(part.value);
  }
  result.value =
      create<amp::ConcatOp>(type(result.dtype, result.dims), axis, values);
  return result;
}

Tensor NodeBuilder::pad(const Tensor &x, double value, ArrayRef<Scalar> low,
                        ArrayRef<Scalar> high) {
  return padWith(x, scalarConstant(value, x.dtype), low, high,
                 amp::PadMode::Constant);
}

Tensor NodeBuilder::padWith(const Tensor &x, Value value, ArrayRef<Scalar> low,
                            ArrayRef<Scalar> high, amp::PadMode mode) {
  Dims dims;
  bool grows = true, same = true;
  for (auto [size, before, after] : llvm::zip(x.dims, low, high)) {
    dims.push_back(scalars.add(scalars.add(size, before), after));
    auto lowSize = constantInt(before), highSize = constantInt(after);
    grows &= lowSize && *lowSize >= 0 && highSize && *highSize >= 0;
    same &= lowSize == 0 && highSize == 0;
  }
  if (same)
    return x;
  SmallVector<int64_t> interior(x.rank(), 0);
  return {create<amp::PadOp>(type(x.dtype, dims), x.value, value, dynamic(low),
                             dynamic(dims), staticShape(low), interior, mode,
                             grows),
          x.dtype,
          dims,
          {}};
}

Tensor NodeBuilder::iota(DType dtype, int64_t dimension, const Dims &dims) {
  return {create<amp::IotaOp>(type(dtype, dims), dimension, dynamic(dims)),
          dtype,
          dims,
          {}};
}

Tensor NodeBuilder::gather(const Tensor &x, const Tensor &indices,
                           int64_t axis) {
  Dims dims(x.dims.begin(), x.dims.begin() + axis);
  dims.append(indices.dims);
  dims.append(x.dims.begin() + axis + 1, x.dims.end());
  return {
      create<amp::GatherOp>(type(x.dtype, dims), axis, x.value, indices.value),
      x.dtype,
      dims,
      {}};
}

} // namespace ampc::onnx_import
