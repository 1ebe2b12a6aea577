//===- Loops.h - Counting loops ---------------------------------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_LOOPS_H
#define AMPC_TARGET_CPU_LOOPS_H

#include "compiler/target/cpu/IndexBuilder.h"

namespace ampc::cpu {

/// A loop over `from`, `from + step`, ... below `to`; `body` fills it at `b`,
/// given the index, and its result is returned. Nothing is emitted where the
/// bounds tell that there is no iteration.
llvm::LogicalResult
emitLoop(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult from,
         mlir::OpFoldResult to, int64_t step,
         llvm::function_ref<llvm::LogicalResult(mlir::Value)> body);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_LOOPS_H
