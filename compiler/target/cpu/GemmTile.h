//===- GemmTile.h - The innermost loops of contractions ---------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_GEMMTILE_H
#define AMPC_TARGET_CPU_GEMMTILE_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// What a tile fetches into the cache beside its work: of B, from `start` on
/// (null: nothing), as many times a quarter of what it multiplies by.
struct GemmPrefetch {
  mlir::Value start;
  int64_t quarters = 0;
};

/// The operands of a register tile: `k` loops over A's elements, at `aRows` for
/// each row, and over vectors of B's.
struct GemmOperands {
  mlir::Value a, b; ///< One-dimensional buffers.
  mlir::OpFoldResult aOffset, bOffset;
  llvm::SmallVector<mlir::OpFoldResult> aRows; ///< Added to `aOffset`.
  int64_t bColumnStride = 1; ///< Between the columns of a vector.
  /// If not 0, only so many vectors follow each other; `panelStride` is between
  /// the first ones of such runs.
  int64_t panelVectors = 0;
  mlir::OpFoldResult panelStride;
  llvm::SmallVector<StridedGemm::KLoop> k;
  mlir::Type accumulator;
  bool unsignedA = false, unsignedB = false;
  GemmPrefetch prefetch;
};

/// The value as the type that products are formed in.
mlir::Value widenOperand(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type accumulator,
                         bool isUnsigned);

/// sum + x * y: fused for floats, wrapping for integers.
mlir::Value multiplyAdd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        mlir::Value y, mlir::Value sum);

/// Adds the products of all rows and the vectors of columns to `sums`, row by
/// row. `masks` has an entry for each vector of columns, null where all
/// columns exist; `lanes` 1 means single columns.
void emitGemmTile(mlir::OpBuilder &b, mlir::Location loc,
                  const GemmOperands &operands, int64_t lanes,
                  llvm::ArrayRef<mlir::Value> masks,
                  llvm::SmallVectorImpl<mlir::Value> &sums);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_GEMMTILE_H
