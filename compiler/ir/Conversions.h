//===- Conversions.h - Conversions between number formats -------*- C++ -*-===//
//
// Exact element conversions as IR, on scalars and vectors alike, without
// library calls: the one definition of how ampc rounds.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_CONVERSIONS_H
#define AMPC_IR_CONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace amp {

/// Float to float, rounding to nearest even once. NaN stays NaN (quiet).
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type to);

/// Any element to any element as `amp.cast` defines it. `to` is a scalar type;
/// a vector stays a vector.
mlir::Value convertElement(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, mlir::Type to,
                           bool unsignedSource, bool unsignedResult);

/// The type that arithmetic on elements of `type` is done in: f32 for floats
/// below it, else `type`.
mlir::Type computeType(mlir::Type type);

/// `type`, as a vector like `like` if that is one.
mlir::Type shapedLike(mlir::Type type, mlir::Type like);

/// A constant of `type` (scalar or vector, integer, index or float) in every
/// lane.
mlir::Value splatConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type type, double value);
mlir::Value splatInteger(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, int64_t value);

} // namespace amp

#endif // AMPC_IR_CONVERSIONS_H
