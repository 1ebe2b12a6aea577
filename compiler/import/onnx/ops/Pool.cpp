//===- Pool.cpp - Pooling -------------------------------------------------===//

#include "compiler/import/onnx/ops/Pool.h"

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Ranks.h"
#include "compiler/import/onnx/ops/Window.h"

using namespace mlir;

namespace ampc::onnx_import {

static FailureOr<SmallVector<int64_t>> kernelOf(NodeBuilder &b) {
  int64_t rank = b.rank(0) - 2;
  if (rank < 1)
    return b.fail("has an input of rank " + Twine(b.rank(0)) +
                  "; it needs 3 at least");
  auto kernel = b.node.intsAttr("kernel_shape");
  if (!kernel || int64_t(kernel->size()) != rank)
    return b.fail("needs a kernel_shape of " + Twine(rank) + " sizes");
  return *kernel;
}

static Dims resultDims(NodeBuilder &b, const Tensor &x, const Window &window) {
  Dims dims(x.dims.begin(), x.dims.begin() + 2);
  dims.append(windowedDims(b, ArrayRef<Scalar>(x.dims).drop_front(2), window));
  return dims;
}

static Tensor pool(NodeBuilder &b, amp::PoolKind kind, const Tensor &x,
                   const Window &window, bool countPads) {
  Dims dims = resultDims(b, x, window);
  return {b.create<amp::PoolOp>(b.type(x.dtype, dims), kind, x.value,
                                window.kernel, window.strides, window.dilations,
                                window.pads, window.ceil, countPads,
                                isUnsigned(x.dtype)),
          x.dtype,
          dims,
          {}};
}

static LogicalResult buildMaxPool(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto kernel = kernelOf(b);
  if (failed(kernel))
    return failure();
  // Padding here would shift the indices.
  std::optional<double> padValue;
  if (isFloat(x.dtype) && !b.wants(1))
    padValue = -std::numeric_limits<double>::infinity();
  auto window = windowOf(b, x, *kernel, padValue);
  if (failed(window))
    return failure();
  if (b.wants(1)) {
    Dims dims = resultDims(b, x, *window);
    Value indices = b.create<amp::PoolArgOp>(
        b.type(DType::Int64, dims), x.value, window->kernel, window->strides,
        window->dilations, window->pads, window->ceil,
        b.intAttr("storage_order", 0) == 1, isUnsigned(x.dtype));
    (void)b.output(1, Tensor{indices, DType::Int64, dims, {}});
  }
  return b.output(0, pool(b, amp::PoolKind::Max, x, *window, false));
}

FailureOr<Tensor> averagePool(NodeBuilder &b, Tensor x) {
  auto kernel = kernelOf(b);
  if (failed(kernel))
    return failure();
  auto window = windowOf(b, x, *kernel, std::nullopt);
  if (failed(window))
    return failure();
  return pool(b, amp::PoolKind::Average, x, *window,
              b.intAttr("count_include_pad", 0));
}

static LogicalResult buildAveragePool(NodeBuilder &b) {
  auto result = averagePool(b, b.tensor(0));
  return failed(result) ? failure() : b.output(0, *result);
}

static SmallVector<int64_t> spatialAxes(const Tensor &x) {
  return llvm::to_vector(llvm::seq<int64_t>(2, x.rank()));
}

static LogicalResult buildGlobalAveragePool(NodeBuilder &b) {
  if (failed(requireRank(b, 0, 2, INT64_MAX)))
    return failure();
  Tensor x = b.tensor(0);
  return b.output(0, b.mean(x, spatialAxes(x), /*keepDims=*/true));
}

static LogicalResult buildGlobalMaxPool(NodeBuilder &b) {
  if (failed(requireRank(b, 0, 2, INT64_MAX)))
    return failure();
  Tensor x = b.tensor(0);
  return b.output(0, b.reduce(amp::ReduceKind::Max, x, spatialAxes(x),
                              /*keepDims=*/true));
}

/// |x|^p.
static Tensor power(NodeBuilder &b, const Tensor &x, int64_t p) {
  Tensor magnitude = b.pointwise<math::AbsFOp>(x.dtype, x);
  if (p == 1)
    return magnitude;
  if (p == 2)
    return b.mul(x, x);
  return b.pointwise<math::PowFOp>(x.dtype, magnitude,
                                   b.splatLike(double(p), x));
}

static Tensor root(NodeBuilder &b, const Tensor &x, int64_t p) {
  if (p == 1)
    return x;
  if (p == 2)
    return b.sqrt(x);
  return b.pointwise<math::PowFOp>(x.dtype, x, b.splatLike(1.0 / double(p), x));
}

static LogicalResult buildLpPool(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  int64_t p = b.intAttr("p", 2);
  auto kernel = kernelOf(b);
  if (failed(kernel))
    return failure();
  auto window = windowOf(b, x, *kernel, /*padValue=*/0);
  if (failed(window))
    return failure();
  Tensor sum = pool(b, amp::PoolKind::Sum, power(b, x, p), *window, false);
  return b.output(0, root(b, sum, p));
}

static LogicalResult buildGlobalLpPool(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  int64_t p = b.intAttr("p", 2);
  Tensor sum = b.reduce(amp::ReduceKind::Sum, power(b, x, p), spatialAxes(x),
                        /*keepDims=*/true);
  return b.output(0, root(b, sum, p));
}

void registerPoolOps(OpTable &t) {
  t.add("MaxPool", 1, 22, buildMaxPool);
  t.add("AveragePool", 1, 22, buildAveragePool);
  t.add("LpPool", 2, 22, buildLpPool);
  t.add("GlobalAveragePool", 1, 22, buildGlobalAveragePool);
  t.add("GlobalMaxPool", 1, 22, buildGlobalMaxPool);
  t.add("GlobalLpPool", 2, 22, buildGlobalLpPool);
}

} // namespace ampc::onnx_import
