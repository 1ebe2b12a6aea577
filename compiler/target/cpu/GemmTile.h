//===- GemmTile.h - The innermost loops of contractions ---------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_GEMMTILE_H
#define AMPC_TARGET_CPU_GEMMTILE_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// The operands of a register tile: `k` loops over A's elements, one row after
/// the other `aRowStride` apart, and over vectors of B's.
struct GemmOperands {
  mlir::Value a, b; ///< One-dimensional buffers.
  mlir::OpFoldResult aOffset, bOffset;
  mlir::OpFoldResult aRowStride;
  int64_t bColumnStride = 1; ///< Between the columns of a vector.
  llvm::SmallVector<StridedGemm::KLoop> k;
  mlir::Type accumulator;
  bool unsignedA = false, unsignedB = false;
};

/// The value as the type that products are formed in.
mlir::Value widenOperand(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type accumulator,
                         bool isUnsigned);

/// Adds the products of `rows` rows and the vectors of columns to `sums`, row
/// by row. `masks` has an entry for each vector of columns, null where all
/// columns exist; `lanes` 1 means single columns.
void emitGemmTile(mlir::OpBuilder &b, mlir::Location loc,
                  const GemmOperands &operands, int64_t rows, int64_t lanes,
                  llvm::ArrayRef<mlir::Value> masks,
                  llvm::SmallVectorImpl<mlir::Value> &sums);

/// Neighbouring loops that run over both operands with one stride become one.
void collapseKLoops(llvm::SmallVectorImpl<StridedGemm::KLoop> &loops,
                    IndexBuilder &ix);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_GEMMTILE_H
