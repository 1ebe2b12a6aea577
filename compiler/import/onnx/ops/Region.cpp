//===- Region.cpp - Pooling of regions of interest ------------------------===//
//
// Regions are data, so how many samples a bin has is known at run time only:
// tensors are as large as the largest region needs, and a region uses a part.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Sample.h"

using namespace mlir;

namespace ampc::onnx_import {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Positions that a region op reads: [regions, bins..., samples a bin...], over
/// two spatial dimensions.
struct Positions {
  enum { Regions, Bins, Samples = Bins + 2, Rank = Samples + 2 };
  Dims dims;

  /// With only these dimensions; the others have size one.
  Dims only(NodeBuilder &b, ArrayRef<int64_t> kept) const {
    Dims result(Rank, b.scalars.index(1));
    for (int64_t i : kept)
      result[i] = dims[i];
    return result;
  }
  /// What spatial dimension `i` depends on.
  Dims along(NodeBuilder &b, int64_t i) const {
    return only(b, {Regions, Bins + i, Samples + i});
  }
};

} // namespace

/// One column of a matrix with a row for each region, as [regions, 1, ...].
static Expr column(NodeBuilder &b, const Tensor &regions, int64_t i) {
  Dims dims(Positions::Rank, b.scalars.index(1));
  dims[0] = regions.dims[0];
  Tensor x = b.sliceAxis(regions, 1, b.scalars.index(i), b.scalars.index(1));
  return Expr(b, x).reshape(dims);
}

/// The largest of int64 counts, 0 at least, as a size.
static Scalar largest(NodeBuilder &b, const Expr &counts) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, counts.tensor.rank()));
  Tensor top = b.reduce(amp::ReduceKind::Max, counts, axes, /*keepDims=*/false);
  ValueRef value = b.importer.valueOf(top);
  return b.scalars.max(b.importer.forms.list(*value, b.loc())->front(),
                       b.scalars.index(0));
}

static FailureOr<SmallVector<int64_t>> binsOf(NodeBuilder &b, int64_t height,
                                              int64_t width) {
  if (height < 1 || width < 1)
    return b.fail("asks for " + Twine(height) + " x " + Twine(width) +
                  " bins; it takes one of each at least");
  return SmallVector<int64_t>{height, width};
}

/// Combines the samples of each bin, [positions..., channels], into [regions,
/// bins..., channels].
static Expr overSamples(NodeBuilder &b, amp::ReduceKind kind,
                        const Expr &values) {
  return {b,
          b.reduce(kind, values, {Positions::Samples, Positions::Samples + 1},
                   /*keepDims=*/false)};
}

/// What has one sample a bin, repeated for the channels of a result.
static Expr forBins(const Expr &x, const Dims &result) {
  Dims dims(x.dims().begin(), x.dims().begin() + Positions::Samples);
  return alongPositions(x.reshape(dims), result);
}

static LogicalResult outputChannelsFirst(NodeBuilder &b, const Expr &y) {
  return b.output(0, b.transpose(y.to(b.dtype(0)), {0, 3, 1, 2}));
}

/// Taps of linear interpolation at a position in an image whose outermost
/// pixels reach to -1 and `size`; beyond, weights are zero.
static SmallVector<Tap> regionTaps(NodeBuilder &b, const Expr &x, Scalar size) {
  Expr end = Expr::ofScalar(b, size, x.dtype(), x.dims());
  Expr inside = (x >= -1) & (x <= end);
  SmallVector<Tap> taps = linearTaps(min(max(x, 0), end - 1));
  Expr last = Expr::ofScalar(b, size, DType::Int64, x.dims()) - 1;
  for (Tap &tap : taps)
    tap = {min(tap.index, last), select(inside, tap.weight, 0)};
  return taps;
}

/// Each bin of a region is the mean or maximum of samples between pixels. With
/// sampling_ratio 0 there are as many as a bin has pixels, rounded up.
static LogicalResult buildRoiAlign(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), regions = b.tensor(1), batch = b.tensor(2);
  std::string mode = b.stringAttr("mode", "avg");
  if (mode != "avg" && mode != "max")
    return b.fail("has mode '" + mode + "'; it is avg or max");
  std::string transform =
      b.node.version < 16
          ? "output_half_pixel"
          : b.stringAttr("coordinate_transformation_mode", "half_pixel");
  if (transform != "half_pixel" && transform != "output_half_pixel")
    return b.fail("has coordinate_transformation_mode '" + transform +
                  "'; it is half_pixel or output_half_pixel");
  int64_t ratio = b.intAttr("sampling_ratio", 0);
  auto bins =
      binsOf(b, b.intAttr("output_height", 1), b.intAttr("output_width", 1));
  if (failed(bins))
    return failure();
  if (x.rank() != 4 || regions.rank() != 2 || batch.rank() != 1 || ratio < 0 ||
      ratio > INT32_MAX)
    return b.fail("needs an image of rank 4, a matrix of regions, a vector of "
                  "batch indices and a sampling_ratio of 0 to 2^31 - 1");
  if (failed(b.requireEqual(regions.dims[1], s.index(4),
                            "has four coordinates a region")) ||
      failed(b.requireEqual(batch.dims[0], regions.dims[0],
                            "has one batch index a region")))
    return failure();

  DType wide = formulaType(x.dtype);
  regions = b.cast(regions, wide);
  bool halfPixel = transform == "half_pixel";
  double scale = b.floatAttr("spatial_scale", 1);
  Positions positions{{regions.dims[0], s.index((*bins)[0]),
                       s.index((*bins)[1]), s.index(ratio), s.index(ratio)}};
  SmallVector<Expr> starts, sizes, counts;
  for (int64_t i : {0, 1}) {
    // A region is x1, y1, x2, y2.
    auto corner = [&](int64_t of) {
      Expr at = column(b, regions, of) * scale;
      return halfPixel ? at - 0.5 : at;
    };
    Expr start = corner(1 - i), length = corner(3 - i) - start;
    if (!halfPixel)
      length = max(length, 1);
    starts.push_back(start);
    sizes.push_back(length / double((*bins)[i]));
    Expr count = max(ceil(sizes[i]).to(DType::Int64), 0);
    counts.push_back(ratio ? count.number(double(ratio)) : count);
    if (!ratio)
      positions.dims[Positions::Samples + i] = largest(b, count);
  }

  SmallVector<SmallVector<Tap>> taps;
  std::optional<Expr> isUsed;
  for (int64_t i : {0, 1}) {
    Dims own = positions.along(b, i);
    Expr bin = Expr::position(b, Positions::Bins + i, own);
    Expr sample = Expr::position(b, Positions::Samples + i, own);
    Expr count = counts[i].broadcast(own), size = sizes[i].broadcast(own);
    Expr at = starts[i].broadcast(own) + bin.to(wide) * size +
              (sample.to(wide) + 0.5) * size / max(count, 1).to(wide);
    taps.push_back(regionTaps(b, at, x.dims[2 + i]));
    for (Tap &tap : taps.back())
      tap = {tap.index.broadcast(positions.dims),
             tap.weight.broadcast(positions.dims)};
    Expr used = (sample < count).broadcast(positions.dims);
    isUsed = isUsed ? *isUsed & used : used;
  }
  Dims rows(Positions::Rank, s.index(1));
  rows[0] = regions.dims[0];
  Expr at = Expr(b, batch).to(DType::Int64).reshape(rows);
  auto image = Image::of(b, x, at.broadcast(positions.dims));
  if (failed(image))
    return failure();
  auto read = [&](ArrayRef<Expr> indices) { return image->read(indices); };
  auto usedOr = [&](const Expr &value, double other) {
    return ratio ? value
                 : select(alongPositions(*isUsed, value.dims()), value, other);
  };

  Expr count = counts[0] * counts[1];
  if (mode == "avg") {
    Expr sum = overSamples(b, amp::ReduceKind::Sum,
                           usedOr(interpolate(taps, read), 0));
    return outputChannelsFirst(
        b, sum / forBins(max(count, 1).to(wide), sum.dims()));
  }
  // The largest weighted tap, not the largest interpolated value.
  std::optional<Expr> top;
  forEachCombination(taps, [&](ArrayRef<Expr> indices, const Expr &weight) {
    Expr pixel = read(indices).to(wide);
    Expr term = pixel * alongPositions(weight, pixel.dims());
    top = top ? max(*top, term) : term;
  });
  Expr largest = overSamples(b, amp::ReduceKind::Max, usedOr(*top, -kInfinity));
  return outputChannelsFirst(
      b, select(forBins(count == 0, largest.dims()), 0, largest));
}

/// Each bin of a region is the maximum of its pixels; 0 if it has none. Bounds
/// are rounded to pixels.
static LogicalResult buildMaxRoiPool(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), regions = b.tensor(1);
  auto pooled = b.node.intsAttr("pooled_shape");
  if (!pooled || pooled->size() != 2 || x.rank() != 4 || regions.rank() != 2)
    return b.fail("needs an image of rank 4, a matrix of regions and a "
                  "pooled_shape of two sizes");
  auto bins = binsOf(b, (*pooled)[0], (*pooled)[1]);
  if (failed(bins) ||
      failed(b.requireEqual(regions.dims[1], s.index(5),
                            "has a batch index and four coordinates a region")))
    return failure();
  DType wide = formulaType(x.dtype);
  regions = b.cast(regions, wide);
  double scale = b.floatAttr("spatial_scale", 1);
  Positions positions{{regions.dims[0], s.index((*bins)[0]),
                       s.index((*bins)[1]), s.index(0), s.index(0)}};
  SmallVector<Expr> starts, ends;
  for (int64_t i : {0, 1}) {
    // Half away from zero, as C rounds.
    auto corner = [&](int64_t of) {
      Expr at = column(b, regions, of) * scale;
      Expr magnitude = floor(abs(at) + 0.5);
      return select(at < 0, -magnitude, magnitude);
    };
    Expr first = corner(2 - i), last = corner(4 - i);
    Expr size = max(last - first + 1, 1) / double((*bins)[i]);
    Dims own = positions.only(b, {Positions::Regions, Positions::Bins + i});
    Expr bin = Expr::position(b, Positions::Bins + i, own).to(wide);
    Expr limit = Expr::ofScalar(b, x.dims[2 + i], wide, own);
    auto bound = [&](const Expr &at) {
      return min(max(at + first.broadcast(own), 0), limit).to(DType::Int64);
    };
    starts.push_back(bound(floor(bin * size.broadcast(own))));
    ends.push_back(bound(ceil((bin + 1) * size.broadcast(own))));
    positions.dims[Positions::Samples + i] = largest(b, ends[i] - starts[i]);
  }
  SmallVector<Expr> indices;
  std::optional<Expr> isUsed;
  for (int64_t i : {0, 1}) {
    Dims own = positions.along(b, i);
    Expr pixel = starts[i].broadcast(own) +
                 Expr::position(b, Positions::Samples + i, own);
    Expr used = (pixel < ends[i].broadcast(own)).broadcast(positions.dims);
    isUsed = isUsed ? *isUsed & used : used;
    indices.push_back(pixel.broadcast(positions.dims));
  }
  Expr batch = column(b, regions, 0).to(DType::Int64);
  auto image = Image::of(b, x, batch.broadcast(positions.dims));
  if (failed(image))
    return failure();
  Expr pixel = image->read(indices);
  Expr largest = overSamples(
      b, amp::ReduceKind::Max,
      select(alongPositions(*isUsed, pixel.dims()), pixel, -kInfinity));
  Dims perBin = positions.only(
      b, {Positions::Regions, Positions::Bins, Positions::Bins + 1});
  Expr size = max(ends[0] - starts[0], 0).broadcast(perBin) *
              max(ends[1] - starts[1], 0).broadcast(perBin);
  return outputChannelsFirst(
      b, select(forBins(size == 0, largest.dims()), 0, largest));
}

void registerRegionOps(OpTable &t) {
  t.add("RoiAlign", 10, 22, buildRoiAlign);
  t.add("MaxRoiPool", 1, 22, buildMaxRoiPool);
}

} // namespace ampc::onnx_import
