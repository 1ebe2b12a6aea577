//===- WeightSources.cpp - What is computed from weights alone ------------===//

#include "passes/WeightSources.h"

#include "compiler/ir/WeightLayout.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace amp {

std::optional<uint64_t> weightSourceBytes(Value value) {
  llvm::SetVector<Operation *> work;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (!op || op->getNumRegions() || !isPure(op))
      return false;
    work.insert(op);
    return true;
  };
  if (!add(value))
    return std::nullopt;
  uint64_t bytes = 0;
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    bytes += storedBytes(op);
    if (!llvm::all_of(op->getOperands(), add))
      return std::nullopt;
  }
  return bytes;
}

} // namespace amp
