//===- Precision.cpp - Defaults of PrecisionOpInterface -------------------===//

#include "compiler/ir/Amp.h"

using namespace mlir;
using namespace amp;

static bool computesOnFloats(Operation *op) {
  auto narrow = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isa<FloatType>(element) && !element.isF64();
  };
  return llvm::any_of(op->getResultTypes(), narrow) ||
         llvm::any_of(op->getOperandTypes(), narrow);
}

SmallVector<Format> amp::defaultLegalFormats(Operation *op) {
  if (defaultErrorClass(op) == ErrorClass::Exact || !computesOnFloats(op))
    return {};
  return {Format::F32, Format::BF16, Format::F16};
}

ErrorClass amp::defaultErrorClass(Operation *) { return ErrorClass::Exact; }

double amp::elementCount(Value tensor, DimFn dimOf) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return 1;
  double count = 1;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t size = dimOf(tensor, i);
    if (size < 0)
      return -1;
    count *= size;
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
