//===- IndexArithmetic.h - Index values of emitted elements -----*- C++ -*-===//
//
// Private to compiler/ir.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_INDEXARITHMETIC_H
#define AMPC_IR_INDEXARITHMETIC_H

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace amp {

/// Arithmetic on `index` values, where constants fold. Values may be negative.
/// Constants belong at the right: there they fold.
struct IndexArithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Value = mlir::Value;

  Value constant(int64_t value) {
    return b.create<mlir::arith::ConstantIndexOp>(loc, value);
  }
  Value get(mlir::OpFoldResult size) {
    return mlir::getValueOrCreateConstantIndexOp(b, loc, size);
  }
  template <typename Op> Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, constant(y)) : x; }
  Value sub(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value min(Value x, Value y) { return make<mlir::arith::MinSIOp>(x, y); }
  Value max(Value x, Value y) { return make<mlir::arith::MaxSIOp>(x, y); }
  /// Toward zero, and the remainder that goes with it.
  Value div(Value x, int64_t y) {
    return y == 1 ? x : make<mlir::arith::DivSIOp>(x, constant(y));
  }
  Value rem(Value x, Value y) { return make<mlir::arith::RemSIOp>(x, y); }
  /// `x mod y` in [0, y), y > 0.
  Value mod(Value x, Value y) {
    Value rest = rem(x, y);
    return select(isLess(rest, constant(0)), add(rest, y), rest);
  }
  Value select(Value c, Value x, Value y) {
    return b.createOrFold<mlir::arith::SelectOp>(loc, c, x, y);
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
  Value isLess(Value x, Value y) {
    return compare(mlir::arith::CmpIPredicate::slt, x, y);
  }
  /// Whether 0 <= x < size. Unsigned: what is below zero is above every size.
  Value isInside(Value x, Value size) {
    return compare(mlir::arith::CmpIPredicate::ult, x, size);
  }
  /// The nearest of [0, size); 0 if that is empty.
  Value clamp(Value x, Value size) {
    return max(min(x, add(size, -1)), constant(0));
  }
  /// An index as ONNX means it: from the end if negative; what is still out of
  /// bounds is clamped, since kernels cannot fail.
  Value wrap(Value index, Value size) {
    if (!index.getType().isIndex())
      index = b.create<mlir::arith::IndexCastOp>(loc, b.getIndexType(), index);
    Value negative = isLess(index, constant(0));
    return clamp(select(negative, add(index, size), index), size);
  }
  /// A scalar operand as one value, however many lanes are asked for.
  Value scalar(ElementAccess &access, Value operand) {
    Value value = access.readScalar(operand);
    if (mlir::isa<mlir::VectorType>(value.getType()))
      value = b.createOrFold<mlir::vector::ExtractOp>(loc, value, 0);
    return value;
  }
  Value scalar(ElementAccess &access, mlir::OpFoldResult size) {
    auto operand = llvm::dyn_cast<mlir::Value>(size);
    return operand ? scalar(access, operand) : get(size);
  }
};

} // namespace amp

#endif // AMPC_IR_INDEXARITHMETIC_H
