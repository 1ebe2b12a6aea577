//===- PointBuilder.cpp - One formula for tensors and scalars -------------===//

#include "compiler/import/onnx/PointBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

Value PointBuilder::constant(double value, DType dtype) {
  if (dims)
    return b.splat(value, dtype, *dims).value;
  if (isIndex(dtype))
    return b.scalars.value(b.scalars.index(static_cast<int64_t>(value)));
  return b.scalarConstant(value, dtype);
}

Value PointBuilder::compare(CmpIPredicate predicate, DType dtype, Value lhs,
                            Value rhs) {
  static constexpr std::pair<CmpFPredicate, CmpIPredicate> byPredicate[] = {
      {CmpFPredicate::OEQ, CmpIPredicate::eq},
      {CmpFPredicate::UNE, CmpIPredicate::ne},
      {CmpFPredicate::OLT, CmpIPredicate::ult},
      {CmpFPredicate::OLE, CmpIPredicate::ule},
      {CmpFPredicate::OGT, CmpIPredicate::ugt},
      {CmpFPredicate::OGE, CmpIPredicate::uge}};
  auto [ofFloat, ofUnsigned] = byPredicate[static_cast<int>(predicate)];
  if (isFloat(dtype))
    return emit<arith::CmpFOp>(ofFloat, lhs, rhs);
  return emit<arith::CmpIOp>(
      isUnsigned(dtype) || dtype == DType::Bool ? ofUnsigned : predicate, lhs,
      rhs);
}

Value PointBuilder::safeDivisor(DType dtype, Value rhs, Value &isMinusOne) {
  Value one = constant(1, dtype);
  Value unsafe = compare(CmpIPredicate::eq, dtype, rhs, constant(0, dtype));
  if (!isUnsigned(dtype)) {
    isMinusOne = compare(CmpIPredicate::eq, dtype, rhs, constant(-1, dtype));
    unsafe = emit<arith::OrIOp>(unsafe, isMinusOne);
  }
  return select(unsafe, one, rhs);
}

Value PointBuilder::divideInts(DType dtype, Value lhs, Value rhs) {
  Value isMinusOne;
  Value divisor = safeDivisor(dtype, rhs, isMinusOne);
  if (isUnsigned(dtype))
    return emit<arith::DivUIOp>(lhs, divisor);
  Value quotient = emit<arith::DivSIOp>(lhs, divisor);
  return select(isMinusOne, emit<arith::SubIOp>(constant(0, dtype), lhs),
                quotient);
}

Value PointBuilder::remainderInts(DType dtype, Value lhs, Value rhs) {
  Value isMinusOne;
  Value divisor = safeDivisor(dtype, rhs, isMinusOne);
  // Modulo minus one is zero, as is modulo one.
  if (isUnsigned(dtype))
    return emit<arith::RemUIOp>(lhs, divisor);
  return emit<arith::RemSIOp>(lhs, divisor);
}

Value PointBuilder::cast(Value x, DType from, DType to) {
  if (from == to)
    return x;
  if (dims)
    return b.cast(Tensor{x, from, *dims, {}}, to).value;
  return castScalar(x, from, to);
}

Value PointBuilder::castScalar(Value x, DType from, DType to) {
  MLIRContext *context = b.context();
  Type type = scalarType(context, to), i64 = IntegerType::get(context, 64);
  if (to == DType::Bool)
    return compare(CmpIPredicate::ne, from, x, constant(0, from));
  if (isFloat(from) && isFloat(to)) {
    unsigned width = x.getType().getIntOrFloatBitWidth();
    if (width == type.getIntOrFloatBitWidth())
      return emit<arith::ExtFOp>(type, x);
    return width < type.getIntOrFloatBitWidth()
               ? emit<arith::ExtFOp>(type, x)
               : emit<arith::TruncFOp>(type, x);
  }
  if (isFloat(from)) {
    // Saturates, and NaN is zero, as amp.cast says.
    bool wide = to == DType::Int64;
    double bound = wide ? 9223371487098961920.0 : 2147483520.0;
    Value isNumber = emit<arith::CmpFOp>(CmpFPredicate::ORD, x, x);
    Value number = select(isNumber, x, constant(0, from));
    number = emit<arith::MinNumFOp>(number, constant(bound, from));
    number = emit<arith::MaxNumFOp>(number, constant(-bound, from));
    return emit<arith::IndexCastOp>(type, emit<arith::FPToSIOp>(i64, number));
  }
  if (from == DType::Bool)
    return isFloat(to) ? emit<arith::UIToFPOp>(type, x)
                       : emit<arith::IndexCastUIOp>(type, x);
  if (isFloat(to))
    return emit<arith::SIToFPOp>(type, emit<arith::IndexCastOp>(i64, x));
  // int64 to int32: sizes fit; constants wrap.
  if (auto known = constantInt(Scalar(x)); known && to == DType::Int32)
    return b.scalars.value(b.scalars.index(static_cast<int32_t>(*known)));
  return x;
}

/// The lists of all inputs, each broadcast to a common length.
static LogicalResult onLists(NodeBuilder &b, DType result, PointFn formula) {
  SmallVector<SmallVector<Scalar>> lists;
  size_t length = 1;
  int64_t rank = 0;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    auto list = b.list(i);
    if (failed(list))
      return failure();
    rank = std::max(rank, b.rank(i));
    if (list->size() != 1) {
      if (length != 1 && length != list->size())
        return b.fail("lists of " + Twine(length) + " and " +
                      Twine(list->size()) + " numbers do not broadcast");
      length = list->size();
    }
    lists.push_back(std::move(*list));
  }
  PointBuilder point(b);
  SmallVector<Scalar> results;
  for (size_t i = 0; i < length; ++i) {
    auto operands = llvm::map_to_vector(lists, [&](const auto &list) {
      return b.scalars.value(list[list.size() == 1 ? 0 : i]);
    });
    Value value = formula(point, operands);
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      results.push_back(constant);
    else
      results.push_back(value);
  }
  return b.outputList(0, result, rank, std::move(results));
}

LogicalResult buildPointwise(NodeBuilder &b, DType result, bool exact,
                             PointFn formula) {
  if (exact && b.onScalars())
    return onLists(b, result, formula);
  SmallVector<Tensor> inputs = b.tensors();
  if (failed(b.broadcastAll(inputs)))
    return failure();
  auto operands = llvm::map_to_vector(
      inputs, [](const Tensor &tensor) { return tensor.value; });
  PointBuilder point(b, inputs.front().dims);
  return b.output(
      0, Tensor{formula(point, operands), result, inputs.front().dims, {}});
}

} // namespace ampc::onnx_import
