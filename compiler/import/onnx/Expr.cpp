//===- Expr.cpp - Formulas on tensors as C++ expressions ------------------===//

#include "compiler/import/onnx/Expr.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

Expr Expr::ofScalar(NodeBuilder &b, Scalar scalar, DType dtype,
                    const Dims &dims) {
  if (auto known = constantInt(scalar))
    return {b, b.splat(static_cast<double>(*known), dtype, dims)};
  Tensor number = b.cast(b.scalarTensor(scalar, DType::Int64), dtype);
  return {b, b.broadcast(number, dims)};
}

static CmpFPredicate ofFloats(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return CmpFPredicate::OEQ;
  case CmpIPredicate::slt:
    return CmpFPredicate::OLT;
  case CmpIPredicate::sle:
    return CmpFPredicate::OLE;
  case CmpIPredicate::sgt:
    return CmpFPredicate::OGT;
  case CmpIPredicate::sge:
    return CmpFPredicate::OGE;
  default:
    return CmpFPredicate::UNE;
  }
}

Expr Expr::compare(CmpIPredicate predicate, const Expr &rhs) const {
  return {*b, b->compare(predicate, ofFloats(predicate), tensor, rhs.tensor)};
}

Expr operator+(const Expr &x, const Expr &y) { return {*x.b, x.b->add(x, y)}; }
Expr operator-(const Expr &x, const Expr &y) { return {*x.b, x.b->sub(x, y)}; }
Expr operator*(const Expr &x, const Expr &y) { return {*x.b, x.b->mul(x, y)}; }
Expr operator/(const Expr &x, const Expr &y) {
  return isFloat(x.dtype()) ? x.binary<arith::DivFOp>(y)
                            : x.binary<arith::DivSIOp>(y);
}
Expr operator%(const Expr &x, const Expr &y) {
  return x.binary<arith::RemSIOp>(y);
}
Expr operator&(const Expr &x, const Expr &y) {
  return x.binary<arith::AndIOp>(y);
}
Expr operator|(const Expr &x, const Expr &y) {
  return x.binary<arith::OrIOp>(y);
}
Expr operator^(const Expr &x, const Expr &y) {
  return x.binary<arith::XOrIOp>(y);
}
Expr operator>>(const Expr &x, int bits) {
  return x.binary<arith::ShRUIOp>(x.number(bits));
}
Expr operator-(const Expr &x) {
  return isFloat(x.dtype()) ? x.unary<arith::NegFOp>() : 0 - x;
}
Expr operator!(const Expr &x) { return x ^ x.number(-1); }

Expr operator<(const Expr &x, const Expr &y) {
  return x.compare(CmpIPredicate::slt, y);
}
Expr operator<=(const Expr &x, const Expr &y) {
  return x.compare(CmpIPredicate::sle, y);
}
Expr operator>(const Expr &x, const Expr &y) {
  return x.compare(CmpIPredicate::sgt, y);
}
Expr operator>=(const Expr &x, const Expr &y) {
  return x.compare(CmpIPredicate::sge, y);
}
Expr operator==(const Expr &x, const Expr &y) {
  return x.compare(CmpIPredicate::eq, y);
}
Expr operator!=(const Expr &x, const Expr &y) {
  return x.compare(CmpIPredicate::ne, y);
}

Expr select(const Expr &condition, const Expr &yes, const Expr &no) {
  return {*yes.b, yes.b->select(condition, yes, no)};
}
Expr min(const Expr &x, const Expr &y) { return {*x.b, x.b->minimum(x, y)}; }
Expr max(const Expr &x, const Expr &y) { return {*x.b, x.b->maximum(x, y)}; }

Expr abs(const Expr &x) { return x.unary<math::AbsFOp>(); }
Expr ceil(const Expr &x) { return x.unary<math::CeilOp>(); }
Expr cos(const Expr &x) { return x.unary<math::CosOp>(); }
Expr exp(const Expr &x) { return x.unary<math::ExpOp>(); }
Expr floor(const Expr &x) { return x.unary<math::FloorOp>(); }
Expr log(const Expr &x) { return x.unary<math::LogOp>(); }
Expr rint(const Expr &x) { return x.unary<math::RoundEvenOp>(); }
Expr sigmoid(const Expr &x) { return x.unary<amp::SigmoidOp>(); }
Expr sin(const Expr &x) { return x.unary<math::SinOp>(); }
Expr sqrt(const Expr &x) { return x.unary<math::SqrtOp>(); }
Expr tanh(const Expr &x) { return x.unary<math::TanhOp>(); }

} // namespace ampc::onnx_import
