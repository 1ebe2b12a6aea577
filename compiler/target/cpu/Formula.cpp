//===- Formula.cpp - Arithmetic written as formulas -----------------------===//

#include "compiler/target/cpu/Formula.h"

#include "compiler/ir/Conversions.h"

using namespace mlir;

namespace ampc::cpu {

Expr Expr::number(double x) const {
  return with(amp::splatConstant(*b, loc, type(), x));
}

Expr Expr::integer(int64_t x) const {
  return with(amp::splatInteger(*b, loc, type(), x));
}

Type Expr::typeWith(Type element) const {
  if (auto vector = dyn_cast<VectorType>(type()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

template <typename Op, typename... Args>
static Expr make(Expr x, Args... args) {
  return x.with(x.builder().create<Op>(x.location(), args...));
}

template <typename Op> static Expr binary(Expr x, Expr y) {
  return make<Op>(x, x.value(), y.value());
}

template <typename Op> static Expr convert(Expr x, Type element) {
  return make<Op>(x, x.typeWith(element), x.value());
}

Expr operator+(Expr x, Expr y) { return binary<arith::AddFOp>(x, y); }
Expr operator-(Expr x, Expr y) { return binary<arith::SubFOp>(x, y); }
Expr operator*(Expr x, Expr y) { return binary<arith::MulFOp>(x, y); }
Expr operator/(Expr x, Expr y) { return binary<arith::DivFOp>(x, y); }
Expr operator-(Expr x) { return make<arith::NegFOp>(x, x.value()); }

Expr fma(Expr x, Expr y, Expr z) {
  return make<math::FmaOp>(x, x.value(), y.value(), z.value());
}
Expr abs(Expr x) { return make<math::AbsFOp>(x, x.value()); }
Expr sqrt(Expr x) { return make<math::SqrtOp>(x, x.value()); }
Expr roundeven(Expr x) { return make<math::RoundEvenOp>(x, x.value()); }
Expr trunc(Expr x) { return make<math::TruncOp>(x, x.value()); }
Expr copysign(Expr magnitude, Expr sign) {
  return binary<math::CopySignOp>(magnitude, sign);
}

Expr polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.number(coefficients.front());
  for (double c : coefficients.drop_front())
    sum = fma(sum, x, x.number(c));
  return sum;
}

static Expr compare(arith::CmpFPredicate predicate, Expr x, Expr y) {
  return make<arith::CmpFOp>(x, predicate, x.value(), y.value());
}
Expr operator<(Expr x, Expr y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Expr operator>(Expr x, Expr y) {
  return compare(arith::CmpFPredicate::OGT, x, y);
}
Expr operator>=(Expr x, Expr y) {
  return compare(arith::CmpFPredicate::OGE, x, y);
}
Expr operator==(Expr x, Expr y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Expr isNaN(Expr x) { return compare(arith::CmpFPredicate::UNO, x, x); }

Expr select(Expr condition, Expr x, Expr y) {
  return make<arith::SelectOp>(x, condition.value(), x.value(), y.value());
}
Expr clamp(Expr x, double low, double high) {
  x = select(x > high, high, x);
  return select(x < low, low, x);
}
Expr operator&&(Expr x, Expr y) { return binary<arith::AndIOp>(x, y); }
Expr operator||(Expr x, Expr y) { return binary<arith::OrIOp>(x, y); }
Expr operator!(Expr x) { return binary<arith::XOrIOp>(x, x.integer(1)); }

Expr bits(Expr x) {
  unsigned width = getElementTypeOrSelf(x.type()).getIntOrFloatBitWidth();
  return convert<arith::BitcastOp>(x, x.builder().getIntegerType(width));
}
Expr fromBits(Expr x) {
  bool wide = getElementTypeOrSelf(x.type()).isInteger(64);
  Builder &b = x.builder();
  return convert<arith::BitcastOp>(x, wide ? Type(b.getF64Type())
                                           : Type(b.getF32Type()));
}
Expr add(Expr x, Expr y) { return binary<arith::AddIOp>(x, y); }
Expr add(Expr x, int64_t y) { return add(x, x.integer(y)); }
Expr sub(Expr x, Expr y) { return binary<arith::SubIOp>(x, y); }
Expr mul(Expr x, Expr y) { return binary<arith::MulIOp>(x, y); }
Expr bitAnd(Expr x, int64_t y) {
  return binary<arith::AndIOp>(x, x.integer(y));
}
Expr bitOr(Expr x, Expr y) { return binary<arith::OrIOp>(x, y); }
Expr bitOr(Expr x, int64_t y) { return bitOr(x, x.integer(y)); }
Expr shiftLeft(Expr x, Expr y) { return binary<arith::ShLIOp>(x, y); }
Expr shiftLeft(Expr x, int64_t y) { return shiftLeft(x, x.integer(y)); }
Expr shiftRight(Expr x, Expr y) { return binary<arith::ShRUIOp>(x, y); }
Expr shiftRight(Expr x, int64_t y) { return shiftRight(x, x.integer(y)); }
Expr shiftRightSigned(Expr x, int64_t y) {
  return binary<arith::ShRSIOp>(x, x.integer(y));
}
Expr equal(Expr x, int64_t y) {
  return make<arith::CmpIOp>(x, arith::CmpIPredicate::eq, x.value(),
                             x.integer(y).value());
}

Expr toF64(Expr x) {
  Type f64 = x.builder().getF64Type();
  if (isa<FloatType>(getElementTypeOrSelf(x.type())))
    return convert<arith::ExtFOp>(x, f64);
  return convert<arith::SIToFPOp>(x, f64);
}
Expr toF32(Expr x) {
  return convert<arith::TruncFOp>(x, x.builder().getF32Type());
}
Expr toInt(Expr x, unsigned width) {
  return convert<arith::FPToSIOp>(x, x.builder().getIntegerType(width));
}
Expr toFloat(Expr x) {
  return convert<arith::SIToFPOp>(x, x.builder().getF32Type());
}
Expr extend(Expr x, unsigned width) {
  return convert<arith::ExtUIOp>(x, x.builder().getIntegerType(width));
}
Expr truncate(Expr x, unsigned width) {
  return convert<arith::TruncIOp>(x, x.builder().getIntegerType(width));
}

} // namespace ampc::cpu
