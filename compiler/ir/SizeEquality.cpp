//===- SizeEquality.cpp - Sizes that are computed alike -------------------===//

#include "compiler/ir/SizeEquality.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

static bool areEqual(Value v, Value w, int depth) {
  if (v == w)
    return true;
  auto x = getConstantIntValue(v), y = getConstantIntValue(w);
  if (x || y)
    return x == y;
  Operation *p = v.getDefiningOp(), *q = w.getDefiningOp();
  if (!p || !q || !depth || p->getName() != q->getName() ||
      p->getNumOperands() != q->getNumOperands() || p->getNumRegions() ||
      !isPure(p) || p->getAttrDictionary() != q->getAttrDictionary() ||
      cast<OpResult>(v).getResultNumber() !=
          cast<OpResult>(w).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip(p->getOperands(), q->getOperands()),
                      [&](auto pair) {
                        auto [m, n] = pair;
                        return areEqual(m, n, depth - 1);
                      });
}

bool amp::areEqualSizes(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x || y)
    return x == y;
  // Deep enough for what shapes of networks come to.
  constexpr int depth = 8;
  return areEqual(cast<Value>(a), cast<Value>(b), depth);
}
