//===- MiniFloat.h - Conversions of floats of 8 bits and fewer --*- C++ -*-===//
//
// Private to compiler/ir; see convertElement in Conversions.h.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_MINIFLOAT_H
#define AMPC_IR_MINIFLOAT_H

#include "compiler/ir/Amp.h"

namespace amp {

/// A format with a sign, an exponent and a mantissa, in the low `width` bits of
/// a byte. Codes are those of magnitudes, without the sign.
struct MiniFloat {
  unsigned width;
  unsigned mantissa; // stored bits
  int bias;
  unsigned largest;  // code of the largest finite value
  unsigned overflow; // code of infinity, or else of NaN, or else of `largest`
  unsigned nan;      // or zero, where there is none
  bool hasInfinity;
  bool hasNaN;
  bool unsignedZero; // NaN is 0x80 and there is no negative zero
};

/// E4M3FN, E5M2, E4M3FNUZ and E5M2FNUZ as types; E2M1, E2M3 and E3M2 as bytes.
std::optional<MiniFloat> miniFloatOf(mlir::Type type);
std::optional<MiniFloat> miniFloatOf(ByteFormat format);

/// The i8 `code` (or a vector of them) as f32, exactly. Bits above the format's
/// width are not looked at.
mlir::Value decodeMiniFloat(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value code, const MiniFloat &format);

/// f32 (or a vector) to an i8 code, rounding to nearest even.
mlir::Value encodeMiniFloat(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, const MiniFloat &format,
                            bool saturate);

/// E8M0, the exponent of a power of two (OCP Microscaling Formats, 2023): an i8
/// code as f32, exactly, and f32 to a code. The sign is dropped; infinity and
/// NaN give NaN (0xff), and so does what rounds beyond 2^127, unless
/// `saturate`.
mlir::Value decodeE8M0(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value code);
mlir::Value encodeE8M0(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, ScaleRounding rounding,
                       bool saturate);

} // namespace amp

#endif // AMPC_IR_MINIFLOAT_H
