//===- Elementwise.cpp - arith and math ops on single elements ------------===//

#include "compiler/target/cpu/Elementwise.h"

#include "compiler/ir/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace ampc::cpu {

static bool isNarrow(Type type) { return amp::computeType(type) != type; }

Value emitElementwise(OpBuilder &b, Location loc, Operation *op,
                      ValueRange operands, Type result) {
  Type element = getElementTypeOrSelf(result);
  // Between floats there is one way to round.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return amp::convertFloat(b, loc, operands[0], element);
  bool narrow = llvm::any_of(operands.getTypes(), isNarrow) || isNarrow(result);
  // A choice does no arithmetic.
  if (!narrow || isa<arith::SelectOp, arith::BitcastOp>(op))
    return clone(b, op, result, operands)->getResult(0);
  SmallVector<Value> wide;
  for (Value operand : operands) {
    Type from = getElementTypeOrSelf(operand.getType());
    wide.push_back(isNarrow(from) ? amp::convertFloat(b, loc, operand,
                                                      amp::computeType(from))
                                  : operand);
  }
  Value value = clone(b, op, amp::computeType(result), wide)->getResult(0);
  return isNarrow(element) ? amp::convertFloat(b, loc, value, element) : value;
}

} // namespace ampc::cpu
