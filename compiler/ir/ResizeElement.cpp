//===- ResizeElement.cpp - The elements of a resize -----------------------===//
//
// Formulas are those of the Resize operator in the ONNX specification and its
// reference evaluator. Filters are separable: an element is a sum over the taps
// of the first resized dimension, each of which is a sum over those of the
// next. Coordinates and weights are f32.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/ElementBuilder.h"
#include "compiler/ir/IndexArithmetic.h"
#include "compiler/ir/OpUtils.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace amp;

namespace {

/// The input elements that one output index reads along one dimension: those at
/// `base + i` for i from `first` on, `count` of them.
struct Filter {
  Value size;    // of the input
  Value base;    // an index, which may lie outside
  Value ratio;   // of the coordinate beyond `base`; null: nearest, weight 1
  Value stretch; // by which distances shrink (antialias); null: none
  Value first;   // of a filter whose length is not known, else null
  Value count;   // likewise
  Value total;   // that weights are divided by; null: 1
};

/// Emits one element of a resize.
class ResizeElement {
public:
  ResizeElement(OpBuilder &b, ResizeOp op, ElementAccess &access)
      : b(b), loc(op.getLoc()), op(op), access(access), ix{b, loc},
        e{b, loc, b.getF32Type()} {}

  Value emit(ArrayRef<Value> indices);

private:
  Value constant(double value) {
    return splatConstant(b, loc, b.getF32Type(), value);
  }
  Value toFloat(Value index) {
    if (auto known = getConstantIntValue(index))
      return constant(double(*known));
    return convertElement(b, loc, index, b.getF32Type());
  }
  Value toIndex(Value whole);
  Value outputSize(int64_t dim);
  Value coordinate(unsigned axis, Value index, Value inSize);
  Value roundNearest(Value x);

  int64_t support() { return op.getMode() == ResizeMode::Linear ? 1 : 2; }
  Value kernel(Value distance);
  Filter filter(Value x, Value inSize, Value scale);
  Value weight(const Filter &filter, Value i, Value at);
  Value overTaps(const Filter &filter, Value init,
                 llvm::function_ref<Value(Value i, Value sum)> body);
  Value interpolate(unsigned axis, SmallVectorImpl<Value> &indices);

  OpBuilder &b;
  Location loc;
  ResizeOp op;
  ElementAccess &access;
  IndexArithmetic ix;
  ElementBuilder e; // of f32 scalars
  SmallVector<Filter> filters;
};

/// A whole number as an index; what is far outside of any tensor stays outside,
/// NaN gives some number.
Value ResizeElement::toIndex(Value whole) {
  constexpr double far = 1 << 30;
  whole = e.make<arith::MaxNumFOp>(whole, constant(-far));
  whole = e.make<arith::MinNumFOp>(whole, constant(far));
  Value integer = b.create<arith::FPToSIOp>(loc, b.getI64Type(), whole);
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), integer);
}

Value ResizeElement::outputSize(int64_t dim) {
  RankedTensorType type = typeOf(op.getResult());
  if (!type.isDynamicDim(dim))
    return ix.constant(type.getDimSize(dim));
  return ix.scalar(access, op.getDims()[type.getDynamicDimIndex(dim)]);
}

/// Where output index `at` of `op.getAxes()[axis]` lies in the input.
Value ResizeElement::coordinate(unsigned axis, Value at, Value inSize) {
  Value x = toFloat(at), scale = ix.scalar(access, op.getScales()[axis]);
  Value half = constant(0.5), one = constant(1), in = toFloat(inSize);
  // The output's width is not whole if the scale says so. A scale that comes
  // from sizes is meant to give those, whatever its rounding.
  auto outWidth = [&] {
    Value whole = toFloat(outputSize(op.getAxes()[axis]));
    Value width = e.mul(scale, in);
    Value error = e.make<math::AbsFOp>(e.sub(width, whole));
    Value isWhole = e.compare(arith::CmpFPredicate::OLE, error,
                              e.mul(whole, constant(std::ldexp(1.0, -20))));
    return e.select(isWhole, whole, width);
  };
  auto ifSingle = [&](Value width, Value single, Value many) {
    Value isOne = e.compare(arith::CmpFPredicate::OEQ, width, one);
    return e.select(isOne, single, many);
  };
  auto halfPixel = [&] { return e.sub(e.div(e.add(x, half), scale), half); };
  switch (op.getCoordinate()) {
  case CoordinateMode::HalfPixel:
    return halfPixel();
  case CoordinateMode::HalfPixelSymmetric: {
    Value whole = toFloat(outputSize(op.getAxes()[axis]));
    Value adjustment = e.div(whole, outWidth());
    Value offset = e.mul(e.mul(in, half), e.sub(one, adjustment));
    return e.add(offset, halfPixel());
  }
  case CoordinateMode::PytorchHalfPixel:
    return ifSingle(outWidth(), constant(-0.5), halfPixel());
  case CoordinateMode::AlignCorners: {
    Value width = outWidth();
    Value many = e.div(e.mul(x, e.sub(in, one)), e.sub(width, one));
    return ifSingle(width, constant(0), many);
  }
  case CoordinateMode::Asymmetric:
    return e.div(x, scale);
  case CoordinateMode::TfHalfPixelForNN:
    return e.div(e.add(x, half), scale);
  case CoordinateMode::TfCropAndResize: {
    Value start = ix.scalar(access, op.getRoi()[axis]),
          end = ix.scalar(access, op.getRoi()[op.getAxes().size() + axis]);
    Value width = outWidth(), last = e.sub(in, one);
    Value span = e.mul(e.sub(end, start), last);
    Value many = e.div(e.mul(x, span), e.sub(width, one));
    Value inner = ifSingle(width, e.mul(span, half), many);
    return e.add(inner, e.mul(start, last));
  }
  }
  llvm_unreachable("all coordinate modes are handled");
}

Value ResizeElement::roundNearest(Value x) {
  switch (op.getNearest()) {
  case NearestMode::RoundPreferFloor:
    return e.make<math::CeilOp>(e.sub(x, constant(0.5)));
  case NearestMode::RoundPreferCeil:
    return e.make<math::FloorOp>(e.add(x, constant(0.5)));
  case NearestMode::Floor:
    return e.make<math::FloorOp>(x);
  case NearestMode::Ceil:
    return e.make<math::CeilOp>(x);
  }
  llvm_unreachable("all nearest modes are handled");
}

/// The weight of an element at a distance: a tent, or the cubic of Keys, "Cubic
/// convolution interpolation for digital image processing", 1981.
Value ResizeElement::kernel(Value distance) {
  Value t = e.make<math::AbsFOp>(distance), one = constant(1);
  if (op.getMode() == ResizeMode::Linear)
    return e.make<arith::MaximumFOp>(e.sub(one, t), constant(0));
  double a = op.getCubicA().convertToFloat();
  // ((a + 2) t - (a + 3)) t^2 + 1
  Value inner = e.sub(e.mul(constant(a + 2), t), constant(a + 3));
  inner = e.add(e.mul(e.mul(inner, t), t), one);
  // ((a t - 5 a) t + 8 a) t - 4 a
  Value outer = e.sub(e.mul(constant(a), t), constant(5 * a));
  outer = e.add(e.mul(outer, t), constant(8 * a));
  outer = e.sub(e.mul(outer, t), constant(4 * a));
  Value isInner = e.compare(arith::CmpFPredicate::OLE, t, one);
  Value isOuter = e.compare(arith::CmpFPredicate::OLT, t, constant(2));
  return e.select(isInner, inner, e.select(isOuter, outer, constant(0)));
}

Filter ResizeElement::filter(Value x, Value inSize, Value scale) {
  Filter filter{};
  filter.size = inSize;
  if (op.getMode() == ResizeMode::Nearest) {
    filter.base = toIndex(roundNearest(x));
    return filter;
  }
  Value floor = e.make<math::FloorOp>(x);
  filter.base = toIndex(floor);
  filter.ratio = e.sub(x, floor);
  if (op.getAntialias()) {
    // Where the input is shrunk, the filter spans the elements that meet in one
    // of the result.
    filter.stretch = e.make<arith::MinimumFOp>(scale, constant(1));
    Value reach = e.div(constant(-support()), filter.stretch);
    filter.first = ix.add(toIndex(e.make<math::FloorOp>(reach)), 1);
    filter.count = ix.sub(ix.constant(2), ix.mul(filter.first, ix.constant(2)));
  }
  if (op.getAntialias() || op.getExcludeOutside())
    filter.total = overTaps(filter, constant(0), [&](Value i, Value sum) {
      return e.add(sum, weight(filter, i, ix.add(filter.base, i)));
    });
  return filter;
}

/// The weight of tap `i`, which reads element `at`, before it is divided by the
/// total.
Value ResizeElement::weight(const Filter &filter, Value i, Value at) {
  Value distance = e.sub(toFloat(i), filter.ratio);
  if (filter.stretch)
    distance = e.mul(distance, filter.stretch);
  Value weight = kernel(distance);
  if (op.getExcludeOutside())
    weight = e.select(ix.isInside(at, filter.size), weight, constant(0));
  return weight;
}

/// Folds `body` over the taps of a filter, in ascending order.
Value ResizeElement::overTaps(
    const Filter &filter, Value init,
    llvm::function_ref<Value(Value i, Value sum)> body) {
  if (!filter.count) {
    Value sum = init;
    for (int64_t i = 1 - support(); sum && i <= support(); ++i)
      sum = body(ix.constant(i), sum);
    return sum;
  }
  auto loop = b.create<scf::ForOp>(loc, ix.constant(0), filter.count,
                                   ix.constant(1), ValueRange(init));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = ix.add(loop.getInductionVar(), filter.first);
  Value sum = body(i, loop.getRegionIterArg(0));
  // After an error the element is null and the kernel is dropped.
  b.create<scf::YieldOp>(loc, sum ? sum : loop.getRegionIterArg(0));
  return sum ? loop.getResult(0) : nullptr;
}

/// The sum over the taps of dimension `axes[axis]` and those after it.
Value ResizeElement::interpolate(unsigned axis,
                                 SmallVectorImpl<Value> &indices) {
  if (axis == op.getAxes().size()) {
    Value element = access.read(op.getSource(), indices);
    if (!element || op.getMode() == ResizeMode::Nearest)
      return element;
    Type type = computeType(getElementTypeOrSelf(element.getType()));
    if (!isa<FloatType>(type))
      type = b.getF32Type();
    return convertElement(b, loc, element, type, {op.getUnsignedSource()});
  }
  const Filter &filter = filters[axis];
  int64_t dim = op.getAxes()[axis];
  if (!filter.ratio) {
    indices[dim] = ix.clamp(filter.base, filter.size);
    return interpolate(axis + 1, indices);
  }
  Type type = typeOf(op.getSource()).getElementType();
  type = type.isF64() ? type : Type(b.getF32Type());
  Value zero = splatConstant(b, loc, access.laned(type), 0);
  return overTaps(filter, zero, [&](Value i, Value sum) -> Value {
    Value at = ix.add(filter.base, i);
    Value factor = weight(filter, i, at);
    if (filter.total)
      factor = e.div(factor, filter.total);
    indices[dim] = ix.clamp(at, filter.size);
    Value part = interpolate(axis + 1, indices);
    if (!part)
      return nullptr;
    factor = convertFloat(b, loc, factor, type);
    if (auto vector = dyn_cast<VectorType>(part.getType()))
      factor = b.create<vector::SplatOp>(loc, vector, factor);
    return e.add(sum, e.mul(part, factor));
  });
}

Value ResizeElement::emit(ArrayRef<Value> at) {
  SmallVector<Value> indices(at);
  Value outside;
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    Value inSize = access.dim(op.getSource(), axis);
    Value x = coordinate(i, at[axis], inSize);
    filters.push_back(filter(x, inSize, ix.scalar(access, op.getScales()[i])));
    if (op.getCoordinate() != CoordinateMode::TfCropAndResize)
      continue;
    Value last = toFloat(ix.add(inSize, -1));
    Value out = e.orBits(e.compare(arith::CmpFPredicate::OLT, x, constant(0)),
                         e.compare(arith::CmpFPredicate::OGT, x, last));
    outside = outside ? e.orBits(outside, out) : out;
  }
  Value element = interpolate(0, indices);
  if (!element)
    return nullptr;
  // Interpolated integers are rounded to nearest even and saturate.
  Type type = typeOf(op.getResult()).getElementType();
  if (op.getMode() != ResizeMode::Nearest) {
    if (!isa<FloatType>(type))
      element = b.create<math::RoundEvenOp>(loc, element);
    element =
        convertElement(b, loc, element, type, {false, op.getUnsignedSource()});
  }
  if (!outside)
    return element;
  Value fill = splatConstant(b, loc, element.getType(),
                             op.getExtrapolation().convertToFloat());
  return b.create<arith::SelectOp>(loc, outside, fill, element);
}

} // namespace

Value ResizeOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                            ArrayRef<Value> indices) {
  return ResizeElement(builder, *this, access).emit(indices);
}
