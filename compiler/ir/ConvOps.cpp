//===- ConvOps.cpp - Convolutions and transposed convolutions -------------===//

#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

/// Verifies what both convolutions share, given the dimension of the input that
/// holds channels and how many follow from the filter.
template <typename Op>
static LogicalResult verifyConv(Op op, int64_t channelDim, int64_t inChannels,
                                int64_t outChannels) {
  RankedTensorType input = typeOf(op.getInput()),
                   filter = typeOf(op.getFilter()),
                   result = typeOf(op.getResult());
  int64_t spatial = input.getRank() - 2;
  if (spatial < 1 || spatial > 3)
    return op.emitOpError("has ")
           << spatial << " spatial dimensions; 1 to 3 are supported";
  if (result.getRank() != input.getRank())
    return op.emitOpError("has operands and a result of different ranks");
  bool integers = input.getElementType().isInteger();
  if (!canMultiply(input.getElementType(), filter.getElementType()))
    return op.emitOpError("has an input of ")
           << input.getElementType() << " and a filter of "
           << filter.getElementType();
  if (integers != result.getElementType().isInteger())
    return op.emitOpError("gives ")
           << result.getElementType() << " from " << input.getElementType();
  if (int64_t(op.getStrides().size()) != spatial ||
      int64_t(op.getDilations().size()) != spatial ||
      int64_t(op.getPads().size()) != 2 * spatial)
    return op.emitOpError("needs ") << spatial << " strides and dilations and "
                                    << 2 * spatial << " pads";
  auto positive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(op.getStrides(), positive) ||
      !llvm::all_of(op.getDilations(), positive) || op.getGroups() < 1)
    return op.emitOpError("needs positive strides, dilations and groups");
  if (differ(input.getDimSize(channelDim), inChannels))
    return op.emitOpError("has ")
           << input.getDimSize(channelDim)
           << " input channels where the filter is for " << inChannels;
  if (Value bias = op.getBias()) {
    if (typeOf(bias).getElementType() != result.getElementType())
      return op.emitOpError(
          "has a bias of another element type than the result");
    if (typeOf(bias).getRank() != 1 ||
        differ(typeOf(bias).getDimSize(0), outChannels))
      return op.emitOpError("needs a bias with one element an output channel");
  }
  return success();
}

/// Verifies the rank and the spatial dimensions of a filter, `first` the first
/// of those, and that `grouped` channels can be split.
template <typename Op>
static LogicalResult verifyFilter(Op op, int64_t rank, int64_t first,
                                  int64_t grouped) {
  RankedTensorType filter = typeOf(op.getFilter());
  if (filter.getRank() != rank)
    return op.emitOpError("has operands and a result of different ranks");
  int64_t spatial = typeOf(op.getInput()).getRank() - 2;
  for (int64_t i = first; i < first + spatial; ++i)
    if (filter.isDynamicDim(i))
      return op.emitOpError("needs a filter whose spatial sizes are static");
  if (op.getGroups() >= 1 && !ShapedType::isDynamic(grouped) &&
      grouped % int64_t(op.getGroups()))
    return op.emitOpError("splits ")
           << grouped << " channels into " << op.getGroups() << " groups";
  return success();
}

template <typename Op> static ErrorClass convErrorClass(Op op) {
  return isa<FloatType>(typeOf(op.getInput()).getElementType())
             ? ErrorClass::Contraction
             : ErrorClass::Integer;
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

int64_t ConvOp::getChannelDim() {
  return getChannelsLast() ? typeOf(getInput()).getRank() - 1 : 1;
}
int64_t ConvOp::getFilterChannelDim() {
  return getChannelsLast() ? typeOf(getFilter()).getRank() - 2 : 1;
}
int64_t ConvOp::getFilterSpatialDim(int64_t i) {
  return i + (getChannelsLast() ? getPanels() : 2);
}

int64_t ConvOp::getOutChannels() {
  // Panels may be wider than what they hold.
  if (getPanels())
    return typeOf(getResult()).getDimSize(getChannelDim());
  RankedTensorType filter = typeOf(getFilter());
  return filter.getDimSize(getChannelsLast() ? filter.getRank() - 1 : 0);
}

bool ConvOp::isDepthwise() {
  int64_t channels = typeOf(getInput()).getDimSize(getChannelDim());
  return int64_t(getGroups()) == channels && channels > 1 &&
         getOutChannels() == channels;
}

/// Images of few channels: elsewhere rows of channels are what makes reading
/// channels last fast.
bool ConvOp::readsTransposed(unsigned index) {
  constexpr int64_t fewChannels = 4;
  int64_t channels = typeOf(getInput()).getDimSize(getChannelDim());
  return index == 0 && getPanels() && !isDepthwise() &&
         !ShapedType::isDynamic(channels) && channels <= fewChannels;
}

LogicalResult ConvOp::verify() {
  RankedTensorType input = typeOf(getInput()), filter = typeOf(getFilter());
  if (filter.getRank() < 3)
    return emitOpError("needs a filter of rank 3 or more");
  if (getPanels() && !getChannelsLast())
    return emitOpError("has a filter in panels, which takes channels_last");
  int64_t outChannels = getOutChannels(), spatial = input.getRank() - 2;
  if (failed(verifyFilter(*this, input.getRank() + getPanels(),
                          getFilterSpatialDim(0), outChannels)) ||
      failed(verifyConv(
          *this, getChannelDim(),
          times(filter.getDimSize(getFilterChannelDim()), getGroups()),
          outChannels)))
    return failure();
  if (getPanels()) {
    int64_t columns = filter.getShape().back();
    if (ShapedType::isDynamic(outChannels) || ShapedType::isDynamic(columns) ||
        columns < 1)
      return emitOpError("needs panels and output channels of static size");
    int64_t panels =
        getGroups() * llvm::divideCeil(outChannels / getGroups(), columns);
    if (differ(filter.getDimSize(0), panels))
      return emitOpError("has ") << filter.getDimSize(0) << " panels where "
                                 << panels << " are needed";
  }
  SmallVector<int64_t> expected(input.getShape());
  expected[getChannelDim()] = outChannels;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t &size = expected[getSpatialDim(i)];
    size = windowedSize(size, filter.getDimSize(getFilterSpatialDim(i)),
                        getStrides()[i], getDilations()[i], getPads()[i],
                        getPads()[spatial + i], /*ceil=*/false);
  }
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     expected);
}

LogicalResult ConvOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  auto sizes = dimsOf(builder, loc, getInput());
  RankedTensorType filter = typeOf(getFilter());
  size_t spatial = sizes.size() - 2;
  int64_t channels = getOutChannels();
  sizes[getChannelDim()] =
      ShapedType::isDynamic(channels)
          ? dimOf(builder, loc, getFilter(),
                  getChannelsLast() ? filter.getRank() - 1 : 0)
          : OpFoldResult(builder.getIndexAttr(channels));
  for (size_t i = 0; i < spatial; ++i) {
    OpFoldResult &size = sizes[getSpatialDim(i)];
    size =
        windowedSize(builder, loc, size,
                     filter.getDimSize(getFilterSpatialDim(i)), getStrides()[i],
                     getDilations()[i], getPads()[i], getPads()[spatial + i],
                     /*ceil=*/false);
  }
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> ConvOp::getLegalFormats() {
  return contractionFormats(typeOf(getInput()).getElementType());
}
ErrorClass ConvOp::getErrorClass() { return convErrorClass(*this); }
double ConvOp::getReductionLength(DimFn dimOf) {
  double positions = 1;
  for (int64_t i = 0; i + 2 < typeOf(getInput()).getRank(); ++i)
    positions *= typeOf(getFilter()).getDimSize(getFilterSpatialDim(i));
  return product(double(dimOf(getFilter(), getFilterChannelDim())), positions);
}
double ConvOp::getFlops(DimFn dimOf) {
  return product(2 * elementCount(getResult(), dimOf),
                 getReductionLength(dimOf));
}

//===----------------------------------------------------------------------===//
// ConvTransposeOp
//===----------------------------------------------------------------------===//

/// What spatial dimension `i` adds to stride * in.
static int64_t growthOf(ConvTransposeOp op, int64_t i) {
  size_t spatial = op.getStrides().size();
  return op.getOutputPadding()[i] + 1 - op.getStrides()[i] +
         op.getDilations()[i] * (typeOf(op.getFilter()).getDimSize(i + 2) - 1) -
         op.getPads()[i] - op.getPads()[spatial + i];
}

LogicalResult ConvTransposeOp::verify() {
  RankedTensorType input = typeOf(getInput()), filter = typeOf(getFilter());
  if (filter.getRank() < 3)
    return emitOpError("needs a filter of rank 3 or more");
  int64_t channels = times(filter.getDimSize(1), getGroups());
  if (failed(verifyFilter(*this, input.getRank(), /*first=*/2,
                          filter.getDimSize(0))) ||
      failed(
          verifyConv(*this, /*channelDim=*/1, filter.getDimSize(0), channels)))
    return failure();
  if (getOutputPadding().size() != getStrides().size())
    return emitOpError("needs ") << getStrides().size() << " output paddings";
  SmallVector<int64_t> expected{input.getDimSize(0), channels};
  for (int64_t i = 0; i + 2 < input.getRank(); ++i)
    expected.push_back(plus(times(input.getDimSize(i + 2), getStrides()[i]),
                            growthOf(*this, i)));
  return verifyShape(*this, "a result", typeOf(getResult()).getShape(),
                     expected);
}

LogicalResult
ConvTransposeOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  auto sizes = dimsOf(builder, loc, getInput());
  // size * factor + offset
  auto scaled = [&](OpFoldResult size, int64_t factor, int64_t offset) {
    if (auto constant = getConstantIntValue(size))
      return OpFoldResult(builder.getIndexAttr(*constant * factor + offset));
    Value product = builder.createOrFold<arith::MulIOp>(
        loc, getValueOrCreateConstantIndexOp(builder, loc, size),
        builder.create<arith::ConstantIndexOp>(loc, factor));
    return getAsOpFoldResult(builder.createOrFold<arith::AddIOp>(
        loc, product, builder.create<arith::ConstantIndexOp>(loc, offset)));
  };
  sizes[1] = scaled(dimOf(builder, loc, getFilter(), 1), getGroups(), 0);
  for (size_t i = 0; i + 2 < sizes.size(); ++i)
    sizes[i + 2] = scaled(sizes[i + 2], getStrides()[i], growthOf(*this, i));
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> ConvTransposeOp::getLegalFormats() {
  return contractionFormats(typeOf(getInput()).getElementType());
}
ErrorClass ConvTransposeOp::getErrorClass() { return convErrorClass(*this); }
/// Of the filter's positions at most one in `stride` meets each output, and of
/// the channels those of a group.
double ConvTransposeOp::getReductionLength(DimFn dimOf) {
  double length = dimOf(getFilter(), 0);
  length = length < 0 ? -1 : length / double(getGroups());
  for (size_t i = 0; i < getStrides().size(); ++i)
    length = product(length, double(llvm::divideCeil(dimOf(getFilter(), i + 2),
                                                     getStrides()[i])));
  return length;
}
double ConvTransposeOp::getFlops(DimFn dimOf) {
  // Each element of the input meets what the filter has for its channel.
  double taps = extentOf(
      getFilter(), llvm::seq<int64_t>(1, typeOf(getFilter()).getRank()), dimOf);
  return product(2 * elementCount(getInput(), dimOf), taps);
}
