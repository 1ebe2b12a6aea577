//===- Conversions.h - Conversions between number formats -------*- C++ -*-===//
//
// Exact element conversions as IR, on scalars and vectors alike, without
// library calls: the one definition of how ampc rounds.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_CONVERSIONS_H
#define AMPC_IR_CONVERSIONS_H

#include "compiler/ir/Amp.h"

namespace amp {

/// Float to float, rounding to nearest even once. NaN stays NaN (quiet). What
/// is too large becomes infinity, or NaN in formats without one; `saturate`
/// makes it, and infinity, the largest finite value of 8-bit formats.
/// A vector stays a vector; of `to` the element type counts.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type to,
                         bool saturate = false);

/// How the integers of a conversion are read, what happens to floats that are
/// out of range (see convertFloat), and what bytes stand for (see amp.cast).
struct ConversionFlags {
  bool unsignedSource = false;
  bool unsignedResult = false;
  bool saturate = false;
  ByteFormat source = ByteFormat::Byte;
  ByteFormat result = ByteFormat::Byte;
  ScaleRounding rounding = ScaleRounding::Nearest;
};

/// Bits of an integer format that is kept in a byte, or 0.
unsigned narrowIntegerBits(ByteFormat format);
/// Whether such a format is unsigned.
bool isUnsignedFormat(ByteFormat format);

/// Any element to any element as `amp.cast` defines it. A vector stays a
/// vector; of `to` the element type counts.
mlir::Value convertElement(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, mlir::Type to,
                           ConversionFlags flags = {});

/// The type that arithmetic on elements of `type` is done in: f32 for floats
/// below it, else `type`.
mlir::Type computeType(mlir::Type type);

/// `type`, as a vector like `like` if that is one.
mlir::Type shapedLike(mlir::Type type, mlir::Type like);

/// A constant of `type` (scalar or vector, integer, index or float) in every
/// lane. Integers take the low bits of `value`.
mlir::Value splatConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type type, double value);
mlir::Value splatInteger(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, int64_t value);

} // namespace amp

#endif // AMPC_IR_CONVERSIONS_H
