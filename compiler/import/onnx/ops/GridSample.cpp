//===- GridSample.cpp - Sampling of images along a grid -------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Sample.h"

using namespace mlir;

namespace ampc::onnx_import {

namespace {

enum class Padding { Zeros, Border, Reflection };

/// One spatial dimension of the image, for a grid of float coordinates.
class Axis {
public:
  Axis(NodeBuilder &b, Scalar size, bool alignCorners, Padding padding)
      : b(b), size(size), alignCorners(alignCorners), padding(padding) {}

  /// From [-1, 1] to pixels. The ends are the outermost pixels' centres or
  /// their outer edges.
  Expr denormalize(const Expr &x) const {
    return alignCorners ? (x + 1) / 2 * (sizeLike(x) - 1)
                        : ((x + 1) * sizeLike(x) - 1) / 2;
  }

  /// A position out of bounds, brought back as the padding says.
  Expr bring(const Expr &x) const {
    if (padding == Padding::Zeros)
      return x;
    Expr low = x.number(alignCorners ? 0 : -0.5);
    Expr high = sizeLike(x) + (alignCorners ? -1 : -0.5);
    Expr outside = (x < low) | (x > high);
    if (padding == Padding::Border)
      return select(outside, min(max(x, 0), sizeLike(x) - 1), x);
    return select(outside, reflect(x, low, high), x);
  }

  /// The same for the position of a pixel.
  Expr bringPixel(const Expr &index) const {
    Expr last = Expr::ofScalar(b, size, DType::Int64, index.dims()) - 1;
    switch (padding) {
    case Padding::Zeros:
      return index;
    case Padding::Border:
      return min(max(index, 0), last);
    case Padding::Reflection:
      break;
    }
    // In whole numbers, about the outermost pixels' centres or edges: the
    // pattern repeats after twice the size.
    Expr span = alignCorners ? last : last + 1;
    Expr period = max(span * 2, 1);
    Expr rest = index % period;
    rest = select(rest < 0, rest + period, rest);
    Expr mirrored = alignCorners ? period - rest : period - rest - 1;
    return select(rest > (alignCorners ? span : last), mirrored, rest);
  }

private:
  Expr sizeLike(const Expr &x) const {
    return Expr::ofScalar(b, size, x.dtype(), x.dims());
  }

  static Expr reflect(const Expr &x, const Expr &low, const Expr &high) {
    Expr range = high - low, distance = abs(x - low);
    // A single pixel that is its own mirror image.
    range = select(range > 0, range, 1);
    Expr turns = floor(distance / range);
    Expr rest = distance - turns * range;
    Expr isOdd = floor(turns / 2) * 2 != turns;
    return min(select(isOdd, high - rest, low + rest), high);
  }

  NodeBuilder &b;
  Scalar size;
  bool alignCorners;
  Padding padding;
};

} // namespace

/// Keys' cubic convolution (IEEE Trans. ASSP 29(6), 1981) with a = -0.75.
static SmallVector<Tap> cubicTaps(const Expr &x) {
  constexpr double a = -0.75;
  Expr low = floor(x), index = low.to(DType::Int64), t = x - low;
  auto near = [](const Expr &d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  auto far = [](const Expr &d) {
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  };
  return {Tap{index - 1, far(t + 1)}, Tap{index, near(t)},
          Tap{index + 1, near(1 - t)}, Tap{index + 2, far(2 - t)}};
}

static FailureOr<Padding> paddingOf(NodeBuilder &b) {
  std::string name = b.stringAttr("padding_mode", "zeros");
  if (name == "zeros")
    return Padding::Zeros;
  if (name == "border")
    return Padding::Border;
  if (name == "reflection")
    return Padding::Reflection;
  return b.fail("has padding_mode '" + name +
                "'; it is zeros, border or reflection");
}

/// The taps of one coordinate for an interpolation mode; none if the mode is
/// not known. Cubic interpolation brings each tap back on its own, as PyTorch
/// and ONNX Runtime do.
static SmallVector<Tap> tapsOf(StringRef mode, const Axis &axis,
                               const Expr &x) {
  if (mode == "linear" || mode == "bilinear")
    return linearTaps(axis.bring(x));
  if (mode == "cubic" || mode == "bicubic")
    return cubicTaps(x);
  if (mode == "nearest")
    return {Tap{axis.bring(rint(x)).to(DType::Int64), x.number(1)}};
  return {};
}

static LogicalResult buildGridSample(NodeBuilder &b) {
  Tensor x = b.tensor(0), grid = b.tensor(1);
  int64_t rank = x.rank() - 2;
  if (rank < 1 || grid.rank() != rank + 2)
    return b.fail("needs an image and a grid of one rank, 3 at least");
  if (failed(b.requireEqual(grid.dims.back(), b.scalars.index(rank),
                            "has one coordinate for each dimension")) ||
      failed(b.requireEqual(grid.dims[0], x.dims[0],
                            "has one grid for each image")))
    return failure();
  auto padding = paddingOf(b);
  if (failed(padding))
    return failure();
  bool alignCorners = b.intAttr("align_corners", 0) != 0;
  std::string mode = b.stringAttr("mode", "linear");
  DType wide = formulaType(x.dtype);

  ArrayRef<Scalar> spatial = ArrayRef(x.dims).drop_front(2);
  Dims positions(grid.dims.begin(), grid.dims.end() - 1);
  positions[0] = x.dims[0];
  SmallVector<Axis> axes;
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t i = 0; i < rank; ++i) {
    axes.emplace_back(b, spatial[i], alignCorners, *padding);
    // The grid names the innermost dimension first.
    Tensor at = b.sliceAxis(grid, rank + 1, b.scalars.index(rank - 1 - i),
                            b.scalars.index(1));
    Expr position =
        axes[i].denormalize(Expr(b, b.cast(at, wide)).reshape(positions));
    taps.push_back(tapsOf(mode, axes[i], position));
    if (taps.back().empty())
      return b.fail("has mode '" + mode + "', which is not known");
  }
  auto image = Image::of(b, x, Expr::position(b, 0, positions));
  if (failed(image))
    return failure();
  Expr sum = interpolate(taps, [&](ArrayRef<Expr> indices) {
    SmallVector<Expr> at;
    for (auto [axis, index] : llvm::zip(axes, indices))
      at.push_back(axis.bringPixel(index));
    Expr pixel = image->read(at);
    if (*padding != Padding::Zeros)
      return pixel;
    return select(alongPositions(isInside(indices, spatial), pixel.dims()),
                  pixel, 0);
  });
  SmallVector<int64_t> channelsFirst{0, rank + 1};
  for (int64_t i = 1; i <= rank; ++i)
    channelsFirst.push_back(i);
  return b.output(0, b.transpose(sum.to(x.dtype), channelsFirst));
}

/// The grid that an affine map of normalized output positions makes: for each
/// position p and matrix theta [d, d + 1], theta [p, 1]. `size` is that of the
/// output, [batch, channels, spatial...].
static LogicalResult buildAffineGrid(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor theta = b.tensor(0);
  auto size = b.list(1);
  if (failed(size))
    return failure();
  int64_t rank = int64_t(size->size()) - 2;
  if (rank != 2 && rank != 3)
    return b.fail("has a size of " + Twine(size->size()) +
                  " numbers; it is 4 or 5");
  if (theta.rank() != 3 ||
      failed(b.requireEqual(theta.dims[1], s.index(rank),
                            "has one row of theta a dimension")) ||
      failed(b.requireEqual(theta.dims[2], s.index(rank + 1),
                            "has one column of theta a dimension and one")) ||
      failed(b.requireEqual(theta.dims[0], (*size)[0],
                            "has one theta for each of the batch")))
    return failure();
  bool alignCorners = b.intAttr("align_corners", 0) != 0;
  DType wide = formulaType(theta.dtype);
  Dims spatial(size->begin() + 2, size->end());
  Dims column = spatial;
  column.push_back(s.index(1));
  SmallVector<Tensor> columns;
  for (int64_t i = rank - 1; i >= 0; --i) {
    Expr at = Expr::position(b, i, column).to(wide);
    Expr count = Expr::ofScalar(b, spatial[i], wide, column);
    Expr x = at;
    if (alignCorners) // One position alone is the centre.
      x = select(count > 1, at * 2 / max(count - 1, 1) - 1, 0);
    else
      x = (at * 2 + 1) / count - 1;
    columns.push_back(x);
  }
  columns.push_back(b.splat(1, wide, column));
  Tensor positions = b.concat(columns, rank);
  positions =
      b.reshape(positions, {s.index(1), s.product(spatial), s.index(rank + 1)});
  theta = b.cast(theta, wide);
  Dims dims{theta.dims[0], positions.dims[1], theta.dims[1]};
  Tensor grid{b.create<amp::MatmulOp>(b.type(wide, dims), positions.value,
                                      theta.value, Value(), false, true, false,
                                      false, amp::AlgorithmAttr()),
              wide,
              dims,
              {}};
  Dims result{theta.dims[0]};
  result.append(spatial);
  result.push_back(s.index(rank));
  return b.output(0, b.cast(b.reshape(grid, result), b.dtype(0)));
}

void registerGridSampleOps(OpTable &t) {
  t.add("GridSample", 16, 22, buildGridSample);
  t.add("AffineGrid", 20, 20, buildAffineGrid);
}

} // namespace ampc::onnx_import
