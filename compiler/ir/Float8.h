//===- Float8.h - Conversions of 8-bit floats -------------------*- C++ -*-===//
//
// Private to compiler/ir; see convertFloat in Conversions.h.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_FLOAT8_H
#define AMPC_IR_FLOAT8_H

#include "mlir/IR/Builders.h"

namespace amp {

/// Whether `type` is an 8-bit float that the two functions below know: E4M3FN
/// and E5M2 (OCP), E4M3FNUZ and E5M2FNUZ.
bool isFloat8(mlir::Type type);

/// An 8-bit float (or a vector of them) as f32, exactly.
mlir::Value float8ToF32(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

/// f32 (or a vector) to the 8-bit float `to`, rounding to nearest even.
mlir::Value f32ToFloat8(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type to, bool saturate);

} // namespace amp

#endif // AMPC_IR_FLOAT8_H
