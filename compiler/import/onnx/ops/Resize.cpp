//===- Resize.cpp - Resize and Upsample -----------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ampc::onnx_import {

namespace {
struct ResizeModes {
  amp::ResizeMode mode;
  amp::CoordinateMode coordinate;
  amp::NearestMode nearest;
};
} // namespace

static FailureOr<ResizeModes> modesOf(NodeBuilder &b) {
  using amp::CoordinateMode;
  using amp::NearestMode;
  using amp::ResizeMode;
  // Before opset 11 there was one way, that of TensorFlow's older versions.
  bool legacy = b.node.version < 11;
  std::string modeName = b.stringAttr("mode", "nearest");
  auto mode = llvm::StringSwitch<std::optional<ResizeMode>>(modeName)
                  .Case("nearest", ResizeMode::Nearest)
                  .Case("linear", ResizeMode::Linear)
                  .Case("cubic", ResizeMode::Cubic)
                  .Default(std::nullopt);
  std::string coordinateName =
      legacy ? "asymmetric"
             : b.stringAttr("coordinate_transformation_mode", "half_pixel");
  auto coordinate =
      llvm::StringSwitch<std::optional<CoordinateMode>>(coordinateName)
          .Case("half_pixel", CoordinateMode::HalfPixel)
          .Case("half_pixel_symmetric", CoordinateMode::HalfPixelSymmetric)
          .Case("pytorch_half_pixel", CoordinateMode::PytorchHalfPixel)
          .Case("align_corners", CoordinateMode::AlignCorners)
          .Case("asymmetric", CoordinateMode::Asymmetric)
          .Case("tf_crop_and_resize", CoordinateMode::TfCropAndResize)
          .Case("tf_half_pixel_for_nn", CoordinateMode::TfHalfPixelForNN)
          .Default(std::nullopt);
  std::string nearestName =
      legacy ? "floor" : b.stringAttr("nearest_mode", "round_prefer_floor");
  auto nearest = llvm::StringSwitch<std::optional<NearestMode>>(nearestName)
                     .Case("round_prefer_floor", NearestMode::RoundPreferFloor)
                     .Case("round_prefer_ceil", NearestMode::RoundPreferCeil)
                     .Case("floor", NearestMode::Floor)
                     .Case("ceil", NearestMode::Ceil)
                     .Default(std::nullopt);
  if (!mode || !coordinate || !nearest)
    return b.fail("has a mode that is not known: '" + modeName + "', '" +
                  coordinateName + "', '" + nearestName + "'");
  return ResizeModes{*mode, *coordinate, *nearest};
}

namespace {
/// Host arithmetic in f32, as Resize's sizes and scales are defined.
class FloatScalars {
public:
  explicit FloatScalars(NodeBuilder &b) : b(b), point(b) {}
  Scalar number(double value) {
    return b.builder().getF32FloatAttr(static_cast<float>(value));
  }
  Scalar ofSize(Scalar size) { return cast(size, DType::Int64, DType::Float); }
  Scalar toSize(Scalar x) { return cast(x, DType::Float, DType::Int64); }
  Scalar floor(Scalar x) {
    return b.scalars.emit<math::FloorOp>(b.scalars.value(x));
  }
  Scalar mul(Scalar x, Scalar y) {
    return b.scalars.binary<arith::MulFOp>(x, y);
  }
  Scalar div(Scalar x, Scalar y) {
    return b.scalars.binary<arith::DivFOp>(x, y);
  }
  Scalar sub(Scalar x, Scalar y) {
    return b.scalars.binary<arith::SubFOp>(x, y);
  }
  Scalar add(Scalar x, Scalar y) {
    return b.scalars.binary<arith::AddFOp>(x, y);
  }
  Scalar min(Scalar x, Scalar y) {
    return b.scalars.binary<arith::MinimumFOp>(x, y);
  }
  Scalar max(Scalar x, Scalar y) {
    return b.scalars.binary<arith::MaximumFOp>(x, y);
  }
  Scalar cast(Scalar x, DType from, DType to) {
    return getAsOpFoldResult(point.cast(b.scalars.value(x), from, to));
  }

private:
  NodeBuilder &b;
  PointBuilder point;
};
} // namespace

static std::optional<double> constantFloat(Scalar scalar) {
  if (auto attr = dyn_cast<Attribute>(scalar))
    return cast<FloatAttr>(attr).getValueAsDouble();
  return std::nullopt;
}

/// floor(size * extent * scale), exactly where the scale is a whole number.
static Scalar scaledSize(NodeBuilder &b, FloatScalars &f, Scalar size,
                         Scalar scale, Scalar extent) {
  auto factor = constantFloat(scale);
  if (factor && *factor == std::floor(*factor) && *factor >= 1 &&
      *factor < 1 << 20 && constantFloat(extent) == 1.0)
    return b.scalars.mul(size, b.scalars.index(int64_t(*factor)));
  Scalar scaled = f.mul(f.mul(f.ofSize(size), extent), scale);
  return b.scalars.max(f.toSize(f.floor(scaled)), b.scalars.index(0));
}

/// The list of an input as f32 scalars; empty if left out or without elements.
static FailureOr<SmallVector<Scalar>> floatList(NodeBuilder &b, FloatScalars &f,
                                                unsigned i) {
  if (!b.has(i))
    return SmallVector<Scalar>();
  auto list = b.list(i);
  if (failed(list))
    return failure();
  for (Scalar &scalar : *list)
    scalar = f.cast(scalar, b.dtype(i), DType::Float);
  return *list;
}

namespace {
struct ResizeShape {
  SmallVector<int64_t> axes;
  SmallVector<Scalar> scales, starts, ends;
  Dims dims;
};
} // namespace

/// Where sizes are given: the scales that follow, and with a policy that keeps
/// the aspect ratio the sizes too.
static LogicalResult applySizes(NodeBuilder &b, FloatScalars &f,
                                ArrayRef<Scalar> sizes, const Dims &from,
                                ResizeShape &shape) {
  std::string policy = b.stringAttr("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") {
    for (auto [axis, size] : llvm::zip(shape.axes, sizes)) {
      shape.dims[axis] = size;
      shape.scales.push_back(f.div(f.ofSize(size), f.ofSize(from[axis])));
    }
    return success();
  }
  if (policy != "not_larger" && policy != "not_smaller")
    return b.fail("has keep_aspect_ratio_policy '" + policy + "'");
  Scalar scale;
  for (auto [axis, size] : llvm::zip(shape.axes, sizes)) {
    Scalar ratio = f.div(f.ofSize(size), f.ofSize(from[axis]));
    scale = !scale                   ? ratio
            : policy == "not_larger" ? f.min(scale, ratio)
                                     : f.max(scale, ratio);
  }
  for (int64_t axis : shape.axes) {
    Scalar size = f.mul(f.ofSize(from[axis]), scale);
    shape.dims[axis] = f.toSize(f.floor(f.add(size, f.number(0.5))));
    shape.scales.push_back(scale);
  }
  return success();
}

static LogicalResult buildResize(NodeBuilder &b) {
  FloatScalars f(b);
  Tensor x = b.tensor(0);
  auto modes = modesOf(b);
  if (failed(modes))
    return failure();
  bool antialias = b.intAttr("antialias", 0) != 0;
  if (antialias && modes->mode == amp::ResizeMode::Nearest)
    return b.fail("has antialias in mode 'nearest', which has no filter");
  bool crops = modes->coordinate == amp::CoordinateMode::TfCropAndResize;
  ResizeShape shape;
  shape.dims = x.dims;
  shape.axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (auto axes = b.node.intsAttr("axes")) {
    auto normal = b.normalizeAxes(*axes, x.rank());
    if (failed(normal))
      return failure();
    shape.axes = *normal;
  }
  size_t count = shape.axes.size();

  FailureOr<SmallVector<Scalar>> scales;
  if (b.node.version < 9) {
    scales = SmallVector<Scalar>();
    for (double scale :
         b.node.floatsAttr("scales").value_or(SmallVector<double>()))
      scales->push_back(f.number(scale));
  } else {
    scales = floatList(b, f, b.node.version < 11 ? 1 : 2);
  }
  if (failed(scales))
    return failure();
  shape.starts.assign(count, f.number(0));
  shape.ends.assign(count, f.number(1));
  if (crops) {
    auto roi = floatList(b, f, 1);
    if (failed(roi))
      return failure();
    if (roi->size() != 2 * count)
      return b.fail("has a roi of " + Twine(roi->size()) + " numbers for " +
                    Twine(count) + " axes");
    shape.starts.assign(roi->begin(), roi->begin() + count);
    shape.ends.assign(roi->begin() + count, roi->end());
  }
  if (!scales->empty()) {
    if (scales->size() != count)
      return b.fail("has " + Twine(scales->size()) + " scales for " +
                    Twine(count) + " axes");
    for (auto [i, axis] : llvm::enumerate(shape.axes)) {
      Scalar extent = f.sub(shape.ends[i], shape.starts[i]);
      shape.dims[axis] = scaledSize(b, f, x.dims[axis], (*scales)[i], extent);
    }
    shape.scales = *scales;
  } else {
    if (b.node.version < 11 || !b.has(3))
      return b.fail("has neither scales nor sizes");
    auto sizes = b.list(3);
    if (failed(sizes))
      return failure();
    if (sizes->size() != count)
      return b.fail("has " + Twine(sizes->size()) + " sizes for " +
                    Twine(count) + " axes");
    if (failed(applySizes(b, f, *sizes, x.dims, shape)))
      return failure();
  }

  // Dimensions that keep their size by a scale of one are left alone.
  SmallVector<int64_t> axes;
  SmallVector<Value> scaleValues, roi, roiEnds;
  for (auto [i, axis] : llvm::enumerate(shape.axes)) {
    auto scale = constantFloat(shape.scales[i]);
    bool same = shape.dims[axis] == x.dims[axis];
    bool whole = constantFloat(shape.starts[i]) == 0.0 &&
                 constantFloat(shape.ends[i]) == 1.0;
    if (same && whole && (!scale || *scale == 1))
      continue;
    axes.push_back(axis);
    scaleValues.push_back(b.scalars.value(shape.scales[i]));
    if (crops) {
      roi.push_back(b.scalars.value(shape.starts[i]));
      roiEnds.push_back(b.scalars.value(shape.ends[i]));
    }
  }
  if (axes.empty())
    return b.output(0, b.node.inputs[0]);
  if (failed(b.requireReadable(x.dims, shape.dims)))
    return failure();
  roi.append(roiEnds);
  auto number = [](double value) { return APFloat(static_cast<float>(value)); };
  Value value = b.create<amp::ResizeOp>(
      b.type(x.dtype, shape.dims), x.value, axes, scaleValues, roi,
      b.dynamic(shape.dims), modes->mode, modes->coordinate, modes->nearest,
      number(b.floatAttr("cubic_coeff_a", -0.75)),
      number(b.floatAttr("extrapolation_value", 0)),
      b.intAttr("exclude_outside", 0) != 0, antialias, isUnsigned(x.dtype));
  return b.output(0, Tensor{value, x.dtype, shape.dims, {}});
}

void registerResizeOps(OpTable &t) {
  t.add("Upsample", 7, 9, buildResize);
  t.add("Resize", 10, 19, buildResize);
}

} // namespace ampc::onnx_import
