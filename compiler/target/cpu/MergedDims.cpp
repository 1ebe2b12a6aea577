//===- MergedDims.cpp - Dimensions that one index can walk ----------------===//

#include "compiler/target/cpu/MergedDims.h"

using namespace mlir;

namespace ampc::cpu {

bool canMergeDims(KernelValues &values, Value tensor, int64_t dim,
                  Value given) {
  if (tensor == given)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return canMergeDims(cast<MemRefType>(values.in(argument).getType()), dim);
  Operation *op = tensor.getDefiningOp();
  // A constant is splat or gets a dense buffer.
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  SmallVector<int64_t> operandDims;
  if (auto elemental = dyn_cast<amp::ElementalOpInterface>(op)) {
    if (!elemental.mergeDims(dim, operandDims))
      return false;
  } else {
    operandDims.assign(op->getNumOperands(), dim);
  }
  for (auto [operand, at] : llvm::zip(op->getOperands(), operandDims)) {
    if (at < 0 || !isa<RankedTensorType>(operand.getType()))
      continue;
    if (!canMergeDims(values, operand, at, given))
      return false;
  }
  return true;
}

bool canMergeOutputDims(KernelValues &values, int64_t dim, Value given) {
  amp::YieldOp yield = values.getKernel().getYield();
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (!canMergeDims(cast<MemRefType>(values.out(index).getType()), dim) ||
        !canMergeDims(values, value, dim, given))
      return false;
  return true;
}

MergedDims mergeOutputDims(KernelValues &values) {
  MergedDims dims(values.outDims(0));
  int64_t rank = cast<MemRefType>(values.out(0).getType()).getRank();
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (canMergeOutputDims(values, dim))
      dims.merge(dim);
  return dims;
}

} // namespace ampc::cpu
