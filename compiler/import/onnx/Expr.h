//===- Expr.h - Formulas on tensors as C++ expressions ----------*- C++ -*-===//
//
// For ops whose definition is a formula. Operands have one shape and one
// element type, numbers take those of the other side:
//
//   Expr x(b, b.tensor(0));
//   return b.output(0, select(x < 0, exp(x) - 1, x));
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_EXPR_H
#define AMPC_IMPORT_ONNX_EXPR_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

class Expr {
public:
  Expr(NodeBuilder &b, Tensor tensor) : b(&b), tensor(std::move(tensor)) {}

  /// A size or other integer scalar of a shape value, repeated.
  static Expr ofScalar(NodeBuilder &b, Scalar scalar, DType dtype,
                       const Dims &dims);
  /// The position along one dimension, as int64.
  static Expr position(NodeBuilder &b, int64_t dimension, const Dims &dims) {
    return {b, b.iota(DType::Int64, dimension, dims)};
  }

  operator const Tensor &() const { return tensor; }
  DType dtype() const { return tensor.dtype; }
  const Dims &dims() const { return tensor.dims; }

  /// The same number everywhere, in this shape and type.
  Expr number(double value) const { return {*b, b->splatLike(value, tensor)}; }
  Expr to(DType dtype) const { return {*b, b->cast(tensor, dtype)}; }
  Expr broadcast(const Dims &dims) const {
    return {*b, b->broadcast(tensor, dims)};
  }
  Expr reshape(const Dims &dims) const {
    return {*b, b->reshape(tensor, dims)};
  }

  template <typename Op> Expr unary() const {
    return {*b, b->pointwise<Op>(tensor.dtype, tensor)};
  }
  template <typename Op> Expr binary(const Expr &rhs) const {
    return {*b, b->pointwise<Op>(tensor.dtype, tensor, rhs.tensor)};
  }
  /// `predicate` as for signed integers; floats compare as ordered, except that
  /// `ne` holds for NaN.
  Expr compare(mlir::arith::CmpIPredicate predicate, const Expr &rhs) const;

  NodeBuilder *b;
  Tensor tensor;
};

Expr operator+(const Expr &x, const Expr &y);
Expr operator-(const Expr &x, const Expr &y);
Expr operator*(const Expr &x, const Expr &y);
/// Of integers: truncated; the divisor is not zero.
Expr operator/(const Expr &x, const Expr &y);
/// Of integers, with the sign of `x`; the divisor is not zero.
Expr operator%(const Expr &x, const Expr &y);
Expr operator&(const Expr &x, const Expr &y);
Expr operator|(const Expr &x, const Expr &y);
Expr operator^(const Expr &x, const Expr &y);
/// Of integers read as unsigned.
Expr operator>>(const Expr &x, int bits);
Expr operator-(const Expr &x);
Expr operator!(const Expr &x);

Expr operator<(const Expr &x, const Expr &y);
Expr operator<=(const Expr &x, const Expr &y);
Expr operator>(const Expr &x, const Expr &y);
Expr operator>=(const Expr &x, const Expr &y);
Expr operator==(const Expr &x, const Expr &y);
Expr operator!=(const Expr &x, const Expr &y);

#define AMPC_EXPR_WITH_NUMBER(op)                                              \
  inline Expr operator op(const Expr &x, double y) {                           \
    return x op x.number(y);                                                   \
  }                                                                            \
  inline Expr operator op(double x, const Expr &y) { return y.number(x) op y; }
AMPC_EXPR_WITH_NUMBER(+)
AMPC_EXPR_WITH_NUMBER(-)
AMPC_EXPR_WITH_NUMBER(*)
AMPC_EXPR_WITH_NUMBER(/)
AMPC_EXPR_WITH_NUMBER(%)
AMPC_EXPR_WITH_NUMBER(&)
AMPC_EXPR_WITH_NUMBER(^)
AMPC_EXPR_WITH_NUMBER(<)
AMPC_EXPR_WITH_NUMBER(<=)
AMPC_EXPR_WITH_NUMBER(>)
AMPC_EXPR_WITH_NUMBER(>=)
AMPC_EXPR_WITH_NUMBER(==)
AMPC_EXPR_WITH_NUMBER(!=)
#undef AMPC_EXPR_WITH_NUMBER

Expr select(const Expr &condition, const Expr &yes, const Expr &no);
inline Expr select(const Expr &condition, const Expr &yes, double no) {
  return select(condition, yes, yes.number(no));
}
inline Expr select(const Expr &condition, double yes, const Expr &no) {
  return select(condition, no.number(yes), no);
}
Expr min(const Expr &x, const Expr &y);
Expr max(const Expr &x, const Expr &y);
inline Expr min(const Expr &x, double y) { return min(x, x.number(y)); }
inline Expr max(const Expr &x, double y) { return max(x, x.number(y)); }

// Floats only.
Expr abs(const Expr &x);
Expr ceil(const Expr &x);
Expr cos(const Expr &x);
Expr exp(const Expr &x);
Expr floor(const Expr &x);
Expr log(const Expr &x);
/// To nearest, ties to even.
Expr rint(const Expr &x);
Expr sigmoid(const Expr &x);
Expr sin(const Expr &x);
Expr sqrt(const Expr &x);
Expr tanh(const Expr &x);

/// The type that formulas are evaluated in: double for doubles, else float.
inline DType formulaType(DType dtype) {
  return dtype == DType::Double ? DType::Double : DType::Float;
}

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_EXPR_H
