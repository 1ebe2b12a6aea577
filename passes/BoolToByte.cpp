//===- BoolToByte.cpp - Booleans in buffers take a byte -------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace amp {
#define GEN_PASS_DEF_BOOLTOBYTE
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

static Type inBytes(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getElementType().isInteger(1))
    return type;
  return MemRefType::Builder(memref).setElementType(
      IntegerType::get(type.getContext(), 8));
}

static ElementsAttr inBytes(DenseElementsAttr values) {
  auto byte = IntegerType::get(values.getContext(), 8);
  return values.mapValues(
      byte, [](const APInt &value) { return APInt(8, value.getZExtValue()); });
}

namespace {
struct BoolToByte : public amp::impl::BoolToByteBase<BoolToByte> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        result.setType(inBytes(result.getType()));
      if (isa<KernelOp>(op)) // Its body is on tensors.
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            argument.setType(inBytes(argument.getType()));
      convert(op);
      return WalkResult::advance();
    });
  }

  static void convert(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      FunctionType type = function.getFunctionType();
      auto convertAll = [](ArrayRef<Type> types) {
        return llvm::map_to_vector(types, [](Type t) { return inBytes(t); });
      };
      function.setFunctionType(builder.getFunctionType(
          convertAll(type.getInputs()), convertAll(type.getResults())));
      return;
    }
    if (auto global = dyn_cast<memref::GlobalOp>(op)) {
      Type bytes = inBytes(global.getType());
      if (bytes == global.getType())
        return;
      global.setType(cast<MemRefType>(bytes));
      if (auto values =
              dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr()))
        global.setInitialValueAttr(inBytes(values));
      return;
    }
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (!load.getType().isInteger(1))
        return;
      // Callers may give any byte for "true".
      load.getResult().setType(builder.getI8Type());
      builder.setInsertionPointAfter(load);
      Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 8);
      Value flag = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                 load.getResult(), zero);
      load.getResult().replaceAllUsesExcept(flag, flag.getDefiningOp());
      return;
    }
    if (auto store = dyn_cast<memref::StoreOp>(op))
      if (store.getValue().getType().isInteger(1))
        store.getValueMutable().assign(builder.create<arith::ExtUIOp>(
            loc, builder.getI8Type(), store.getValue()));
  }
};
} // namespace
