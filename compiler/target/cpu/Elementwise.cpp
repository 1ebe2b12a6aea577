//===- Elementwise.cpp - arith and math ops on single elements ------------===//

#include "compiler/target/cpu/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace ampc::cpu {

bool isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value widenFloat(OpBuilder &b, Location loc, Value value) {
  if (!isNarrowFloat(value.getType()))
    return value;
  return b.create<arith::ExtFOp>(
      loc, withElement(value.getType(), b.getF32Type()), value);
}

Value narrowFloat(OpBuilder &b, Location loc, Value value, Type element) {
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  auto to = dyn_cast<FloatType>(element);
  if (!from || !to || to.getWidth() >= from.getWidth())
    return value;
  return b.create<arith::TruncFOp>(loc, withElement(value.getType(), element),
                                   value);
}

Value emitElementwise(OpBuilder &b, Location loc, Operation *op,
                      ValueRange operands, Type result) {
  bool narrow = llvm::any_of(operands.getTypes(), isNarrowFloat);
  // Conversions name both types themselves; a choice does no arithmetic.
  if (!narrow || isa<CastOpInterface, arith::SelectOp>(op))
    return clone(b, op, result, operands)->getResult(0);
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(widenFloat(b, loc, operand));
  Type element = getElementTypeOrSelf(result);
  Type type =
      isNarrowFloat(element) ? withElement(result, b.getF32Type()) : result;
  return narrowFloat(b, loc, clone(b, op, type, wide)->getResult(0), element);
}

} // namespace ampc::cpu
