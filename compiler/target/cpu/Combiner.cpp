//===- Combiner.cpp - What reductions combine with ------------------------===//

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/RowLoops.h"

using namespace mlir;

namespace ampc::cpu {

bool Combiner::isOrdered() const {
  // Maxima and minima are the same in every order, NaN included.
  return isa<FloatType>(type) &&
         (kind == amp::ReduceKind::Sum || kind == amp::ReduceKind::Prod);
}

Value Combiner::combine(OpBuilder &b, Location loc, Value x, Value y) const {
  if (isa<FloatType>(type)) {
    switch (kind) {
    case amp::ReduceKind::Sum:
      return b.create<arith::AddFOp>(loc, x, y);
    case amp::ReduceKind::Prod:
      return b.create<arith::MulFOp>(loc, x, y);
    case amp::ReduceKind::Max:
      return b.create<arith::MaximumFOp>(loc, x, y);
    case amp::ReduceKind::Min:
      return b.create<arith::MinimumFOp>(loc, x, y);
    }
  }
  switch (kind) {
  case amp::ReduceKind::Sum:
    return b.create<arith::AddIOp>(loc, x, y);
  case amp::ReduceKind::Prod:
    return b.create<arith::MulIOp>(loc, x, y);
  case amp::ReduceKind::Max:
    return isUnsigned ? Value(b.create<arith::MaxUIOp>(loc, x, y))
                      : Value(b.create<arith::MaxSIOp>(loc, x, y));
  case amp::ReduceKind::Min:
    return isUnsigned ? Value(b.create<arith::MinUIOp>(loc, x, y))
                      : Value(b.create<arith::MinSIOp>(loc, x, y));
  }
  llvm_unreachable("all kinds are handled");
}

static TypedAttr neutralElement(Builder &b, const Combiner &c) {
  if (auto type = dyn_cast<FloatType>(c.type)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    switch (c.kind) {
    case amp::ReduceKind::Sum:
      return b.getFloatAttr(type, 0);
    case amp::ReduceKind::Prod:
      return b.getFloatAttr(type, 1);
    case amp::ReduceKind::Max:
      return b.getFloatAttr(type,
                            APFloat::getInf(semantics, /*Negative=*/true));
    case amp::ReduceKind::Min:
      return b.getFloatAttr(type, APFloat::getInf(semantics));
    }
  }
  unsigned bits = c.type.getIntOrFloatBitWidth();
  switch (c.kind) {
  case amp::ReduceKind::Sum:
    return b.getIntegerAttr(c.type, 0);
  case amp::ReduceKind::Prod:
    return b.getIntegerAttr(c.type, 1);
  case amp::ReduceKind::Max:
    return b.getIntegerAttr(c.type, c.isUnsigned
                                        ? APInt::getMinValue(bits)
                                        : APInt::getSignedMinValue(bits));
  case amp::ReduceKind::Min:
    return b.getIntegerAttr(c.type, c.isUnsigned
                                        ? APInt::getMaxValue(bits)
                                        : APInt::getSignedMaxValue(bits));
  }
  llvm_unreachable("all kinds are handled");
}

Value Combiner::neutral(OpBuilder &b, Location loc, int64_t lanes) const {
  TypedAttr value = neutralElement(b, *this);
  if (lanes > 1)
    value = DenseElementsAttr::get(VectorType::get({lanes}, type),
                                   Attribute(value));
  return b.create<arith::ConstantOp>(loc, value);
}

Type rowType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return amp::computeType(element);
}

Value toRowType(OpBuilder &b, Location loc, Value value) {
  Type from = getElementTypeOrSelf(value.getType()), to = rowType(from);
  if (from.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, amp::shapedLike(to, value.getType()),
                                    value);
  return isa<FloatType>(from) ? amp::convertFloat(b, loc, value, to) : value;
}

Value fromRowType(OpBuilder &b, Location loc, Value value, Type element) {
  if (element.isInteger(1))
    return b.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ne, value,
        amp::splatInteger(b, loc, value.getType(), 0));
  return isa<FloatType>(element) ? amp::convertFloat(b, loc, value, element)
                                 : value;
}

} // namespace ampc::cpu
