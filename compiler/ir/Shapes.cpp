//===- Shapes.cpp - Sizes of values, computed where possible --------------===//

#include "compiler/ir/OpUtils.h"

using namespace mlir;

bool amp::isElemental(Operation *op) {
  if (isa<ElementalOpInterface>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

bool amp::mergeDimsOfSameShape(Operation *op, int64_t dim,
                               SmallVectorImpl<int64_t> &operands) {
  operands.assign(op->getNumOperands(), dim);
  return op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
         op->hasTrait<OpTrait::SameOperandsAndResultType>();
}

SmallVector<OpFoldResult> amp::dimsOf(OpBuilder &builder, Location loc,
                                      Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  Operation *producer = value.getDefiningOp();
  SmallVector<OpFoldResult> sizes;
  if (producer && isa<ReifyRankedShapedTypeOpInterface>(producer)) {
    ReifiedRankedShapedTypeDims shapes;
    if (succeeded(reifyResultShapes(builder, producer, shapes)))
      sizes = shapes[cast<OpResult>(value).getResultNumber()];
  } else if (producer && OpTrait::hasElementwiseMappableTraits(producer)) {
    // All tensor operands have the result's shape; take the best-known dims.
    for (Value operand : producer->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      sizes = dimsOf(builder, loc, operand);
      break;
    }
  }
  if (sizes.empty() && type.getRank())
    for (int64_t i = 0; i < type.getRank(); ++i)
      sizes.push_back(builder.createOrFold<tensor::DimOp>(loc, value, i));
  for (auto [size, known] : llvm::zip(sizes, type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = builder.getIndexAttr(known);
    else if (auto constant = getConstantIntValue(size))
      size = builder.getIndexAttr(*constant);
  return sizes;
}

OpFoldResult amp::dimOf(OpBuilder &builder, Location loc, Value value,
                        int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return dimsOf(builder, loc, value)[dim];
}

SmallVector<Value> amp::dynamicDims(OpBuilder &builder, Location loc,
                                    RankedTensorType type,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (auto [known, size] : llvm::zip(type.getShape(), sizes))
    if (ShapedType::isDynamic(known))
      values.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return values;
}

/// Whether an index is none below zero, as far as can be told easily.
static bool isNotNegative(Value index) {
  if (auto constant = getConstantIntValue(index))
    return *constant >= 0;
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp, arith::DivUIOp, arith::RemUIOp>(op))
    return true;
  if (auto max = dyn_cast_or_null<arith::MaxSIOp>(op))
    return isNotNegative(max.getLhs()) || isNotNegative(max.getRhs());
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op) &&
         llvm::all_of(op->getOperands(), isNotNegative);
}

/// The size that `size` came from by adding `added`, or null: padding that
/// makes up for a window gives the size from before.
static Value sizeBefore(OpFoldResult size, int64_t added) {
  Value value = cast<Value>(size);
  if (added == 0)
    return value;
  auto add = value.getDefiningOp<arith::AddIOp>();
  return add && getConstantIntValue(add.getRhs()) == added &&
                 isNotNegative(add.getLhs())
             ? add.getLhs()
             : Value();
}

OpFoldResult amp::windowedSize(OpBuilder &builder, Location loc,
                               OpFoldResult in, int64_t kernel, int64_t stride,
                               int64_t dilation, int64_t padLow,
                               int64_t padHigh, bool ceil) {
  if (auto size = getConstantIntValue(in))
    return builder.getIndexAttr(
        windowedSize(*size, kernel, stride, dilation, padLow, padHigh, ceil));
  int64_t grow = padLow + padHigh - dilation * (kernel - 1) - 1;
  if (Value same = stride == 1 ? sizeBefore(in, -1 - grow) : Value())
    return same;
  Value size = getValueOrCreateConstantIndexOp(builder, loc, in);
  auto constant = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIndexOp>(loc, value);
  };
  Value span = builder.createOrFold<arith::AddIOp>(loc, size, constant(grow));
  // A span below zero means that no window fits; max keeps divisions plain.
  Value low =
      builder.createOrFold<arith::MaxSIOp>(loc, span, constant(-stride));
  Value shifted = builder.createOrFold<arith::AddIOp>(
      loc, low, constant(stride + (ceil ? stride - 1 : 0)));
  Value windows =
      builder.createOrFold<arith::DivUIOp>(loc, shifted, constant(stride));
  if (!ceil)
    return windows;
  Value last = builder.createOrFold<arith::MulIOp>(
      loc, builder.createOrFold<arith::SubIOp>(loc, windows, constant(1)),
      constant(stride));
  Value limit =
      builder.createOrFold<arith::AddIOp>(loc, size, constant(padLow));
  Value past = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sge, last, limit);
  Value fewer = builder.createOrFold<arith::SubIOp>(loc, windows, constant(1));
  return builder.createOrFold<arith::SelectOp>(loc, past, fewer, windows);
}
