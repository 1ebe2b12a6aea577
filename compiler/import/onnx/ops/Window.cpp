//===- Window.cpp - Attributes shared by convolution and pooling ----------===//

#include "compiler/import/onnx/ops/Window.h"

using namespace mlir;

namespace ampc::onnx_import {

FailureOr<SmallVector<int64_t>> spatialAttr(NodeBuilder &b, StringRef name,
                                            size_t size, int64_t missing) {
  auto values = b.node.intsAttr(name);
  if (!values)
    return SmallVector<int64_t>(size, missing);
  if (values->size() != size)
    return b.fail("has " + Twine(values->size()) + " " + name + "; there are " +
                  Twine(size) + " to give");
  return *values;
}

/// auto_pad SAME: as many windows as strides fit into the input. The pads are
/// `low` and `high` if they do not depend on an unknown size.
static void samePads(NodeBuilder &b, Window &window, ArrayRef<Scalar> spatial,
                     bool upper, SmallVector<Scalar> &low,
                     SmallVector<Scalar> &high) {
  ScalarBuilder &s = b.scalars;
  for (int64_t i = 0; i < window.rank(); ++i) {
    Scalar stride = s.index(window.strides[i]);
    Scalar total;
    if (window.strides[i] == 1) {
      total = s.index(window.span(i) - 1);
    } else {
      Scalar windows = s.ceilDiv(spatial[i], stride);
      Scalar reach = s.add(s.mul(s.sub(windows, s.index(1)), stride),
                           s.index(window.span(i)));
      total = s.max(s.sub(reach, spatial[i]), s.index(0));
    }
    Scalar half = s.div(total, s.index(2)), rest = s.sub(total, half);
    low.push_back(upper ? half : rest);
    high.push_back(upper ? rest : half);
  }
}

FailureOr<Window> windowOf(NodeBuilder &b, Tensor &x, ArrayRef<int64_t> kernel,
                           std::optional<double> padValue) {
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  size_t rank = kernel.size();
  auto strides = spatialAttr(b, "strides", rank, 1);
  auto dilations = spatialAttr(b, "dilations", rank, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  for (size_t i = 0; i < rank; ++i)
    if (kernel[i] < 1 || (*strides)[i] < 1 || (*dilations)[i] < 1)
      return b.fail("has a kernel, stride or dilation below 1");
  window.strides = *strides;
  window.dilations = *dilations;
  window.ceil = b.intAttr("ceil_mode", 0);

  std::string mode = b.stringAttr("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) {
    auto pads = spatialAttr(b, "pads", 2 * rank, 0);
    if (failed(pads))
      return failure();
    window.pads = *pads;
    return window;
  }
  window.pads.assign(2 * rank, 0);
  if (mode == "VALID")
    return window;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER")
    return b.fail("has auto_pad '" + mode + "', which is not known");
  SmallVector<Scalar> low, high;
  samePads(b, window, ArrayRef<Scalar>(x.dims).take_back(rank),
           mode == "SAME_UPPER", low, high);
  SmallVector<int64_t> known;
  if (constantInts(low, known) && constantInts(high, known)) {
    window.pads = known;
    return window;
  }
  if (!padValue)
    return b.fail("has auto_pad " + mode +
                  " over a size that is not known; give it by --dim");
  SmallVector<Scalar> before(x.rank() - rank, b.scalars.index(0)),
      after = before;
  before.append(low);
  after.append(high);
  x = b.pad(x, *padValue, before, after);
  return window;
}

Dims windowedDims(NodeBuilder &b, ArrayRef<Scalar> spatial,
                  const Window &window) {
  Dims dims;
  int64_t rank = window.rank();
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(b.scalars.windowed(
        spatial[i], window.kernel[i], window.strides[i], window.dilations[i],
        window.pads[i], window.pads[rank + i], window.ceil));
  return dims;
}

} // namespace ampc::onnx_import
