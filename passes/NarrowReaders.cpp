//===- NarrowReaders.cpp - Who reads a buffer, and in how many bits -------===//

#include "passes/NarrowReaders.h"

#include "passes/PlacedSlices.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace amp {

/// Whether a contraction multiplies by the operand's elements, which may be
/// narrower than its result.
static bool isFactor(OpOperand &use) {
  auto contraction = dyn_cast<ContractionOpInterface>(use.getOwner());
  return isa<MatmulOp, ConvOp>(use.getOwner()) &&
         llvm::is_contained(contraction.getFactors(), use.getOperandNumber()) &&
         getElementTypeOrSelf(use.getOwner()->getResult(0)).isF32();
}

/// Whether elements of the operand are read one by one, wherever from.
static bool readsElements(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto root = dyn_cast<KernelRootOpInterface>(op))
    return root.allowsPrologue(use.getOperandNumber());
  return !isa<YieldOp>(op) && (isa<ElementalOpInterface>(op) ||
                               OpTrait::hasElementwiseMappableTraits(op));
}

/// The factor that the operand is in another order of dimensions, which the
/// contraction undoes; null if it is none.
static Value turnedFactor(OpOperand &use) {
  auto transpose = dyn_cast<TransposeOp>(use.getOwner());
  return transpose && llvm::all_of(transpose->getUses(), isFactor)
             ? transpose.getResult()
             : Value();
}

static BlockArgument argumentOf(OpOperand &use) {
  auto kernel = cast<KernelOp>(use.getOwner());
  return kernel.getBody().getArgument(use.getOperandNumber());
}

static bool canRead(OpOperand &use) {
  auto kernel = cast<KernelOp>(use.getOwner());
  if (use.getOperandNumber() >= kernel.getIns().size())
    return false;
  return llvm::all_of(argumentOf(use).getUses(), [](OpOperand &inner) {
    return isFactor(inner) || readsElements(inner);
  });
}

static void read(OpOperand &use, FloatType type) {
  BlockArgument argument = argumentOf(use);
  auto wide = cast<RankedTensorType>(argument.getType());
  argument.setType(wide.clone(type));
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Value widened;
  for (OpOperand &inner : llvm::make_early_inc_range(argument.getUses())) {
    if (isFactor(inner))
      continue;
    if (Value turned = turnedFactor(inner)) {
      turned.setType(cast<RankedTensorType>(turned.getType()).clone(type));
      continue;
    }
    if (!widened)
      widened =
          builder.create<arith::ExtFOp>(argument.getLoc(), wide, argument);
    if (inner.getOwner() != widened.getDefiningOp())
      inner.set(widened);
  }
}

/// Whether elements of the result are elements of the operands, in memory too.
static bool sharesElements(Operation *op) {
  return isa<ReshapeOp, tensor::CastOp>(op) || isPlacedSlice(op);
}

bool NarrowReaders::add(Value value) {
  size_t next = values.size();
  values.insert(value);
  for (; next < values.size(); ++next) {
    Value shared = values[next];
    Operation *producer = shared.getDefiningOp();
    if (producer && sharesElements(producer)) {
      for (Value operand : producer->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          values.insert(operand);
      if (isa<PadOp>(producer))
        pads.insert(producer);
    } else {
      sources.push_back(shared);
    }
    for (OpOperand &use : shared.getUses()) {
      Operation *user = use.getOwner();
      if (sharesElements(user))
        values.insert(user->getResult(0));
      else if (isa<KernelOp>(user))
        uses.push_back(&use);
      else if (!isa<tensor::DimOp>(user))
        return false;
    }
  }
  return true;
}

FloatAttr exactlyIn(FloatType type, FloatAttr number) {
  APFloat value = number.getValue();
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return losesInfo ? FloatAttr() : FloatAttr::get(type, value);
}

/// What a pad fills with, in `type`; null if that is not known or would be
/// rounded.
static FloatAttr filling(Operation *pad, FloatType type) {
  FloatAttr number;
  matchPattern(cast<PadOp>(pad).getValue(), m_Constant(&number));
  return number ? exactlyIn(type, number) : FloatAttr();
}

bool NarrowReaders::canBe(FloatType type) const {
  return llvm::all_of(uses, [](OpOperand *use) { return canRead(*use); }) &&
         llvm::all_of(pads, [&](Operation *pad) -> bool {
           return filling(pad, type) != nullptr;
         });
}

void NarrowReaders::narrow(FloatType type) {
  for (Operation *op : pads) {
    auto pad = cast<PadOp>(op);
    OpBuilder builder(pad);
    pad.getValueMutable().assign(
        builder.create<arith::ConstantOp>(pad.getLoc(), filling(pad, type)));
  }
  for (Value value : values)
    value.setType(cast<RankedTensorType>(value.getType()).clone(type));
  for (OpOperand *use : uses)
    read(*use, type);
}

} // namespace amp
