//===- ContractionOps.cpp - Matrix products and convolutions --------------===//

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace amp;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether two sizes cannot be equal.
static bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

/// Formats of an op that multiplies and accumulates.
static SmallVector<Format> contractionFormats(Value operand) {
  Type element = typeOf(operand).getElementType();
  if (!isa<FloatType>(element) || element.isF64())
    return {};
  return {Format::F32, Format::TF32, Format::BF16,
          Format::F16, Format::F8E4M3, Format::F8E5M2};
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// Positions of the row, column and reduced dimensions.
static int64_t rowDim(MatmulOp op) {
  return typeOf(op.getLhs()).getRank() - (op.getTransposeLhs() ? 1 : 2);
}
static int64_t depthDim(MatmulOp op) {
  return typeOf(op.getLhs()).getRank() - (op.getTransposeLhs() ? 2 : 1);
}
static int64_t columnDim(MatmulOp op) {
  return typeOf(op.getRhs()).getRank() - (op.getTransposeRhs() ? 2 : 1);
}
static int64_t rhsDepthDim(MatmulOp op) {
  return typeOf(op.getRhs()).getRank() - (op.getTransposeRhs() ? 1 : 2);
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()),
                   result = typeOf(getResult());
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitOpError("needs operands of rank 2 or more");
  if (lhs.getElementType() != rhs.getElementType() &&
      !(lhs.getElementType().isInteger() && rhs.getElementType().isInteger()))
    return emitOpError("multiplies ")
           << lhs.getElementType() << " by " << rhs.getElementType();
  if (differ(lhs.getDimSize(depthDim(*this)), rhs.getDimSize(rhsDepthDim(*this))))
    return emitOpError("sums over ")
           << lhs.getDimSize(depthDim(*this)) << " elements of the left and "
           << rhs.getDimSize(rhsDepthDim(*this)) << " of the right operand";
  int64_t rank = std::max(lhs.getRank(), rhs.getRank());
  if (result.getRank() != rank)
    return emitOpError("has a result of rank ")
           << result.getRank() << " instead of " << rank;
  if (differ(result.getDimSize(rank - 2), lhs.getDimSize(rowDim(*this))) ||
      differ(result.getDimSize(rank - 1), rhs.getDimSize(columnDim(*this))))
    return emitOpError("has a result of ")
           << result.getDimSize(rank - 2) << "x" << result.getDimSize(rank - 1)
           << " instead of " << lhs.getDimSize(rowDim(*this)) << "x"
           << rhs.getDimSize(columnDim(*this));
  for (RankedTensorType operand : {lhs, rhs})
    for (int64_t i = 0; i < operand.getRank() - 2; ++i)
      if (int64_t size = operand.getDimSize(i);
          size != 1 &&
          differ(size, result.getDimSize(rank - operand.getRank() + i)))
        return emitOpError("has batch dimensions that do not broadcast");
  return success();
}

LogicalResult
MatmulOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  auto lhs = dimsOf(builder, loc, getLhs()), rhs = dimsOf(builder, loc, getRhs());
  size_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<OpFoldResult> sizes;
  for (size_t i = 0; i + 2 < rank; ++i) {
    // The side that is not a static 1.
    OpFoldResult size = builder.getIndexAttr(1);
    for (auto *side : {&lhs, &rhs})
      if (int64_t at = int64_t(i + side->size()) - int64_t(rank);
          at >= 0 && getConstantIntValue(size) == 1)
        size = (*side)[at];
    sizes.push_back(size);
  }
  sizes.push_back(lhs[rowDim(*this)]);
  sizes.push_back(rhs[columnDim(*this)]);
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> MatmulOp::getLegalFormats() {
  return contractionFormats(getLhs());
}
ErrorClass MatmulOp::getErrorClass() { return ErrorClass::Contraction; }
double MatmulOp::getReductionLength(DimFn dimOf) {
  return dimOf(getLhs(), depthDim(*this));
}
double MatmulOp::getFlops(DimFn dimOf) {
  double count = elementCount(getResult(), dimOf),
         length = getReductionLength(dimOf);
  return count < 0 || length < 0 ? -1 : 2 * count * length;
}

//===----------------------------------------------------------------------===//
// ConvOp, ConvTransposeOp
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyConv(Op op, int64_t inChannels, int64_t outChannels) {
  RankedTensorType input = typeOf(op.getInput()), filter = typeOf(op.getFilter()),
                   result = typeOf(op.getResult());
  int64_t spatial = input.getRank() - 2;
  if (spatial < 1 || spatial > 3)
    return op.emitOpError("has ") << spatial << " spatial dimensions; 1 to 3 "
                                                "are supported";
  if (filter.getRank() != input.getRank() || result.getRank() != input.getRank())
    return op.emitOpError("has operands and a result of different ranks");
  if (input.getElementType() != filter.getElementType())
    return op.emitOpError("has an input of ")
           << input.getElementType() << " and a filter of "
           << filter.getElementType();
  if (int64_t(op.getStrides().size()) != spatial ||
      int64_t(op.getDilations().size()) != spatial ||
      int64_t(op.getPads().size()) != 2 * spatial)
    return op.emitOpError("needs ")
           << spatial << " strides and dilations and " << 2 * spatial << " pads";
  auto positive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(op.getStrides(), positive) ||
      !llvm::all_of(op.getDilations(), positive) || op.getGroups() < 1)
    return op.emitOpError("needs positive strides, dilations and groups");
  if (differ(input.getDimSize(1), inChannels))
    return op.emitOpError("has ") << input.getDimSize(1)
                                  << " input channels where the filter is for "
                                  << inChannels;
  if (differ(result.getDimSize(1), outChannels))
    return op.emitOpError("has ") << result.getDimSize(1)
                                  << " output channels where the filter is for "
                                  << outChannels;
  if (Value bias = op.getBias())
    if (typeOf(bias).getRank() != 1 ||
        differ(typeOf(bias).getDimSize(0), result.getDimSize(1)))
      return op.emitOpError("needs a bias with one element an output channel");
  return success();
}

static int64_t times(int64_t size, int64_t factor) {
  return ShapedType::isDynamic(size) ? size : size * factor;
}

LogicalResult ConvOp::verify() {
  RankedTensorType filter = typeOf(getFilter());
  if (filter.getRank() < 3)
    return emitOpError("needs a filter of rank 3 or more");
  if (int64_t out = filter.getDimSize(0);
      !ShapedType::isDynamic(out) && out % std::max<int64_t>(getGroups(), 1))
    return emitOpError("has ") << out << " output channels in " << getGroups()
                               << " groups";
  for (int64_t i = 2; i < filter.getRank(); ++i)
    if (filter.isDynamicDim(i))
      return emitOpError("needs a filter whose spatial sizes are static");
  return verifyConv(*this, times(filter.getDimSize(1), getGroups()),
                    filter.getDimSize(0));
}

LogicalResult
ConvOp::reifyResultShapes(OpBuilder &builder,
                          ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  auto sizes = dimsOf(builder, loc, getInput());
  RankedTensorType filter = typeOf(getFilter());
  size_t spatial = sizes.size() - 2;
  sizes[1] = dimOf(builder, loc, getFilter(), 0);
  for (size_t i = 0; i < spatial; ++i)
    sizes[i + 2] = windowedSize(builder, loc, sizes[i + 2],
                                filter.getDimSize(i + 2), getStrides()[i],
                                getDilations()[i], getPads()[i],
                                getPads()[spatial + i], /*ceil=*/false);
  shapes.push_back(sizes);
  return success();
}

/// Elements of the filter that meet in one sum: channels of a group times
/// positions.
static double filterTaps(Value filter, int64_t channelDim, DimFn dimOf,
                         double divide) {
  double taps = dimOf(filter, channelDim);
  for (int64_t i = 2; i < typeOf(filter).getRank(); ++i) {
    int64_t size = dimOf(filter, i);
    taps = taps < 0 || size < 0 ? -1 : taps * size;
  }
  return taps < 0 ? -1 : taps / divide;
}

SmallVector<Format> ConvOp::getLegalFormats() {
  return contractionFormats(getInput());
}
ErrorClass ConvOp::getErrorClass() { return ErrorClass::Contraction; }
double ConvOp::getReductionLength(DimFn dimOf) {
  return filterTaps(getFilter(), 1, dimOf, 1);
}
double ConvOp::getFlops(DimFn dimOf) {
  double count = elementCount(getResult(), dimOf),
         length = getReductionLength(dimOf);
  return count < 0 || length < 0 ? -1 : 2 * count * length;
}

LogicalResult ConvTransposeOp::verify() {
  RankedTensorType filter = typeOf(getFilter());
  if (filter.getRank() < 3)
    return emitOpError("needs a filter of rank 3 or more");
  for (int64_t i = 2; i < filter.getRank(); ++i)
    if (filter.isDynamicDim(i))
      return emitOpError("needs a filter whose spatial sizes are static");
  if (getOutputPadding().size() != getStrides().size())
    return emitOpError("needs ") << getStrides().size() << " output paddings";
  if (int64_t in = filter.getDimSize(0);
      !ShapedType::isDynamic(in) && in % std::max<int64_t>(getGroups(), 1))
    return emitOpError("has ") << in << " input channels in " << getGroups()
                               << " groups";
  return verifyConv(*this, filter.getDimSize(0),
                    times(filter.getDimSize(1), getGroups()));
}

LogicalResult
ConvTransposeOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  auto sizes = dimsOf(builder, loc, getInput());
  RankedTensorType filter = typeOf(getFilter());
  size_t spatial = sizes.size() - 2;
  auto constant = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIndexOp>(loc, value);
  };
  Value channels = builder.createOrFold<arith::MulIOp>(
      loc,
      getValueOrCreateConstantIndexOp(builder, loc,
                                      dimOf(builder, loc, getFilter(), 1)),
      constant(getGroups()));
  sizes[1] = getAsOpFoldResult(channels);
  for (size_t i = 0; i < spatial; ++i) {
    int64_t plus = getOutputPadding()[i] + 1 - getStrides()[i] +
                   getDilations()[i] * (filter.getDimSize(i + 2) - 1) -
                   getPads()[i] - getPads()[spatial + i];
    Value size = getValueOrCreateConstantIndexOp(builder, loc, sizes[i + 2]);
    Value scaled =
        builder.createOrFold<arith::MulIOp>(loc, size, constant(getStrides()[i]));
    sizes[i + 2] = getAsOpFoldResult(
        builder.createOrFold<arith::AddIOp>(loc, scaled, constant(plus)));
  }
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> ConvTransposeOp::getLegalFormats() {
  return contractionFormats(getInput());
}
ErrorClass ConvTransposeOp::getErrorClass() { return ErrorClass::Contraction; }
double ConvTransposeOp::getReductionLength(DimFn dimOf) {
  // Of the filter's positions, one in `stride` meets each output.
  double strides = getGroups();
  for (int64_t stride : getStrides())
    strides *= stride;
  return filterTaps(getFilter(), 0, dimOf, strides);
}
double ConvTransposeOp::getFlops(DimFn dimOf) {
  double count = elementCount(getInput(), dimOf),
         taps = filterTaps(getFilter(), 1, dimOf, 1);
  return count < 0 || taps < 0 ? -1 : 2 * count * taps;
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  RankedTensorType query = typeOf(getQuery()), key = typeOf(getKey()),
                   value = typeOf(getValue()), result = typeOf(getResult());
  for (RankedTensorType type : {query, key, value, result})
    if (type.getRank() != 4)
      return emitOpError("needs query, key, value and result of rank 4");
  if (differ(query.getDimSize(3), key.getDimSize(3)))
    return emitOpError("has queries of size ")
           << query.getDimSize(3) << " and keys of size " << key.getDimSize(3);
  if (differ(key.getDimSize(1), value.getDimSize(1)) ||
      differ(key.getDimSize(2), value.getDimSize(2)))
    return emitOpError("has keys and values of different counts");
  if (int64_t heads = query.getDimSize(1), shared = key.getDimSize(1);
      !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(shared) &&
      (shared == 0 || heads % shared))
    return emitOpError("has ") << heads << " query heads for " << shared
                               << " key heads";
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getQuery());
  sizes[3] = dimOf(builder, getLoc(), getValue(), 3);
  shapes.push_back(sizes);
  return success();
}

SmallVector<Format> AttentionOp::getLegalFormats() {
  return {Format::F32, Format::TF32, Format::BF16, Format::F16};
}
ErrorClass AttentionOp::getErrorClass() { return ErrorClass::Contraction; }
double AttentionOp::getReductionLength(DimFn dimOf) {
  return dimOf(getKey(), 2);
}
double AttentionOp::getFlops(DimFn dimOf) {
  double scores = elementCount(getQuery(), dimOf);
  double keys = dimOf(getKey(), 2), in = dimOf(getKey(), 3),
         out = dimOf(getValue(), 3);
  if (scores < 0 || keys < 0 || in <= 0 || out < 0)
    return -1;
  return 2 * scores * keys * (1 + out / in);
}
