//===- BF16ToBits.cpp - Store bf16 as 16-bit integers ---------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/target/cpu/CpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace ampc::cpu {
#define GEN_PASS_DEF_CPUBF16TOBITS
#include "compiler/target/cpu/CpuPasses.h.inc"
} // namespace ampc::cpu

using namespace mlir;

/// The bits of a constant, or null if it is not of bf16.
static TypedAttr toBits(Attribute value) {
  auto typed = dyn_cast_or_null<TypedAttr>(value);
  if (!typed || !getElementTypeOrSelf(typed.getType()).isBF16())
    return nullptr;
  Type i16 = IntegerType::get(value.getContext(), 16);
  auto bits = [](const APFloat &number) { return number.bitcastToAPInt(); };
  if (auto number = dyn_cast<FloatAttr>(value))
    return IntegerAttr::get(i16, bits(number.getValue()));
  auto dense = dyn_cast<DenseFPElementsAttr>(value);
  return dense ? dense.mapValues(i16, bits) : TypedAttr();
}

namespace {
struct BF16ToBits : public ampc::cpu::impl::CpuBF16ToBitsBase<BF16ToBits> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        if (TypedAttr bits = toBits(constant.getValue()))
          constant.setValueAttr(bits);
      } else if (auto global = dyn_cast<memref::GlobalOp>(op)) {
        if (TypedAttr bits = toBits(global.getInitialValueAttr()))
          global.setInitialValueAttr(bits);
      } else if (auto data = dyn_cast<amp::WeightDataOp>(op)) {
        if (auto bits = dyn_cast_or_null<ElementsAttr>(toBits(data.getValue())))
          data.setValueAttr(bits);
      }
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement([](BFloat16Type type) -> Type {
      return IntegerType::get(type.getContext(), 16);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation()->walk([](arith::BitcastOp op) {
      if (op.getType() != op.getIn().getType())
        return;
      op.replaceAllUsesWith(op.getIn());
      op.erase();
    });
  }
};
} // namespace
