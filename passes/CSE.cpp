//===- CSE.cpp - Common subexpressions, with their names ------------------===//
//
// Upstream's CSE keeps the location of the op that stays and forgets the other.
// Reports speak in the names of the source model, so here the op that stays
// carries both.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/Passes.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace amp {
#define GEN_PASS_DEF_CSE
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;

namespace {

struct SameOp : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

using Table =
    llvm::ScopedHashTable<Operation *, Operation *, SameOp, llvm::BumpPtrAllocator>;

/// Merges the ops of a region and of those nested in it. Structured control flow
/// only: a region is one block, and values of an enclosing block dominate it.
struct Eliminator {
  void run(Region &region) {
    for (Block &block : region) {
      Table::ScopeTy scope(table);
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &nested : op.getRegions()) {
          // Outside values may not enter an isolated region.
          if (op.hasTrait<OpTrait::IsIsolatedFromAbove>())
            Eliminator().run(nested);
          else
            run(nested);
        }
        if (op.getNumRegions() || !op.getNumResults() || !isPure(&op))
          continue;
        Operation *known = table.lookup(&op);
        if (!known) {
          table.insert(&op, &op);
          continue;
        }
        known->setLoc(
            FusedLoc::get(op.getContext(), {known->getLoc(), op.getLoc()}));
        op.replaceAllUsesWith(known);
        op.erase();
      }
    }
  }

  Table table;
};

struct CSE : public amp::impl::CSEBase<CSE> {
  void runOnOperation() override {
    for (Region &region : getOperation()->getRegions())
      Eliminator().run(region);
  }
};

} // namespace
