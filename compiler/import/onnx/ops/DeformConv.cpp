//===- DeformConv.cpp - Convolution at displaced positions ----------------===//
//
// Dai et al., Deformable Convolutional Networks (2017). What the filter meets
// is read between pixels into columns, which one matrix product then sums.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Ranks.h"
#include "compiler/import/onnx/ops/Sample.h"
#include "compiler/import/onnx/ops/Window.h"

using namespace mlir;

namespace ampc::onnx_import {

namespace {

/// Dimensions of what is read: [batch, offset groups, filter positions,
/// output..., channels a group].
enum { Batch, Group, Position, Output };

} // namespace

/// Where the filter's positions fall in spatial dimension `i`, without offsets:
/// [1, 1, positions, output...].
static Expr gridOf(NodeBuilder &b, const Window &window, const Dims &output,
                   int64_t i, DType dtype) {
  ScalarBuilder &s = b.scalars;
  // Filter positions apart first, then seen as one dimension.
  Dims apart(window.rank() + output.size(), s.index(1));
  apart[i] = s.index(window.kernel[i]);
  Dims own = apart;
  own[window.rank() + i] = output[i];
  Expr at =
      Expr::position(b, i, own) * double(window.dilations[i]) +
      Expr::position(b, window.rank() + i, own) * double(window.strides[i]) -
      double(window.pads[i]);
  Dims all;
  int64_t positions = 1;
  for (int64_t size : window.kernel) {
    all.push_back(s.index(size));
    positions *= size;
  }
  all.append(output);
  Dims joined{s.index(1), s.index(1), s.index(positions)};
  joined.append(output);
  return at.to(dtype).broadcast(all).reshape(joined);
}

static LogicalResult buildDeformConv(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), filter = b.tensor(1), offset = b.tensor(2);
  int64_t rank = x.rank() - 2;
  int64_t groups = b.intAttr("group", 1),
          offsetGroups = b.intAttr("offset_group", 1);
  if (rank < 1 || filter.rank() != x.rank() || offset.rank() != x.rank())
    return b.fail("needs an image, a filter and offsets of one rank, 3 at "
                  "least");
  if (groups < 1 || offsetGroups < 1)
    return b.fail("has a group or offset_group below 1");
  SmallVector<int64_t> kernel;
  if (!constantInts(ArrayRef<Scalar>(filter.dims).drop_front(2), kernel))
    return b.fail("has a filter of unknown size; give it by --dim");
  if (auto given = b.node.intsAttr("kernel_shape"); given && *given != kernel)
    return b.fail("has a kernel_shape that is not the filter's");
  auto window = windowOf(b, x, kernel, std::nullopt);
  if (failed(window))
    return failure();
  Dims output =
      windowedDims(b, ArrayRef<Scalar>(x.dims).drop_front(2), *window);
  int64_t positions = 1;
  for (int64_t size : kernel)
    positions *= size;
  Scalar channels = x.dims[1];
  Scalar inGroup = s.div(channels, s.index(offsetGroups));
  if (failed(b.requireEqual(s.mul(filter.dims[1], s.index(groups)), channels,
                            "input channels do not fit the filter")) ||
      failed(b.requireEqual(s.mul(inGroup, s.index(offsetGroups)), channels,
                            "input channels are not whole offset groups")))
    return failure();
  if (auto count = constantInt(filter.dims[0]); count && *count % groups)
    return b.fail("has " + Twine(*count) + " output channels in " +
                  Twine(groups) + " groups");

  // Offsets and mask have the output's size in the spatial dimensions and one
  // channel for each group, filter position and (offsets) spatial dimension.
  auto checkMap = [&](const Tensor &map, int64_t mapChannels, StringRef what) {
    if (map.rank() != x.rank() ||
        failed(b.requireEqual(map.dims[0], x.dims[0],
                              what + " differ in batch")) ||
        failed(
            b.requireEqual(map.dims[1], s.index(mapChannels),
                           what + " need " + Twine(mapChannels) + " channels")))
      return failure();
    for (int64_t i = 0; i < rank; ++i)
      if (failed(b.requireEqual(map.dims[2 + i], output[i],
                                what + " have another size than the output")))
        return failure();
    return success();
  };
  if (failed(checkMap(offset, offsetGroups * positions * rank, "offsets")))
    return failure();

  DType wide = formulaType(x.dtype);
  // What all channels of a group share.
  Dims shared{x.dims[0], s.index(offsetGroups), s.index(positions)};
  shared.append(output);
  Dims split{x.dims[0], s.index(offsetGroups), s.index(positions),
             s.index(rank)};
  split.append(output);
  offset = b.reshape(b.cast(offset, wide), split);
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t i = 0; i < rank; ++i) {
    Expr by(b, b.sliceAxis(offset, 3, s.index(i), s.index(1)));
    Expr grid = gridOf(b, *window, output, i, wide);
    taps.push_back(linearTaps(grid.broadcast(shared) + by.reshape(shared)));
  }
  std::optional<Expr> mask;
  if (b.has(4)) {
    Tensor given = b.tensor(4);
    if (failed(checkMap(given, offsetGroups * positions, "masks")))
      return failure();
    mask = Expr(b, b.cast(given, wide)).reshape(shared);
  }
  Expr group = Expr::position(b, Batch, shared) * double(offsetGroups) +
               Expr::position(b, Group, shared);
  auto image = Image::of(b, x, group, offsetGroups);
  if (failed(image))
    return failure();
  Expr columns = interpolate(taps, [&](ArrayRef<Expr> at) {
    Expr inside = isInside(at, ArrayRef(x.dims).drop_front(2));
    Expr pixel = image->read(at);
    return select(alongPositions(inside, pixel.dims()), pixel, 0);
  });
  if (mask)
    columns = columns * alongPositions(*mask, columns.dims());
  // Channels before filter positions, as the filter has them.
  SmallVector<int64_t> order{Batch, Group, Output + rank, Position};
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(Output + i);
  columns = Expr(b, b.transpose(columns.to(x.dtype), order));

  Scalar perGroup = s.mul(filter.dims[1], s.index(positions));
  Scalar outPerGroup = s.div(filter.dims[0], s.index(groups));
  Dims rows{x.dims[0], s.index(groups), perGroup, s.product(output)};
  Dims weights{s.index(1), s.index(groups), outPerGroup, perGroup};
  Tensor rhs = columns.reshape(rows), lhs = b.reshape(filter, weights);
  Dims product{x.dims[0], s.index(groups), outPerGroup, rows[3]};
  Tensor sum{b.create<amp::MatmulOp>(b.type(x.dtype, product), lhs.value,
                                     rhs.value, Value(), false, false, false,
                                     false, amp::AlgorithmAttr()),
             x.dtype,
             product,
             {}};
  Dims result{x.dims[0], filter.dims[0]};
  result.append(output);
  sum = b.reshape(sum, result);
  if (b.has(3)) {
    Tensor bias = b.tensor(3);
    if (failed(requireRank(b, 3, 1)) ||
        failed(b.requireEqual(bias.dims[0], filter.dims[0],
                              "has one bias for each output channel")))
      return failure();
    bias = b.unsqueeze(bias, llvm::to_vector(llvm::seq<int64_t>(1, rank + 1)));
    sum = b.add(sum, b.broadcast(bias, result));
  }
  return b.output(0, sum);
}

void registerDeformConvOps(OpTable &t) {
  t.add("DeformConv", 19, 22, buildDeformConv);
}

} // namespace ampc::onnx_import
