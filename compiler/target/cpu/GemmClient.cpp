//===- GemmClient.cpp - What contraction emitters share -------------------===//

#include "compiler/target/cpu/GemmClient.h"

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/ElementEvaluator.h"
#include "compiler/target/cpu/GemmTile.h"

using namespace mlir;

namespace ampc::cpu {

Value contractionBuffer(KernelValues &values, Operation *op, Value operand) {
  if (auto argument = dyn_cast<BlockArgument>(operand))
    return values.in(argument);
  op->emitOpError("reads an operand that its kernel computes; it has to be a "
                  "buffer");
  return nullptr;
}

static bool isFormat(Type type, amp::Format format) {
  switch (format) {
  case amp::Format::F64:
    return type.isF64();
  case amp::Format::F32:
    return type.isF32();
  case amp::Format::BF16:
    return type.isBF16();
  case amp::Format::F16:
    return type.isF16();
  default:
    return false;
  }
}

static LogicalResult verifyAlgorithm(Operation *op,
                                     amp::AlgorithmAttr algorithm, Value lhs,
                                     Value rhs, Type accumulator) {
  if (!algorithm)
    return success();
  // Products of 16-bit numbers are exact in f32, so f32 serves for them too,
  // and whether they are kept in f32 makes no difference.
  const amp::Format multiply = algorithm.getMultiply();
  auto multiplies = [&](Value operand) {
    Type type = getElementTypeOrSelf(operand.getType());
    return isFormat(type, multiply) ||
           (multiply == amp::Format::F32 && amp::computeType(type).isF32()) ||
           ((multiply == amp::Format::BF16 || multiply == amp::Format::F16) &&
            type.isF32());
  };
  if (algorithm.getPasses() == 1 && multiplies(lhs) && multiplies(rhs) &&
      isFormat(accumulator, algorithm.getAccumulate()))
    return success();
  return op->emitOpError("asks for ")
         << algorithm << ", which CPU targets do not have for operands of "
         << getElementTypeOrSelf(lhs.getType()) << " and "
         << getElementTypeOrSelf(rhs.getType());
}

FailureOr<ContractionOperands> contractionOperands(KernelValues &values,
                                                   Operation *op,
                                                   amp::AlgorithmAttr algorithm,
                                                   Value lhs, Value rhs) {
  ContractionOperands operands{
      contractionBuffer(values, op, lhs), contractionBuffer(values, op, rhs),
      amp::computeType(getElementTypeOrSelf(op->getResult(0).getType()))};
  if (!operands.lhs || !operands.rhs ||
      failed(verifyAlgorithm(op, algorithm, lhs, rhs, operands.accumulator)))
    return failure();
  return operands;
}

Value initialSum(KernelEmission &emission, Value bias, ValueRange indices,
                 Type accumulator, int64_t lanes, Value mask) {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  if (!bias) {
    Type type = accumulator;
    if (lanes > 1)
      type = VectorType::get({lanes}, type);
    return b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  }
  ElementEvaluator evaluator(emission.values, b, lanes, mask);
  SmallVector<Value> at(indices);
  Value element = evaluator.read(bias, at);
  return element ? widenOperand(b, loc, element, accumulator, false) : element;
}

LogicalResult storeSum(KernelEmission &emission, Value result,
                       ValueRange indices, Value sum, int64_t lanes,
                       Value mask) {
  Type type = getElementTypeOrSelf(result.getType());
  Value element =
      isa<FloatType>(type)
          ? amp::convertFloat(emission.builder, emission.loc(), sum, type)
          : sum;
  SmallVector<Value> at(indices);
  return storeOutputs(emission, result, at, element, lanes, mask);
}

} // namespace ampc::cpu
