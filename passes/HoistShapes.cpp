//===- HoistShapes.cpp - What inputs' shapes decide is computed first -----===//
//
// Sizes of buffers are host code between kernels. Moving whatever depends on
// inputs alone to the front lets amp-plan-arena lay all of them out at once.
// Checks keep their place among what is moved, so that nothing (a division)
// runs before the check that guards it.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace amp {
#define GEN_PASS_DEF_HOISTSHAPES
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {
class Hoister {
public:
  explicit Hoister(Block &entry) : entry(entry) {}

  void run() {
    early.insert(entry.args_begin(), entry.args_end());
    Operation *firstLate = nullptr;
    for (Operation &op : llvm::make_early_inc_range(entry.without_terminator()))
      if (!isEarly(&op)) {
        if (!firstLate)
          firstLate = &op;
      } else {
        early.insert(op.result_begin(), op.result_end());
        if (firstLate)
          op.moveBefore(firstLate);
      }
    if (!firstLate)
      return;
    // Out of branches and loops only what may run though they do not.
    for (Operation &op :
         llvm::make_range(firstLate->getIterator(), entry.end()))
      if (!isa<KernelOp>(op))
        for (Region &region : op.getRegions())
          hoistFrom(region, firstLate);
  }

private:
  void hoistFrom(Region &region, Operation *firstLate) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
        if (isa<KernelOp>(op))
          continue;
        if (op.getNumRegions() == 0 && isPure(&op) && mayAlwaysRun(&op) &&
            llvm::all_of(op.getOperands(),
                         [&](Value v) { return early.contains(v); })) {
          early.insert(op.result_begin(), op.result_end());
          op.moveBefore(firstLate);
          continue;
        }
        for (Region &nested : op.getRegions())
          hoistFrom(nested, firstLate);
      }
  }

  /// Divisions trap, whatever their op says about speculation.
  static bool mayAlwaysRun(Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op)) {
      APInt divisor;
      return matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
             !divisor.isZero() && !divisor.isAllOnes();
    }
    return true;
  }

  /// Whether `op` with all that is in it depends on values computed early
  /// alone, and does nothing but compute, read what nobody writes, and check.
  bool isEarly(Operation *op) {
    bool all = true;
    op->walk([&](Operation *nested) {
      all = all && isEarlyApartFromOperands(nested) &&
            llvm::all_of(nested->getOperands(), [&](Value v) {
              return early.contains(v) || isInside(v, op);
            });
      return all ? WalkResult::advance() : WalkResult::interrupt();
    });
    return all;
  }

  static bool isInside(Value value, Operation *op) {
    return op->isProperAncestor(value.getParentBlock()->getParentOp()) ||
           (value.getParentBlock()->getParentOp() == op);
  }

  static bool isEarlyApartFromOperands(Operation *op) {
    if (isa<CheckOp, memref::LoadOp>(op))
      return true; // All early memory is read-only.
    if (isa<KernelOp>(op))
      return false;
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
           isMemoryEffectFree(op);
  }

  Block &entry;
  DenseSet<Value> early;
};

struct HoistShapes : public amp::impl::HoistShapesBase<HoistShapes> {
  void runOnOperation() override {
    if (getOperation().getBody().hasOneBlock())
      Hoister(getOperation().getBody().front()).run();
  }
};
} // namespace
