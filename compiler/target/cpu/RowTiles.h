//===- RowTiles.h - Rows of a contraction as register tiles -----*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_ROWTILES_H
#define AMPC_TARGET_CPU_ROWTILES_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// Register tiles of equal size, one after the other.
struct RowTiles {
  int64_t rows;             ///< Of one tile.
  mlir::OpFoldResult count; ///< Of tiles.
};

/// How `rows` rows, a block of the contraction's `rowCount`, are cut into
/// tiles: those of the plan's size, then smaller ones. Sizes that no number of
/// rows can need are left out, so that there is no code for them.
llvm::SmallVector<RowTiles> cutRows(mlir::OpBuilder &b, mlir::Location loc,
                                    mlir::OpFoldResult rows,
                                    mlir::OpFoldResult rowCount,
                                    const GemmPlan &plan);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_ROWTILES_H
