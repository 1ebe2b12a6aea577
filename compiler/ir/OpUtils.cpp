//===- OpUtils.cpp - What the definitions of amp's ops share --------------===//

#include "compiler/ir/OpUtils.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace amp;

LogicalResult amp::verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError("has axis ")
         << axis << ", which is outside of [0, " << rank << ")";
}

static std::string sizeText(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::interleave(
      shape, [&](int64_t size) { text += sizeText(size); },
      [&] { text += ", "; });
  return text + "]";
}

LogicalResult amp::verifyShape(Operation *op, const Twine &what,
                               ArrayRef<int64_t> actual,
                               ArrayRef<int64_t> expected) {
  bool fits = actual.size() == expected.size();
  for (size_t i = 0; fits && i < actual.size(); ++i)
    fits = !differ(actual[i], expected[i]);
  if (fits)
    return success();
  return op->emitOpError("has ")
         << what << " of sizes " << shapeText(actual) << " where "
         << shapeText(expected) << " is needed";
}

bool amp::canMultiply(Type lhs, Type rhs) {
  auto widens = [](Type type) {
    return type.isF32() || type.isF16() || type.isBF16();
  };
  return lhs == rhs || (lhs.isInteger() && rhs.isInteger()) ||
         (widens(lhs) && widens(rhs));
}

LogicalResult amp::verifyDims(Operation *op, ValueRange dims,
                              RankedTensorType type) {
  if (int64_t(dims.size()) == type.getNumDynamicDims())
    return success();
  return op->emitOpError("has ")
         << dims.size() << " sizes for " << type.getNumDynamicDims()
         << " dynamic dimensions";
}

LogicalResult amp::verifySameElement(Operation *op, Value source,
                                     Value result) {
  if (typeOf(source).getElementType() == typeOf(result).getElementType())
    return success();
  return op->emitOpError("may not change the element type");
}

LogicalResult amp::verifySameRank(Operation *op, Value source, Value result) {
  if (typeOf(source).getRank() != typeOf(result).getRank())
    return op->emitOpError("has an operand of rank ")
           << typeOf(source).getRank() << " and a result of rank "
           << typeOf(result).getRank();
  return verifySameElement(op, source, result);
}

LogicalResult amp::verifyMixed(Operation *op, StringRef what,
                               ArrayRef<int64_t> fixed, size_t dynamic,
                               int64_t rank) {
  if (int64_t(fixed.size()) != rank)
    return op->emitOpError("has ")
           << fixed.size() << " " << what << " for " << rank << " dimensions";
  size_t marked = llvm::count_if(fixed, ShapedType::isDynamic);
  if (marked != dynamic)
    return op->emitOpError("marks ") << marked << " dynamic " << what
                                     << " but has " << dynamic << " operands";
  return success();
}

int64_t amp::windowedSize(int64_t in, int64_t kernel, int64_t stride,
                          int64_t dilation, int64_t padLow, int64_t padHigh,
                          bool ceil) {
  if (ShapedType::isDynamic(in))
    return in;
  int64_t span = in + padLow + padHigh - dilation * (kernel - 1) - 1;
  int64_t windows = 1 + (ceil ? llvm::divideCeilSigned(span, stride)
                              : llvm::divideFloorSigned(span, stride));
  if (ceil && (windows - 1) * stride >= in + padLow)
    --windows;
  return std::max<int64_t>(windows, 0);
}

SmallVector<Format> amp::contractionFormats(Type type) {
  if (!isa<FloatType>(type))
    return {};
  if (type.isF64())
    return {Format::F64};
  return {Format::F32, Format::TF32,   Format::BF16,
          Format::F16, Format::F8E4M3, Format::F8E5M2};
}
