//===- RegisterTranspose.h - Squares of elements, turned --------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_REGISTERTRANSPOSE_H
#define AMPC_TARGET_CPU_REGISTERTRANSPOSE_H

#include "mlir/IR/Builders.h"

namespace ampc::cpu {

/// Vectors whose lanes are those at one place of each of `vectors`: as many as
/// each has lanes, a power of two.
llvm::SmallVector<mlir::Value>
transposeInRegisters(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::SmallVector<mlir::Value> vectors);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_REGISTERTRANSPOSE_H
