//===- KnownFormats.cpp - Numbers that need fewer bits than they have -----===//

#include "passes/KnownFormats.h"

#include "passes/NarrowReaders.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace amp {

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// Whether a constant is a number of `format`.
static bool isOneOf(Value value, Format format) {
  auto type =
      dyn_cast_or_null<FloatType>(formatType(value.getContext(), format));
  FloatAttr number;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    number = dyn_cast<FloatAttr>(elements.getSplatValue<Attribute>());
  else if (auto splat = value.getDefiningOp<SplatOp>())
    matchPattern(splat.getValue(), m_Constant(&number));
  else
    matchPattern(value, m_Constant(&number));
  return type && number && exactlyIn(type, number);
}

std::optional<Format> KnownFormats::of(Value value) {
  auto place = known.find(value);
  if (place != known.end())
    return place->second;
  std::optional<Format> format = find(value);
  known[value] = format;
  return format;
}

std::optional<Format> KnownFormats::find(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    return kernel ? of(kernel.getIns()[argument.getArgNumber()]) : std::nullopt;
  }
  if (auto round = dyn_cast<RoundToOp>(op))
    return round.getFormat();
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (isa<CastOp, arith::BitcastOp, KernelOp>(op) || !precision ||
      precision.getErrorClass() != ErrorClass::Exact)
    return std::nullopt;
  std::optional<Format> format;
  for (Value operand : op->getOperands())
    if (isFloatTensor(operand) && !format)
      format = of(operand);
  if (!format)
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (isa<FloatType>(getElementTypeOrSelf(operand.getType())) &&
        !(isFloatTensor(operand) && of(operand) == format) &&
        !isOneOf(operand, *format))
      return std::nullopt;
  return format;
}

} // namespace amp
