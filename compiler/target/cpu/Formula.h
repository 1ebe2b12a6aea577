//===- Formula.h - Arithmetic written as formulas ---------------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_FORMULA_H
#define AMPC_TARGET_CPU_FORMULA_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace ampc::cpu {

/// A scalar or vector in a formula. Operators emit the IEEE operation (or the
/// integer one); nothing is fused that is not written as fma(). Numbers take
/// the type of the operand beside them.
class Expr {
public:
  Expr(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : b(&builder), loc(loc), v(value) {}

  mlir::Value value() const { return v; }
  mlir::OpBuilder &builder() const { return *b; }
  mlir::Location location() const { return loc; }
  mlir::Type type() const { return v.getType(); }

  /// A constant of this expression's type.
  Expr number(double x) const;
  Expr integer(int64_t x) const;
  /// The same builder with another value.
  Expr with(mlir::Value value) const { return Expr(*b, loc, value); }
  /// This type with another element type.
  mlir::Type typeWith(mlir::Type element) const;

private:
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value v;
};

// Floats.
Expr operator+(Expr x, Expr y);
Expr operator-(Expr x, Expr y);
Expr operator*(Expr x, Expr y);
Expr operator/(Expr x, Expr y);
Expr operator-(Expr x);
inline Expr operator+(Expr x, double y) { return x + x.number(y); }
inline Expr operator-(Expr x, double y) { return x - x.number(y); }
inline Expr operator*(Expr x, double y) { return x * x.number(y); }
inline Expr operator-(double x, Expr y) { return y.number(x) - y; }
inline Expr operator/(double x, Expr y) { return y.number(x) / y; }
/// x * y + z, rounded once.
Expr fma(Expr x, Expr y, Expr z);
inline Expr fma(Expr x, double y, Expr z) { return fma(x, x.number(y), z); }
Expr abs(Expr x);
Expr sqrt(Expr x);
Expr roundeven(Expr x);
Expr trunc(Expr x);
Expr copysign(Expr magnitude, Expr sign);
/// c[0] x^n + c[1] x^(n-1) + ... + c[n], by Horner's rule.
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);

// Comparisons are false where an operand is NaN.
Expr operator<(Expr x, Expr y);
Expr operator>(Expr x, Expr y);
Expr operator>=(Expr x, Expr y);
Expr operator==(Expr x, Expr y);
inline Expr operator<(Expr x, double y) { return x < x.number(y); }
inline Expr operator>(Expr x, double y) { return x > x.number(y); }
inline Expr operator>=(Expr x, double y) { return x >= x.number(y); }
inline Expr operator==(Expr x, double y) { return x == x.number(y); }
Expr isNaN(Expr x);
Expr select(Expr condition, Expr x, Expr y);
inline Expr select(Expr condition, double x, Expr y) {
  return select(condition, y.number(x), y);
}
/// x within [low, high]; NaN stays NaN.
Expr clamp(Expr x, double low, double high);
Expr operator&&(Expr x, Expr y);
Expr operator||(Expr x, Expr y);
Expr operator!(Expr x);

// Integers and bits.
Expr bits(Expr x);           ///< f32 -> i32, f64 -> i64.
Expr fromBits(Expr x);       ///< i32 -> f32, i64 -> f64.
Expr add(Expr x, int64_t y); ///< Wraps.
Expr add(Expr x, Expr y);
Expr sub(Expr x, Expr y);
Expr mul(Expr x, Expr y);
Expr bitAnd(Expr x, int64_t y);
Expr bitOr(Expr x, int64_t y);
Expr bitOr(Expr x, Expr y);
Expr shiftLeft(Expr x, int64_t y);
Expr shiftLeft(Expr x, Expr y);
Expr shiftRight(Expr x, int64_t y); ///< Zeros come in.
Expr shiftRight(Expr x, Expr y);
Expr shiftRightSigned(Expr x, int64_t y); ///< The sign comes in.
Expr equal(Expr x, int64_t y);

// Conversions.
Expr toF64(Expr x);                  ///< From f32 or i64.
Expr toF32(Expr x);                  ///< From f64.
Expr toInt(Expr x, unsigned width);  ///< A float that is a whole number.
Expr toFloat(Expr x);                ///< i32 -> f32.
Expr extend(Expr x, unsigned width); ///< Unsigned.
Expr truncate(Expr x, unsigned width);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_FORMULA_H
