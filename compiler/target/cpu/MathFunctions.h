//===- MathFunctions.h - Elementary functions in f32 ------------*- C++ -*-===//
//
// Formulas for scalars and vectors of f32. Each is accurate to 2 units in the
// last place for every argument, subnormal results included, and gives what C's
// function gives at infinities, zeros and NaN. Checked against the C library's
// f64 functions in tests/unit/cpu/MathFunctionsTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_MATHFUNCTIONS_H
#define AMPC_TARGET_CPU_MATHFUNCTIONS_H

#include "compiler/target/cpu/Formula.h"

namespace ampc::cpu {

// In f32 arithmetic throughout: what neural networks spend their time in.
Expr expF32(Expr x);
Expr logF32(Expr x);
Expr tanhF32(Expr x);
Expr erfF32(Expr x);
/// Of x <= 0 or NaN, for sums that have a term of 1: what would be subnormal is
/// 0, which halves the work.
Expr expNotPositiveF32(Expr x);

// In f64 arithmetic inside, which leaves no accuracy to be lost.
Expr exp2F32(Expr x);
Expr expm1F32(Expr x);
Expr log2F32(Expr x);
Expr log10F32(Expr x);
Expr log1pF32(Expr x);
Expr sinhF32(Expr x);
Expr coshF32(Expr x);
Expr asinhF32(Expr x);
Expr acoshF32(Expr x);
Expr atanhF32(Expr x);
Expr cbrtF32(Expr x);
Expr powF32(Expr x, Expr y);
Expr sinF32(Expr x);
Expr cosF32(Expr x);
Expr tanF32(Expr x);
Expr asinF32(Expr x);
Expr acosF32(Expr x);
Expr atanF32(Expr x);
Expr atan2F32(Expr y, Expr x);

// f64 building blocks of the above, of relative error below 2^-36 within the
// arguments that f32 functions lead to.
Expr wideExp(Expr x);   ///< |x| <= 200.
Expr wideExpm1(Expr x); ///< |x| <= 200.
Expr wideLog(Expr x);   ///< 0 or at least 2^-1022.
Expr wideLog1p(Expr x);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_MATHFUNCTIONS_H
