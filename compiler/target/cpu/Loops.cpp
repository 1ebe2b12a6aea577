//===- Loops.cpp - Counting loops -----------------------------------------===//

#include "compiler/target/cpu/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

LogicalResult emitLoop(OpBuilder &b, Location loc, OpFoldResult from,
                       OpFoldResult to, int64_t step,
                       llvm::function_ref<LogicalResult(Value)> body) {
  auto f = IndexBuilder::known(from), t = IndexBuilder::known(to);
  if (f && t && *f >= *t)
    return success();
  IndexBuilder ix(b, loc);
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                   ix.value(ix.constant(step)));
  b.setInsertionPointToStart(loop.getBody());
  return body(loop.getInductionVar());
}

} // namespace ampc::cpu
