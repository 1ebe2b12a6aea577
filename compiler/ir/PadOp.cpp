//===- PadOp.cpp - Elements around and between those of an operand --------===//

#include "compiler/ir/IndexArithmetic.h"
#include "compiler/ir/OpUtils.h"

using namespace mlir;
using namespace amp;

SmallVector<OpFoldResult> PadOp::getMixedLow() {
  Builder builder(getContext());
  return getMixedValues(getStaticLow(), getLow(), builder);
}

LogicalResult PadOp::verify() {
  int64_t rank = typeOf(getSource()).getRank();
  if (failed(verifySameRank(*this, getSource(), getResult())) ||
      failed(verifyMixed(*this, "low sizes", getStaticLow(), getLow().size(),
                         rank)))
    return failure();
  if (int64_t(getInterior().size()) != rank)
    return emitOpError("has ") << getInterior().size() << " interior sizes for "
                               << rank << " dimensions";
  if (getValue().getType() != typeOf(getResult()).getElementType())
    return emitOpError("pads a tensor of ")
           << typeOf(getResult()).getElementType() << " with a "
           << getValue().getType();
  if (llvm::any_of(getInterior(), [](int64_t i) { return i < 0; }))
    return emitOpError("has a negative interior size");
  if (getMode() != PadMode::Constant &&
      llvm::any_of(getInterior(), [](int64_t i) { return i != 0; }))
    return emitOpError("may only spread elements in constant mode");
  return verifyDims(*this, getDims(), typeOf(getResult()));
}

LogicalResult PadOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

/// Whether nothing is added to or cropped from dimension `dim`.
static bool isWhole(PadOp op, int64_t dim) {
  RankedTensorType source = typeOf(op.getSource());
  return op.getStaticLow()[dim] == 0 && op.getInterior()[dim] == 0 &&
         !source.isDynamicDim(dim) &&
         source.getDimSize(dim) == typeOf(op.getResult()).getDimSize(dim);
}

/// The index of the element that `edge`, `reflect` or `wrap` names, from an
/// index that may lie outside of [0, size).
static Value mirrored(IndexArithmetic &ix, PadMode mode, Value index,
                      Value size) {
  Value one = ix.constant(1);
  switch (mode) {
  case PadMode::Edge:
    return ix.clamp(index, size);
  case PadMode::Wrap:
    return ix.mod(index, ix.max(size, one));
  case PadMode::Reflect: {
    // Period 2 (size - 1); a single element reflects to itself.
    Value last = ix.max(ix.add(size, -1), ix.constant(0));
    Value period = ix.max(ix.mul(last, ix.constant(2)), one);
    Value rest = ix.mod(index, period);
    return ix.select(ix.isLess(last, rest), ix.sub(period, rest), rest);
  }
  case PadMode::Constant:
    break;
  }
  llvm_unreachable("constant pads have no mirrored index");
}

Value PadOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                         ArrayRef<Value> indices) {
  IndexArithmetic ix{builder, getLoc()};
  SmallVector<Value> mapped;
  Value inside;
  auto require = [&](Value condition) {
    inside = inside ? ix.make<arith::AndIOp>(inside, condition) : condition;
  };
  for (auto [i, index, low] : llvm::enumerate(indices, getMixedLow())) {
    if (isWhole(*this, i)) {
      mapped.push_back(index);
      continue;
    }
    Value at = ix.sub(index, ix.scalar(access, low));
    Value size = access.dim(getSource(), i);
    if (getMode() != PadMode::Constant) {
      mapped.push_back(mirrored(ix, getMode(), at, size));
      continue;
    }
    if (int64_t interior = getInterior()[i]) {
      // Toward zero: between -interior and -1 the quotient would be 0.
      Value rest = ix.rem(at, ix.constant(interior + 1));
      require(ix.compare(arith::CmpIPredicate::eq, rest, ix.constant(0)));
      at = ix.div(at, interior + 1);
    }
    require(ix.isInside(at, size));
    mapped.push_back(at);
  }
  if (!inside)
    return access.read(getSource(), mapped);
  // Out of bounds the first element is read instead, which every buffer has
  // room for, even an empty one (runtime/abi.h).
  Value zero = ix.constant(0);
  for (Value &index : mapped)
    index = ix.select(inside, index, zero);
  Value element = access.read(getSource(), mapped);
  Value padding = access.readScalar(getValue());
  if (!element || !padding)
    return nullptr;
  return builder.create<arith::SelectOp>(getLoc(), inside, element, padding);
}

bool PadOp::keepsInnermost() {
  int64_t rank = typeOf(getSource()).getRank();
  return rank == 0 || isWhole(*this, rank - 1);
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType() &&
      llvm::all_of(llvm::seq<int64_t>(getStaticLow().size()),
                   [&](int64_t dim) { return isWhole(*this, dim); }))
    return getSource();
  return {};
}
