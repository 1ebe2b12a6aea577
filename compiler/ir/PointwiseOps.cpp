//===- PointwiseOps.cpp - Pointwise ops beyond arith and math -------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/ir/ElementBuilder.h"
#include "compiler/ir/IndexArithmetic.h"
#include "compiler/ir/OpUtils.h"
#include "compiler/ir/SizeEquality.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  if (source.getRank() > result.getRank())
    return emitOpError("has a result of lower rank than its operand");
  int64_t shift = result.getRank() - source.getRank();
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t from = source.getDimSize(i), to = result.getDimSize(i + shift);
    if (from != 1 && differ(from, to))
      return emitOpError("repeats dimension ")
             << i << " of size " << from << " to " << to;
  }
  for (int64_t position : getMaybeOne())
    if (position < 0 || position >= source.getRank() ||
        !source.isDynamicDim(position))
      return emitOpError("lists ")
             << position
             << " in maybe_one, which is no dynamic dimension of the operand";
  return verifyDims(*this, getDims(), result);
}

LogicalResult
BroadcastOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value BroadcastOp::emitElement(OpBuilder &builder, ElementAccess &access,
                               unsigned, ArrayRef<Value> indices) {
  IndexArithmetic ix{builder, getLoc()};
  RankedTensorType source = typeOf(getSource());
  SmallVector<Value> mapped;
  for (auto [i, index] : llvm::enumerate(indices.take_back(source.getRank()))) {
    if (source.getDimSize(i) == 1) {
      mapped.push_back(ix.constant(0));
    } else if (llvm::is_contained(getMaybeOne(), int64_t(i))) {
      Value repeated = ix.compare(arith::CmpIPredicate::eq,
                                  access.dim(getSource(), i), ix.constant(1));
      mapped.push_back(ix.select(repeated, ix.constant(0), index));
    } else {
      mapped.push_back(index);
    }
  }
  return access.read(getSource(), mapped);
}

bool BroadcastOp::keepsInnermost() {
  // An innermost dimension that may be one or many is neither repeated nor
  // consecutive.
  return !llvm::is_contained(getMaybeOne(), typeOf(getSource()).getRank() - 1);
}

bool BroadcastOp::mergeDims(int64_t dim, SmallVectorImpl<int64_t> &operands) {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  operands.assign(getOperation()->getNumOperands(), -1);
  int64_t first = dim - (result.getRank() - source.getRank());
  if (first + 1 < 0)
    return true;
  // Element zero is read along missing dimensions and those of size 1.
  auto repeats = [&](int64_t at) {
    return at < 0 || source.getDimSize(at) == 1;
  };
  if (llvm::is_contained(getMaybeOne(), first) ||
      llvm::is_contained(getMaybeOne(), first + 1))
    return false;
  if (repeats(first) && repeats(first + 1))
    return true;
  // Both passed on, or nothing runs over the outer one and those before it.
  bool leading = llvm::all_of(result.getShape().take_front(dim + 1),
                              [](int64_t size) { return size == 1; });
  if (repeats(first + 1) || (repeats(first) && !leading))
    return false;
  if (first >= 0)
    operands[0] = first;
  return true;
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = typeOf(getResult());
  if (getSource().getType() == type && getMaybeOne().empty())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    if (type.hasStaticShape())
      return splat.resizeSplat(type);
  return {};
}

namespace {
/// broadcast(broadcast(x)) -> broadcast(x). Dynamic dimensions of x stay out of
/// it: the outer op might repeat what the inner one promised to be 1.
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<BroadcastOp>();
    if (!inner || !op.getMaybeOne().empty() ||
        !typeOf(inner.getSource()).hasStaticShape())
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getSourceMutable().assign(inner.getSource()); });
    return success();
  }
};

/// A dimension whose size is that of the result's is not repeated.
struct DropMaybeOne : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getMaybeOne().empty())
      return failure();
    RankedTensorType source = typeOf(op.getSource());
    int64_t shift = typeOf(op.getResult()).getRank() - source.getRank();
    // Whatever it takes to compute the sizes is not kept.
    Block scratch;
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&scratch);
    SmallVector<OpFoldResult> from =
        dimsOf(builder, op.getLoc(), op.getSource());
    SmallVector<OpFoldResult> to = getMixedValues(
        typeOf(op.getResult()).getShape(), op.getDims(), builder);
    SmallVector<int64_t> left;
    for (int64_t dim : op.getMaybeOne())
      if (!areEqualSizes(from[dim], to[dim + shift]))
        left.push_back(dim);
    if (left.size() == op.getMaybeOne().size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setMaybeOne(left); });
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeBroadcasts, DropMaybeOne>(context);
}

//===----------------------------------------------------------------------===//
// SplatOp
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getValue().getType() != typeOf(getResult()).getElementType())
    return emitOpError("fills a tensor of ")
           << typeOf(getResult()).getElementType() << " with a "
           << getValue().getType();
  return verifyDims(*this, getDims(), typeOf(getResult()));
}

LogicalResult SplatOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value SplatOp::emitElement(OpBuilder &, ElementAccess &access, unsigned,
                           ArrayRef<Value>) {
  return access.readScalar(getValue());
}

bool SplatOp::keepsInnermost() { return true; }

bool SplatOp::mergeDims(int64_t, SmallVectorImpl<int64_t> &operands) {
  operands.assign(getOperation()->getNumOperands(), -1);
  return true;
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  for (Value value : {Value(getSource()), Value(getResult())})
    if (!typeOf(value).getElementType().isIntOrIndexOrFloat())
      return emitOpError("cannot convert elements of type ")
             << typeOf(value).getElementType();
  auto verifyFormat = [&](ByteFormat format, Value value) -> LogicalResult {
    if (format == ByteFormat::Byte ||
        typeOf(value).getElementType().isInteger(8))
      return success();
    return emitOpError("has format ")
           << stringifyByteFormat(format) << " for elements of type "
           << typeOf(value).getElementType() << "; such formats are kept in i8";
  };
  if (failed(verifyFormat(getSourceFormat(), getSource())))
    return failure();
  return verifyFormat(getResultFormat(), getResult());
}

LogicalResult CastOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

SmallVector<Format> CastOp::getLegalFormats() { return {}; }

ErrorClass CastOp::getErrorClass() {
  Type from = typeOf(getSource()).getElementType(),
       to = typeOf(getResult()).getElementType();
  auto isCode = [](ByteFormat format) {
    return format != ByteFormat::Byte && !narrowIntegerBits(format);
  };
  if (isCode(getResultFormat()))
    return ErrorClass::Pointwise;
  if (isCode(getSourceFormat()))
    return isa<FloatType>(to) ? ErrorClass::Exact : ErrorClass::Pointwise;
  if (!isa<FloatType>(from) && !isa<FloatType>(to))
    return ErrorClass::Integer;
  auto floatFrom = dyn_cast<FloatType>(from), floatTo = dyn_cast<FloatType>(to);
  if (!floatFrom || !floatTo)
    return ErrorClass::Pointwise;
  // Exact where the result holds every value: more digits, more exponents.
  const llvm::fltSemantics &a = floatFrom.getFloatSemantics(),
                           &b = floatTo.getFloatSemantics();
  using Semantics = llvm::APFloatBase;
  bool holds =
      Semantics::semanticsPrecision(b) >= Semantics::semanticsPrecision(a) &&
      Semantics::semanticsMaxExponent(b) >=
          Semantics::semanticsMaxExponent(a) &&
      Semantics::semanticsMinExponent(b) <= Semantics::semanticsMinExponent(a);
  return holds ? ErrorClass::Exact : ErrorClass::Pointwise;
}

double CastOp::getFlops(DimFn dimOf) {
  return elementCount(getResult(), dimOf);
}

Value CastOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  Value element = access.read(getSource(), indices);
  if (!element)
    return nullptr;
  return convertElement(
      builder, getLoc(), element, typeOf(getResult()).getElementType(),
      {getUnsignedSource(), getUnsignedResult(), getSaturate(),
       getSourceFormat(), getResultFormat(), getRounding()});
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType() &&
      getSourceFormat() == ByteFormat::Byte &&
      getResultFormat() == ByteFormat::Byte)
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// GeluOp, SigmoidOp
//===----------------------------------------------------------------------===//

/// Emits `formula` on the element of `op`'s source: in f32 for narrower floats.
template <typename Op, typename Formula>
static Value emitActivation(Op op, OpBuilder &builder, ElementAccess &access,
                            ArrayRef<Value> indices, Formula formula) {
  Value element = access.read(op.getSource(), indices);
  if (!element)
    return nullptr;
  Location loc = op.getLoc();
  Type type = element.getType();
  ElementBuilder e{builder, loc, type};
  Value x = convertFloat(builder, loc, element, computeType(type));
  return convertFloat(builder, loc, formula(e, x), type);
}

LogicalResult RoundToOp::verify() {
  if (!typeOf(getSource()).getElementType().isF32())
    return emitOpError("rounds numbers of f32 only");
  if (Type narrow = formatType(getContext(), getFormat());
      !narrow || narrow.isF64() || narrow.isF32())
    return emitOpError("cannot round to ") << stringifyFormat(getFormat());
  return success();
}

LogicalResult
RoundToOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

SmallVector<Format> RoundToOp::getLegalFormats() { return {}; }
ErrorClass RoundToOp::getErrorClass() { return ErrorClass::Pointwise; }

Value RoundToOp::emitElement(OpBuilder &builder, ElementAccess &access,
                             unsigned, ArrayRef<Value> indices) {
  Value x = access.read(getSource(), indices);
  if (!x)
    return nullptr;
  Type wide = x.getType();
  Value narrow =
      convertFloat(builder, getLoc(), x, formatType(getContext(), getFormat()));
  return convertFloat(builder, getLoc(), narrow, wide);
}

/// Rounding twice is rounding once.
OpFoldResult RoundToOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<RoundToOp>();
  return inner && inner.getFormat() == getFormat() ? inner.getResult()
                                                   : Value();
}

LogicalResult GeluOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

ErrorClass GeluOp::getErrorClass() { return ErrorClass::Transcendental; }

Value GeluOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  auto formula = [&](ElementBuilder &e, Value x) {
    auto constant = [&](double value) { return e.constant(value, x); };
    Value inner;
    if (getTanh()) {
      Value cube = e.mul(e.mul(x, x), x);
      Value sum = e.add(x, e.mul(cube, constant(0.044715)));
      constexpr double rootOfTwoOverPi = 0.79788456080286535588;
      inner = e.make<math::TanhOp>(e.mul(sum, constant(rootOfTwoOverPi)));
    } else {
      constexpr double rootOfHalf = 0.70710678118654752440;
      inner = e.make<math::ErfOp>(e.mul(x, constant(rootOfHalf)));
    }
    return e.mul(e.mul(x, constant(0.5)), e.add(inner, constant(1)));
  };
  return emitActivation(*this, builder, access, indices, formula);
}

LogicalResult
SigmoidOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, getLoc(), getSource(), shapes);
}

ErrorClass SigmoidOp::getErrorClass() { return ErrorClass::Transcendental; }

Value SigmoidOp::emitElement(OpBuilder &builder, ElementAccess &access,
                             unsigned, ArrayRef<Value> indices) {
  auto formula = [](ElementBuilder &e, Value x) {
    // exp(-x) is infinite where x is very negative, and the quotient 0.
    Value one = e.constant(1, x);
    Value power = e.make<math::ExpOp>(e.make<arith::NegFOp>(x));
    return e.div(one, e.add(one, power));
  };
  return emitActivation(*this, builder, access, indices, formula);
}
