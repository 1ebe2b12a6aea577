//===- FoldOffsets.cpp - Constant parts of addresses go outwards ----------===//
//
// Kernels address neighbouring rows as `(row + 3) * stride + column`. An
// instruction has room for a constant, but only where it is added last; and
// what comes before it is then one value for all rows.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/CpuPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

namespace ampc::cpu {
#define GEN_PASS_DEF_CPUFOLDOFFSETS
#include "compiler/target/cpu/CpuPasses.h.inc"
} // namespace ampc::cpu

using namespace mlir;

namespace {

/// `base + constant`; without a base where the value is a constant.
struct Sum {
  Value base;
  APInt constant;
};

std::optional<APInt> asConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

/// The constant that is added last in `value`, if one is.
std::optional<Sum> splitConstant(Value value) {
  auto add = value.getDefiningOp<LLVM::AddOp>();
  if (!add)
    return std::nullopt;
  if (auto constant = asConstant(add.getRhs()))
    return Sum{add.getLhs(), *constant};
  if (auto constant = asConstant(add.getLhs()))
    return Sum{add.getRhs(), *constant};
  return std::nullopt;
}

/// `op` as a sum whose constant is added last, if that is another form of it.
/// Arithmetic wraps, so both forms are equal.
std::optional<Sum> rewritten(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  if (auto mul = dyn_cast<LLVM::MulOp>(op)) {
    auto factor = asConstant(mul.getRhs());
    auto sum = splitConstant(mul.getLhs());
    if (!factor || !sum)
      return std::nullopt;
    return Sum{b.create<LLVM::MulOp>(loc, sum->base, mul.getRhs()),
               sum->constant * *factor};
  }
  auto add = dyn_cast<LLVM::AddOp>(op);
  if (!add)
    return std::nullopt;
  Value x = add.getLhs(), y = add.getRhs();
  if (asConstant(x))
    std::swap(x, y);
  auto left = splitConstant(x);
  if (auto constant = asConstant(y)) {
    if (!left)
      return std::nullopt;
    return Sum{left->base, left->constant + *constant};
  }
  auto right = splitConstant(y);
  if (!left && !right)
    return std::nullopt;
  APInt constant = APInt::getZero(x.getType().getIntOrFloatBitWidth());
  if (left) {
    x = left->base;
    constant += left->constant;
  }
  if (right) {
    y = right->base;
    constant += right->constant;
  }
  return Sum{b.create<LLVM::AddOp>(loc, x, y), constant};
}

struct FoldOffsets : public ampc::cpu::impl::CpuFoldOffsetsBase<FoldOffsets> {
  void runOnOperation() override {
    // What an op uses has its new form already, but in loops.
    getOperation().walk([](Operation *op) {
      if (op->getNumResults() != 1 ||
          !op->getResult(0).getType().isSignlessInteger(64))
        return;
      OpBuilder b(op);
      std::optional<Sum> sum = rewritten(b, op);
      if (!sum)
        return;
      Value constant = b.create<LLVM::ConstantOp>(
          op->getLoc(),
          b.getIntegerAttr(op->getResult(0).getType(), sum->constant));
      op->getResult(0).replaceAllUsesWith(
          b.create<LLVM::AddOp>(op->getLoc(), sum->base, constant));
    });
  }
};

} // namespace
