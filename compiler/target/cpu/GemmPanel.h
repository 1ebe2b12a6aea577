//===- GemmPanel.h - Copies of B that tiles read in order -------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_GEMMPANEL_H
#define AMPC_TARGET_CPU_GEMMPANEL_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// A panel: the elements of B for a run of k and a tile's columns, k by k, in
/// the type that products are formed in.
struct GemmPanel {
  mlir::Value source; ///< B as a one-dimensional buffer.
  mlir::OpFoldResult sourceOffset;
  mlir::Value panel; ///< One-dimensional, lanes * vectors elements a k.
  llvm::SmallVector<StridedGemm::KLoop> k; ///< Those of the panel.
  llvm::SmallVector<StridedGemm::Column> columns;
  mlir::OpFoldResult firstColumn, columnCount;
  int64_t lanes, vectors;
  mlir::Type accumulator;
  bool isUnsigned;
  bool cheapMasks; ///< See CpuTarget.
};

/// Fills `panel`. Columns past the last repeat it: they are never stored.
void emitPackPanel(mlir::OpBuilder &b, mlir::Location loc,
                   const GemmPanel &panel);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_GEMMPANEL_H
