//===- ElementBuilder.h - Arithmetic on elements or vectors -----*- C++ -*-===//
//
// Private to compiler/ir.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_ELEMENTBUILDER_H
#define AMPC_IR_ELEMENTBUILDER_H

#include "compiler/ir/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace amp {

/// Emits arithmetic on scalars, or on vectors of the shape of `like`: written
/// once, it serves both.
struct ElementBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type like;

  using Value = mlir::Value;
  using Type = mlir::Type;

  Type type(Type element) { return shapedLike(element, like); }
  Type integer(unsigned bits) { return type(b.getIntegerType(bits)); }
  Type f32() { return type(b.getF32Type()); }

  /// Constants in every lane: of an integer of `width` bits, and of the type of
  /// `of`, a float.
  Value bits(uint64_t value, unsigned width) {
    return splatInteger(b, loc, integer(width), int64_t(value));
  }
  Value constant(double value, Value of) {
    return splatConstant(b, loc, of.getType(), value);
  }

  template <typename Op> Value make(Value x, Value y) {
    return b.create<Op>(loc, x, y);
  }
  template <typename Op> Value make(Value x) { return b.create<Op>(loc, x); }
  template <typename Op> Value convert(Type element, Value x) {
    return b.create<Op>(loc, type(element), x);
  }
  Value bitcast(Type element, Value x) {
    return convert<mlir::arith::BitcastOp>(element, x);
  }

  Value add(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value addBits(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value subBits(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value andBits(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value orBits(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value shiftRight(Value x, Value y) {
    return make<mlir::arith::ShRUIOp>(x, y);
  }
  Value shiftLeft(Value x, Value y) { return make<mlir::arith::ShLIOp>(x, y); }

  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return b.create<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return b.create<mlir::arith::CmpFOp>(loc, predicate, x, y);
  }
  Value isNaN(Value x) {
    return compare(mlir::arith::CmpFPredicate::UNO, x, x);
  }
  Value select(Value condition, Value x, Value y) {
    return b.create<mlir::arith::SelectOp>(loc, condition, x, y);
  }
};

} // namespace amp

#endif // AMPC_IR_ELEMENTBUILDER_H
