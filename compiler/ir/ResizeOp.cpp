//===- ResizeOp.cpp - Interpolation to another size -----------------------===//
//
// Formulas are those of the Resize operator in the ONNX specification. Filters
// are separable: an element is a sum over the taps of the first resized
// dimension, each of which is a sum over those of the next.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/Conversions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace amp;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult ResizeOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  if (source.getRank() != result.getRank())
    return emitOpError("has an operand of rank ")
           << source.getRank() << " and a result of rank " << result.getRank();
  if (source.getElementType() != result.getElementType())
    return emitOpError("may not change the element type");
  if (int64_t(getDims().size()) != result.getNumDynamicDims())
    return emitOpError("has ") << getDims().size() << " sizes for "
                               << result.getNumDynamicDims()
                               << " dynamic dimensions";
  if (getScales().size() != getAxes().size())
    return emitOpError("has ") << getScales().size() << " scales for "
                               << getAxes().size() << " axes";
  SmallVector<int64_t> axes(getAxes());
  llvm::sort(axes);
  for (int64_t axis : axes)
    if (axis < 0 || axis >= source.getRank())
      return emitOpError("has axis ") << axis << ", which is outside of [0, "
                                      << source.getRank() << ")";
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    return emitOpError("resizes a dimension twice");
  size_t roi = getCoordinate() == CoordinateMode::TfCropAndResize
                   ? 2 * getAxes().size()
                   : 0;
  if (getRoi().size() != roi)
    return emitOpError("needs ") << roi << " values of roi for "
                                 << stringifyCoordinateMode(getCoordinate());
  return success();
}

LogicalResult ResizeOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getMixedValues(typeOf(getResult()).getShape(), getDims(), builder));
  return success();
}

static double tapsOf(ResizeOp op) {
  double each = op.getMode() == ResizeMode::Nearest  ? 1
                : op.getMode() == ResizeMode::Linear ? 2
                                                     : 4;
  return std::pow(each, op.getAxes().size());
}

ErrorClass ResizeOp::getErrorClass() {
  return getMode() == ResizeMode::Nearest ? ErrorClass::Exact
                                          : ErrorClass::Pointwise;
}
double ResizeOp::getFlops(DimFn dimOf) {
  if (getMode() == ResizeMode::Nearest)
    return 0;
  double count = elementCount(getResult(), dimOf);
  return count < 0 ? -1 : 2 * count * tapsOf(*this);
}
double ResizeOp::getReductionLength(DimFn) { return tapsOf(*this); }

/// Lanes run along a dimension that is not resized.
bool ResizeOp::keepsInnermost() {
  return !llvm::is_contained(getAxes(), typeOf(getSource()).getRank() - 1);
}

namespace {

/// An input element and its weight (null: 1) along one dimension.
struct Tap {
  Value index, weight;
};

/// Emits one element of a resize.
class ResizeElement {
public:
  ResizeElement(OpBuilder &b, ResizeOp op, ElementAccess &access)
      : b(b), loc(op.getLoc()), op(op), access(access) {}

  Value emit(ArrayRef<Value> indices);

private:
  Value constant(float value) {
    return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(value));
  }
  Value index(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  template <typename Op> Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value toFloat(Value value) {
    Value integer = b.create<arith::IndexCastOp>(loc, b.getI64Type(), value);
    return b.create<arith::SIToFPOp>(loc, b.getF32Type(), integer);
  }
  Value one(Value operand) {
    Value value = access.readScalar(operand);
    if (isa<VectorType>(value.getType()))
      value = b.createOrFold<vector::ExtractOp>(loc, value, 0);
    return value;
  }
  Value outputSize(int64_t dim);
  Value coordinate(unsigned axis, Value index, Value inSize);
  Value roundNearest(Value x);
  SmallVector<Tap> taps(Value x, Value inSize);
  Value interpolate(unsigned axis, SmallVectorImpl<Value> &indices);

  OpBuilder &b;
  Location loc;
  ResizeOp op;
  ElementAccess &access;
  SmallVector<SmallVector<Tap>> tapsOfAxis;
};

Value ResizeElement::outputSize(int64_t dim) {
  RankedTensorType type = typeOf(op.getResult());
  if (!type.isDynamicDim(dim))
    return index(type.getDimSize(dim));
  unsigned number = 0;
  for (int64_t i = 0; i < dim; ++i)
    number += type.isDynamicDim(i);
  return one(op.getDims()[number]);
}

/// Where output index `at` lies in the input.
Value ResizeElement::coordinate(unsigned axis, Value at, Value inSize) {
  using arith::AddFOp, arith::DivFOp, arith::MulFOp, arith::SubFOp;
  Value x = toFloat(at), scale = one(op.getScales()[axis]);
  Value half = constant(0.5f), unit = constant(1.0f);
  Value out = toFloat(outputSize(op.getAxes()[axis])), in = toFloat(inSize);
  auto ifSingle = [&](Value single, Value many) {
    Value isOne =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, out, unit);
    return b.create<arith::SelectOp>(loc, isOne, single, many);
  };
  auto halfPixel = [&] {
    return make<SubFOp>(make<DivFOp>(make<AddFOp>(x, half), scale), half);
  };
  Value lastIn = make<SubFOp>(in, unit), lastOut = make<SubFOp>(out, unit);
  switch (op.getCoordinate()) {
  case CoordinateMode::HalfPixel:
    return halfPixel();
  case CoordinateMode::HalfPixelSymmetric: {
    Value adjustment = make<DivFOp>(out, make<MulFOp>(scale, in));
    Value offset = make<MulFOp>(make<MulFOp>(in, half),
                                make<SubFOp>(unit, adjustment));
    return make<AddFOp>(offset, halfPixel());
  }
  case CoordinateMode::PytorchHalfPixel:
    return ifSingle(constant(-0.5f), halfPixel());
  case CoordinateMode::AlignCorners:
    return ifSingle(constant(0.0f),
                    make<DivFOp>(make<MulFOp>(x, lastIn), lastOut));
  case CoordinateMode::Asymmetric:
    return make<DivFOp>(x, scale);
  case CoordinateMode::TfHalfPixelForNN:
    return make<DivFOp>(make<AddFOp>(x, half), scale);
  case CoordinateMode::TfCropAndResize: {
    Value start = one(op.getRoi()[axis]),
          end = one(op.getRoi()[op.getAxes().size() + axis]);
    Value span = make<SubFOp>(end, start);
    Value many = make<AddFOp>(
        make<MulFOp>(start, lastIn),
        make<DivFOp>(make<MulFOp>(x, make<MulFOp>(span, lastIn)), lastOut));
    Value single = make<MulFOp>(
        half, make<MulFOp>(make<AddFOp>(start, end), lastIn));
    return ifSingle(single, many);
  }
  }
  llvm_unreachable("all coordinate modes are handled");
}

Value ResizeElement::roundNearest(Value x) {
  Value half = constant(0.5f);
  switch (op.getNearest()) {
  case NearestMode::RoundPreferFloor:
    return b.create<math::CeilOp>(loc, make<arith::SubFOp>(x, half));
  case NearestMode::RoundPreferCeil:
    return b.create<math::FloorOp>(loc, make<arith::AddFOp>(x, half));
  case NearestMode::Floor:
    return b.create<math::FloorOp>(loc, x);
  case NearestMode::Ceil:
    return b.create<math::CeilOp>(loc, x);
  }
  llvm_unreachable("all nearest modes are handled");
}

SmallVector<Tap> ResizeElement::taps(Value x, Value inSize) {
  using arith::AddFOp, arith::DivFOp, arith::MulFOp, arith::SubFOp;
  Value last = make<arith::SubIOp>(inSize, index(1));
  auto toIndex = [&](Value value) -> Value {
    Value integer = convertElement(b, loc, value, b.getI64Type(), false, false);
    return b.create<arith::IndexCastOp>(loc, b.getIndexType(), integer);
  };
  auto clamp = [&](Value at) {
    return make<arith::MaxSIOp>(make<arith::MinSIOp>(at, last), index(0));
  };
  if (op.getMode() == ResizeMode::Nearest)
    return {{clamp(toIndex(roundNearest(x))), nullptr}};
  Value floor = b.create<math::FloorOp>(loc, x);
  Value ratio = make<SubFOp>(x, floor), left = toIndex(floor);
  SmallVector<Value> weights;
  int64_t first = 0;
  Value unit = constant(1.0f), rest = make<SubFOp>(unit, ratio);
  if (op.getMode() == ResizeMode::Linear) {
    weights = {rest, ratio};
  } else {
    // Keys, "Cubic convolution interpolation", 1981.
    first = -1;
    float a = op.getCubicA().convertToFloat();
    auto outer = [&](Value t) { // 1 <= t <= 2
      Value sum = make<SubFOp>(make<MulFOp>(constant(a), t), constant(5 * a));
      sum = make<AddFOp>(make<MulFOp>(sum, t), constant(8 * a));
      return make<SubFOp>(make<MulFOp>(sum, t), constant(4 * a));
    };
    auto inner = [&](Value t) { // 0 <= t <= 1
      Value sum =
          make<SubFOp>(make<MulFOp>(constant(a + 2), t), constant(a + 3));
      return make<AddFOp>(make<MulFOp>(make<MulFOp>(sum, t), t), unit);
    };
    weights = {outer(make<AddFOp>(ratio, unit)), inner(ratio), inner(rest),
               outer(make<AddFOp>(rest, unit))};
  }
  SmallVector<Tap> result;
  Value total = constant(0.0f), zero = constant(0.0f);
  for (auto [i, weight] : llvm::enumerate(weights)) {
    Value at = make<arith::AddIOp>(left, index(first + int64_t(i)));
    if (op.getExcludeOutside()) {
      Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                             at, inSize);
      weight = b.create<arith::SelectOp>(loc, inside, weight, zero);
      total = make<AddFOp>(total, weight);
    }
    result.push_back({clamp(at), weight});
  }
  if (op.getExcludeOutside())
    for (Tap &tap : result)
      tap.weight = make<DivFOp>(tap.weight, total);
  return result;
}

/// The sum over the taps of dimension `axes[axis]` and those after it.
Value ResizeElement::interpolate(unsigned axis,
                                 SmallVectorImpl<Value> &indices) {
  if (axis == op.getAxes().size()) {
    Value element = access.read(op.getSource(), indices);
    if (!element || op.getMode() == ResizeMode::Nearest)
      return element;
    return convertElement(b, loc, element, b.getF32Type(), false, false);
  }
  Value sum;
  for (const Tap &tap : tapsOfAxis[axis]) {
    indices[op.getAxes()[axis]] = tap.index;
    Value part = interpolate(axis + 1, indices);
    if (!part || !tap.weight)
      return part;
    Value weight = tap.weight;
    if (auto vector = dyn_cast<VectorType>(part.getType()))
      weight = b.create<vector::SplatOp>(loc, vector, weight);
    part = make<arith::MulFOp>(part, weight);
    sum = sum ? make<arith::AddFOp>(sum, part) : part;
  }
  return sum;
}

Value ResizeElement::emit(ArrayRef<Value> at) {
  SmallVector<Value> indices(at);
  Value outside;
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    Value inSize = access.dim(op.getSource(), axis);
    Value x = coordinate(i, at[axis], inSize);
    tapsOfAxis.push_back(taps(x, inSize));
    if (op.getCoordinate() != CoordinateMode::TfCropAndResize)
      continue;
    Value last =
        toFloat(make<arith::SubIOp>(inSize, index(1)));
    Value low = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x,
                                        constant(0.0f));
    Value high =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, x, last);
    Value out = make<arith::OrIOp>(low, high);
    outside = outside ? make<arith::OrIOp>(outside, out) : out;
  }
  Value element = interpolate(0, indices);
  if (!element)
    return element;
  element = convertElement(b, loc, element,
                           typeOf(op.getResult()).getElementType(), false,
                           false);
  if (!outside)
    return element;
  Value fill = splatConstant(b, loc, element.getType(),
                             op.getExtrapolation().convertToFloat());
  return b.create<arith::SelectOp>(loc, outside, fill,
                                   element);
}

} // namespace

Value ResizeOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                            ArrayRef<Value> indices) {
  return ResizeElement(builder, *this, access).emit(indices);
}
