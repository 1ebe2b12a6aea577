//===- Conv.cpp - Convolutions --------------------------------------------===//

#include "compiler/import/onnx/ops/Conv.h"

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Window.h"

using namespace mlir;

namespace ampc::onnx_import {

/// The filter's spatial sizes, which must be known and agree with kernel_shape.
static FailureOr<SmallVector<int64_t>> kernelOf(NodeBuilder &b, const Tensor &x,
                                                const Tensor &filter) {
  if (x.rank() < 3 || x.rank() > 5)
    return b.fail("has an input of rank " + Twine(x.rank()) +
                  "; supported are 3 to 5");
  if (filter.rank() != x.rank())
    return b.fail("has a filter of rank " + Twine(filter.rank()) +
                  " for an input of rank " + Twine(x.rank()));
  SmallVector<int64_t> kernel;
  if (!constantInts(ArrayRef<Scalar>(filter.dims).drop_front(2), kernel))
    return b.fail("has a filter of unknown size");
  if (auto given = b.node.intsAttr("kernel_shape"); given && *given != kernel)
    return b.fail("has a kernel_shape that is not the filter's");
  return kernel;
}

static FailureOr<Value> biasOf(NodeBuilder &b, std::optional<Tensor> bias,
                               Scalar channels) {
  if (!bias)
    return Value();
  if (bias->rank() != 1)
    return b.fail("has a bias of rank " + Twine(bias->rank()));
  if (failed(b.requireEqual(bias->dims[0], channels,
                            "has one bias for each output channel")))
    return failure();
  return bias->value;
}

FailureOr<Tensor> conv(NodeBuilder &b, Tensor x, const Tensor &filter,
                       std::optional<Tensor> biasTensor, DType dtype) {
  ScalarBuilder &s = b.scalars;
  if (dtype == DType::Undefined)
    dtype = x.dtype;
  auto kernel = kernelOf(b, x, filter);
  if (failed(kernel))
    return failure();
  int64_t groups = b.intAttr("group", 1);
  if (groups < 1)
    return b.fail("has group " + Twine(groups));
  if (failed(b.requireEqual(s.mul(filter.dims[1], s.index(groups)), x.dims[1],
                            "input channels do not fit the filter")))
    return failure();
  if (auto channels = constantInt(filter.dims[0]);
      channels && *channels % groups != 0)
    return b.fail("has " + Twine(*channels) + " output channels in " +
                  Twine(groups) + " groups");
  auto window = windowOf(b, x, *kernel, /*padValue=*/0);
  auto bias = biasOf(b, biasTensor, filter.dims[0]);
  if (failed(window) || failed(bias))
    return failure();
  Dims dims{x.dims[0], filter.dims[0]};
  dims.append(windowedDims(b, ArrayRef<Scalar>(x.dims).drop_front(2), *window));
  Value value = b.create<amp::ConvOp>(
      b.type(dtype, dims), x.value, filter.value, *bias, window->strides,
      window->dilations, window->pads, groups, amp::AlgorithmAttr());
  return Tensor{value, dtype, dims, {}};
}

static LogicalResult buildConv(NodeBuilder &b) {
  auto result = conv(b, b.tensor(0), b.tensor(1), b.optionalTensor(2));
  return failed(result) ? failure() : b.output(0, *result);
}

/// Pads that give the size that output_shape or auto_pad asks for. What pads
/// cannot take away is added as output padding.
static LogicalResult adjustPads(NodeBuilder &b, ArrayRef<Scalar> spatial,
                                Window &window,
                                SmallVectorImpl<int64_t> &outputPadding) {
  std::string mode = b.stringAttr("auto_pad", "NOTSET");
  auto shape = b.node.intsAttr("output_shape");
  if (!shape && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    return success();
  int64_t rank = window.rank();
  // output_shape may name all dimensions.
  if (shape && int64_t(shape->size()) == rank + 2)
    shape->erase(shape->begin(), shape->begin() + 2);
  if (shape && int64_t(shape->size()) != rank)
    return b.fail("has an output_shape of " + Twine(shape->size()) + " sizes");
  for (int64_t i = 0; i < rank; ++i) {
    // SAME: the output is stride times the input, so the input cancels.
    int64_t total = outputPadding[i] + window.span(i) - window.strides[i];
    if (shape) {
      auto size = constantInt(spatial[i]);
      if (!size)
        return b.fail("has output_shape for an input of unknown size; give it "
                      "by --dim");
      total += window.strides[i] * *size - (*shape)[i];
    }
    if (total < 0)
      outputPadding[i] -= total;
    total = std::max<int64_t>(total, 0);
    int64_t half = total / 2;
    window.pads[i] = mode == "SAME_UPPER" ? half : total - half;
    window.pads[rank + i] = total - window.pads[i];
  }
  return success();
}

static LogicalResult buildConvTranspose(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), filter = b.tensor(1);
  auto kernel = kernelOf(b, x, filter);
  if (failed(kernel))
    return failure();
  int64_t rank = kernel->size(), groups = b.intAttr("group", 1);
  if (groups < 1)
    return b.fail("has group " + Twine(groups));
  if (failed(b.requireEqual(filter.dims[0], x.dims[1],
                            "input channels do not fit the filter")))
    return failure();
  Window window;
  window.kernel = *kernel;
  auto strides = spatialAttr(b, "strides", rank, 1);
  auto dilations = spatialAttr(b, "dilations", rank, 1);
  auto pads = spatialAttr(b, "pads", 2 * rank, 0);
  auto outputPadding = spatialAttr(b, "output_padding", rank, 0);
  Scalar channels = s.mul(filter.dims[1], s.index(groups));
  auto bias = biasOf(b, b.optionalTensor(2), channels);
  if (failed(strides) || failed(dilations) || failed(pads) ||
      failed(outputPadding) || failed(bias))
    return failure();
  window.strides = *strides;
  window.dilations = *dilations;
  window.pads = *pads;
  ArrayRef<Scalar> spatial = ArrayRef<Scalar>(x.dims).drop_front(2);
  if (failed(adjustPads(b, spatial, window, *outputPadding)))
    return failure();
  Dims dims{x.dims[0], channels};
  for (int64_t i = 0; i < rank; ++i) {
    int64_t rest = (*outputPadding)[i] + window.span(i) - window.strides[i] -
                   window.pads[i] - window.pads[rank + i];
    dims.push_back(s.max(
        s.add(s.mul(spatial[i], s.index(window.strides[i])), s.index(rest)),
        s.index(0)));
  }
  Value value = b.create<amp::ConvTransposeOp>(
      b.type(x.dtype, dims), x.value, filter.value, *bias, window.strides,
      window.dilations, window.pads, *outputPadding, groups,
      amp::AlgorithmAttr());
  return b.output(0, Tensor{value, x.dtype, dims, {}});
}

void registerConvOps(OpTable &t) {
  t.add("Conv", 1, 22, buildConv);
  t.add("ConvTranspose", 1, 22, buildConvTranspose);
}

} // namespace ampc::onnx_import
