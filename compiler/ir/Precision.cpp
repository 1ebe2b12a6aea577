//===- Precision.cpp - Defaults of PrecisionOpInterface -------------------===//

#include "compiler/ir/Amp.h"

using namespace mlir;
using namespace amp;

/// The element type an op computes on: that of its result, or where that is no
/// float (a comparison), of its operands.
static FloatType floatOf(Operation *op) {
  auto find = [](TypeRange types) -> FloatType {
    for (Type type : types)
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        return element;
    return nullptr;
  };
  FloatType result = find(op->getResultTypes());
  return result ? result : find(op->getOperandTypes());
}

Type amp::formatType(MLIRContext *context, Format format) {
  switch (format) {
  case Format::F64:
    return FloatType::getF64(context);
  case Format::F32:
    return FloatType::getF32(context);
  case Format::TF32:
    return nullptr;
  case Format::BF16:
    return FloatType::getBF16(context);
  case Format::F16:
    return FloatType::getF16(context);
  case Format::F8E4M3:
    return FloatType::getFloat8E4M3FN(context);
  case Format::F8E5M2:
    return FloatType::getFloat8E5M2(context);
  }
  llvm_unreachable("all formats are handled");
}

SmallVector<Format> amp::defaultLegalFormats(Operation *op) {
  ErrorClass errorClass = cast<PrecisionOpInterface>(op).getErrorClass();
  FloatType type = floatOf(op);
  if (errorClass == ErrorClass::Exact || errorClass == ErrorClass::Integer ||
      !type)
    return {};
  if (type.getWidth() > 32)
    return {Format::F64};
  return {Format::F32, Format::BF16, Format::F16};
}

ErrorClass amp::defaultErrorClass(Operation *) { return ErrorClass::Exact; }

double amp::defaultFlops(Operation *op, DimFn dimOf) {
  bool moves =
      cast<PrecisionOpInterface>(op).getErrorClass() == ErrorClass::Exact;
  return moves ? 0 : elementCount(op->getResult(0), dimOf);
}

double amp::elementCount(Value tensor, DimFn dimOf) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return 1;
  double count = 1;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t size = dimOf(tensor, i);
    if (size < 0)
      return -1;
    count *= double(size);
  }
  return count;
}

double amp::defaultBytes(Operation *op, DimFn dimOf) {
  double bytes = 0;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || bytes < 0)
      return;
    Type element = type.getElementType();
    double width =
        element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
    double count = elementCount(value, dimOf);
    bytes = count < 0 ? -1 : bytes + count * width;
  };
  for (Value operand : op->getOperands())
    add(operand);
  for (Value result : op->getResults())
    add(result);
  return bytes;
}
