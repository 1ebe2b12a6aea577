//===- Elements.cpp - Pointwise arithmetic on tensors ---------------------===//

#include "compiler/import/onnx/NodeBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

Tensor NodeBuilder::add(const Tensor &lhs, const Tensor &rhs) {
  return isFloat(lhs.dtype) ? pointwise<arith::AddFOp>(lhs.dtype, lhs, rhs)
                            : pointwise<arith::AddIOp>(lhs.dtype, lhs, rhs);
}

Tensor NodeBuilder::sub(const Tensor &lhs, const Tensor &rhs) {
  return isFloat(lhs.dtype) ? pointwise<arith::SubFOp>(lhs.dtype, lhs, rhs)
                            : pointwise<arith::SubIOp>(lhs.dtype, lhs, rhs);
}

Tensor NodeBuilder::mul(const Tensor &lhs, const Tensor &rhs) {
  return isFloat(lhs.dtype) ? pointwise<arith::MulFOp>(lhs.dtype, lhs, rhs)
                            : pointwise<arith::MulIOp>(lhs.dtype, lhs, rhs);
}

Tensor NodeBuilder::div(const Tensor &lhs, const Tensor &rhs) {
  return pointwise<arith::DivFOp>(lhs.dtype, lhs, rhs);
}

Tensor NodeBuilder::sqrt(const Tensor &x) {
  return pointwise<math::SqrtOp>(x.dtype, x);
}

Tensor NodeBuilder::maximum(const Tensor &lhs, const Tensor &rhs) {
  if (isFloat(lhs.dtype))
    return pointwise<arith::MaximumFOp>(lhs.dtype, lhs, rhs);
  if (isUnsigned(lhs.dtype) || lhs.dtype == DType::Bool)
    return pointwise<arith::MaxUIOp>(lhs.dtype, lhs, rhs);
  return pointwise<arith::MaxSIOp>(lhs.dtype, lhs, rhs);
}

Tensor NodeBuilder::minimum(const Tensor &lhs, const Tensor &rhs) {
  if (isFloat(lhs.dtype))
    return pointwise<arith::MinimumFOp>(lhs.dtype, lhs, rhs);
  if (isUnsigned(lhs.dtype) || lhs.dtype == DType::Bool)
    return pointwise<arith::MinUIOp>(lhs.dtype, lhs, rhs);
  return pointwise<arith::MinSIOp>(lhs.dtype, lhs, rhs);
}

Tensor NodeBuilder::select(const Tensor &condition, const Tensor &yes,
                           const Tensor &no) {
  return pointwise<arith::SelectOp>(yes.dtype, condition, yes, no);
}

static arith::CmpIPredicate toUnsigned(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::ult;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::ule;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::ugt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::uge;
  default:
    return predicate;
  }
}

Tensor NodeBuilder::compare(arith::CmpIPredicate signedPredicate,
                            arith::CmpFPredicate predicate, const Tensor &lhs,
                            const Tensor &rhs) {
  Value result;
  if (isFloat(lhs.dtype))
    result = create<arith::CmpFOp>(predicate, lhs.value, rhs.value);
  else
    result =
        create<arith::CmpIOp>(isUnsigned(lhs.dtype) || lhs.dtype == DType::Bool
                                  ? toUnsigned(signedPredicate)
                                  : signedPredicate,
                              lhs.value, rhs.value);
  return {result, DType::Bool, lhs.dims, {}};
}

Tensor NodeBuilder::cast(const Tensor &x, DType to, bool saturate,
                         amp::ScaleRounding rounding) {
  if (x.dtype == to)
    return x;
  amp::ByteFormat source = byteFormat(x.dtype), result = byteFormat(to);
  // Types that differ in signedness only are one type in the IR.
  if (source == amp::ByteFormat::Byte && result == amp::ByteFormat::Byte &&
      onnx_import::elementType(context(), to) == x.elementType()) {
    Tensor same = x;
    same.dtype = to;
    return same;
  }
  Value value = create<amp::CastOp>(
      type(to, x.dims), x.value, amp::CastOrigin::Source, isUnsigned(x.dtype),
      isUnsigned(to), saturate, source, result, rounding);
  return {value, to, x.dims, {}};
}

static TypedAttr numberAttr(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    // One rounding, from double.
    APFloat number(value);
    bool inexact;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &inexact);
    return FloatAttr::get(type, number);
  }
  // Saturates; narrower types take the low bits.
  APSInt number(64, /*isUnsigned=*/false);
  bool exact;
  (void)APFloat(value).convertToInteger(number, APFloat::rmTowardZero, &exact);
  return IntegerAttr::get(
      type, number.trunc(type.isIndex() ? 64 : type.getIntOrFloatBitWidth()));
}

Value NodeBuilder::scalarConstant(double value, DType dtype) {
  return scalars.value(
      Attribute(numberAttr(onnx_import::elementType(context(), dtype), value)));
}

Tensor NodeBuilder::splat(double value, DType dtype, const Dims &dims) {
  RankedTensorType result = type(dtype, dims);
  if (result.hasStaticShape()) {
    auto elements = DenseElementsAttr::get(
        result, Attribute(numberAttr(result.getElementType(), value)));
    return {create<arith::ConstantOp>(elements), dtype, dims, elements};
  }
  return {
      create<amp::SplatOp>(result, scalarConstant(value, dtype), dynamic(dims)),
      dtype,
      dims,
      {}};
}

Tensor NodeBuilder::constant(ArrayRef<int64_t> values, DType dtype,
                             ArrayRef<int64_t> shape) {
  Type element = onnx_import::elementType(context(), dtype);
  auto attributes =
      llvm::map_to_vector(values, [&](int64_t value) -> Attribute {
        if (isa<FloatType>(element))
          return numberAttr(element, static_cast<double>(value));
        return IntegerAttr::get(element, APInt(64, value).sextOrTrunc(
                                             element.getIntOrFloatBitWidth()));
      });
  return constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), attributes),
      dtype, "");
}

Tensor NodeBuilder::constant(ElementsAttr elements, DType dtype,
                             StringRef name) {
  Dims dims;
  for (int64_t size : elements.getShapedType().getShape())
    dims.push_back(scalars.index(size));
  return {importer.forms.materialize(elements, name, loc()), dtype, dims,
          elements};
}

Tensor NodeBuilder::scalarTensor(Scalar scalar, DType dtype) {
  NamedValue value;
  value.dtype = dtype;
  value.scalars.emplace(1, scalar);
  return importer.forms.tensor(value, loc());
}

} // namespace ampc::onnx_import
