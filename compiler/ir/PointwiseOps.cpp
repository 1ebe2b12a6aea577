//===- PointwiseOps.cpp - Pointwise ops beyond arith and math -------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/Conversions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace amp;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Ops whose sizes are their `dims` operands.
template <typename Op>
static LogicalResult reifyDims(Op op, OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getMixedValues(typeOf(op.getResult()).getShape(), op.getDims(), builder));
  return success();
}

template <typename Op>
static LogicalResult reifySource(Op op, OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(dimsOf(builder, op.getLoc(), op.getSource()));
  return success();
}

template <typename Op> static LogicalResult verifyDims(Op op) {
  int64_t dynamic = typeOf(op.getResult()).getNumDynamicDims();
  if (int64_t(op.getDims().size()) != dynamic)
    return op.emitOpError("has ") << op.getDims().size() << " sizes for "
                                  << dynamic << " dynamic dimensions";
  return success();
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (source.getElementType() != result.getElementType())
    return emitOpError("may not change the element type");
  if (source.getRank() > result.getRank())
    return emitOpError("has a result of lower rank than its operand");
  int64_t shift = result.getRank() - source.getRank();
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t from = source.getDimSize(i), to = result.getDimSize(i + shift);
    if (from != 1 && !ShapedType::isDynamic(from) &&
        !ShapedType::isDynamic(to) && from != to)
      return emitOpError("repeats dimension ")
             << i << " of size " << from << " to " << to;
  }
  for (int64_t position : getMaybeOne())
    if (position < 0 || position >= source.getRank() ||
        !source.isDynamicDim(position))
      return emitOpError("lists ") << position
                                   << " in maybe_one, which is no "
                                      "dynamic dimension of the "
                                      "operand";
  return verifyDims(*this);
}

LogicalResult
BroadcastOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value BroadcastOp::emitElement(OpBuilder &builder, ElementAccess &access,
                               unsigned, ArrayRef<Value> indices) {
  RankedTensorType source = typeOf(getSource());
  Location loc = getLoc();
  SmallVector<Value> mapped;
  Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
  for (auto [i, index] : llvm::enumerate(indices.take_back(source.getRank()))) {
    Value at = source.getDimSize(i) == 1 ? zero : index;
    if (llvm::is_contained(getMaybeOne(), int64_t(i))) {
      Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
      Value repeated = builder.create<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, access.dim(getSource(), i), one);
      at = builder.create<arith::SelectOp>(loc, repeated, zero, index);
    }
    mapped.push_back(at);
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
  if (!getMaybeOne().empty() && (llvm::is_contained(getMaybeOne(), first) ||
                                 llvm::is_contained(getMaybeOne(), first + 1)))
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

//===----------------------------------------------------------------------===//
// SplatOp
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getValue().getType() != typeOf(getResult()).getElementType())
    return emitOpError("fills a tensor of ")
           << typeOf(getResult()).getElementType() << " with a "
           << getValue().getType();
  return verifyDims(*this);
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

LogicalResult CastOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifySource(*this, builder, shapes);
}

SmallVector<Format> CastOp::getLegalFormats() { return {}; }

ErrorClass CastOp::getErrorClass() {
  Type from = typeOf(getSource()).getElementType(),
       to = typeOf(getResult()).getElementType();
  if (!isa<FloatType>(from) && !isa<FloatType>(to))
    return ErrorClass::Integer;
  bool widens = isa<FloatType>(from) && isa<FloatType>(to) &&
                to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  return widens ? ErrorClass::Exact : ErrorClass::Pointwise;
}

Value CastOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  Value element = access.read(getSource(), indices);
  if (!element)
    return element;
  return convertElement(builder, getLoc(), element,
                        typeOf(getResult()).getElementType(),
                        getUnsignedSource(), getUnsignedResult());
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// GeluOp, SigmoidOp
//===----------------------------------------------------------------------===//

namespace {
/// Float arithmetic on the elements of an activation, in f32 for narrower
/// formats.
struct Activation {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(double value) { return splatConstant(b, loc, type, value); }
  Value add(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.create<arith::DivFOp>(loc, x, y); }
  template <typename Op> Value apply(Value x) { return b.create<Op>(loc, x); }
};
} // namespace

/// Emits `formula` on the element of `op`'s source in compute precision.
template <typename Op, typename Formula>
static Value emitActivation(Op op, OpBuilder &builder, ElementAccess &access,
                            ArrayRef<Value> indices, Formula formula) {
  Value element = access.read(op.getSource(), indices);
  if (!element)
    return element;
  Type type = computeType(element.getType());
  Activation math{builder, op.getLoc(), type};
  Value wide = convertFloat(builder, op.getLoc(), element, type);
  return convertFloat(builder, op.getLoc(), formula(math, wide),
                      element.getType());
}

LogicalResult GeluOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifySource(*this, builder, shapes);
}
ErrorClass GeluOp::getErrorClass() { return ErrorClass::Transcendental; }

Value GeluOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  return emitActivation(
      *this, builder, access, indices, [&](Activation &m, Value x) {
        Value half = m.mul(x, m.constant(0.5)), inner;
        if (getTanh()) {
          Value cube = m.mul(m.mul(x, x), x);
          Value sum = m.add(x, m.mul(cube, m.constant(0.044715)));
          inner = m.apply<math::TanhOp>(
              m.mul(sum, m.constant(0.79788456080286535588))); // sqrt(2/pi)
        } else {
          inner = m.apply<math::ErfOp>(
              m.mul(x, m.constant(0.70710678118654752440))); // 1/sqrt(2)
        }
        return m.mul(half, m.add(inner, m.constant(1)));
      });
}

LogicalResult
SigmoidOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifySource(*this, builder, shapes);
}
ErrorClass SigmoidOp::getErrorClass() { return ErrorClass::Transcendental; }

Value SigmoidOp::emitElement(OpBuilder &builder, ElementAccess &access,
                             unsigned, ArrayRef<Value> indices) {
  return emitActivation(
      *this, builder, access, indices, [&](Activation &m, Value x) {
        // exp overflows to infinity below -88 and the quotient is 0.
        Value e = m.apply<math::ExpOp>(m.apply<arith::NegFOp>(x));
        return m.div(m.constant(1), m.add(m.constant(1), e));
      });
}
