//===- WeightLayout.cpp - Where weights lie in the weights' memory --------===//

#include "compiler/ir/WeightLayout.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace amp;

uint64_t amp::weightBytes(ShapedType type) {
  Type element = type.getElementType();
  uint64_t bits = 0;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else
    bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return uint64_t(type.getNumElements()) * ((bits + 7) / 8);
}

uint64_t amp::storedBytes(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!isa<WeightOp>(op) && !constant)
    return 0;
  if (constant && isa<SplatElementsAttr>(constant.getValue()))
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return tensor ? weightBytes(tensor) : 0;
}

WeightLayout::WeightLayout(ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](WeightOp weight) { used.insert(weight.getData()); });
  for (auto data : module.getOps<WeightDataOp>()) {
    if (!used.contains(data.getSymName()))
      continue;
    total = llvm::alignTo(total, alignment);
    uint64_t size = weightBytes(data.getValue().getShapedType());
    all.push_back({data.getValue(), total, size});
    offsets[data.getSymName()] = total;
    total += size;
  }
  if (!all.empty())
    total = std::max(total, all.back().offset + readableBytes);
}
