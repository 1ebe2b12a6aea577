//===- ValueForms.cpp - Between tensors, constants and scalars ------------===//

#include "compiler/import/onnx/ValueForms.h"

#include "compiler/ir/Amp.h"

using namespace mlir;

namespace ampc::onnx_import {

bool NamedValue::canBeScalars() const {
  if (rank() > 1 || dtype == DType::String)
    return false;
  if (rank() == 0)
    return true;
  auto size = constantInt(dims[0]);
  return size && *size <= kMaxScalars;
}

RankedTensorType ValueForms::type(DType dtype, ArrayRef<Scalar> dims) {
  return RankedTensorType::get(staticShape(dims),
                               elementType(builder.getContext(), dtype));
}

SmallVector<Scalar> scalarsOf(ElementsAttr elements, DType dtype) {
  SmallVector<Scalar> scalars;
  Type type = scalarType(elements.getContext(), dtype);
  Builder builder(elements.getContext());
  if (isIndex(dtype))
    for (const APInt &value : elements.getValues<APInt>())
      scalars.push_back(builder.getIndexAttr(value.getSExtValue()));
  else if (isFloat(dtype))
    for (const APFloat &value : elements.getValues<APFloat>())
      scalars.push_back(Attribute(FloatAttr::get(type, value)));
  else
    for (const APInt &value : elements.getValues<APInt>())
      scalars.push_back(Attribute(IntegerAttr::get(type, value)));
  return scalars;
}

/// The elements if every scalar is constant, else null.
static DenseElementsAttr constantOf(RankedTensorType type,
                                    ArrayRef<Scalar> scalars) {
  SmallVector<Attribute> elements;
  Type element = type.getElementType();
  for (Scalar scalar : scalars) {
    auto attr = dyn_cast<Attribute>(scalar);
    if (!attr)
      return {};
    auto integer = dyn_cast<IntegerAttr>(attr);
    if (integer && integer.getType().isIndex())
      attr = IntegerAttr::get(element, integer.getValue().sextOrTrunc(
                                           element.getIntOrFloatBitWidth()));
    elements.push_back(attr);
  }
  return DenseElementsAttr::get(type, elements);
}

Value ValueForms::materialize(ElementsAttr elements, StringRef name,
                              Location loc) {
  if (!Weights::isWeight(elements))
    return builder.create<arith::ConstantOp>(loc, elements);
  StringAttr symbol = weights.define(elements, name, loc);
  return builder.create<amp::WeightOp>(loc, elements.getType(),
                                       FlatSymbolRefAttr::get(symbol));
}

void ValueForms::refresh(NamedValue &value) {
  if (value.tensor && !scalars.isVisible(value.tensor))
    value.tensor = {};
  if (value.scalars && !llvm::all_of(*value.scalars, [&](Scalar scalar) {
        return scalars.isVisible(scalar);
      }))
    value.scalars.reset();
  for (const ValueRef &element : value.elements)
    refresh(*element);
}

Tensor ValueForms::tensor(NamedValue &value, Location loc) {
  if (!value.tensor) {
    if (!value.constant)
      value.constant =
          constantOf(type(value.dtype, value.dims), *value.scalars);
    if (value.constant) {
      // Constants stand at the start, where every region sees them.
      OpBuilder::InsertionGuard guard(builder);
      Operation *parent = builder.getInsertionBlock()->getParentOp();
      auto function = dyn_cast<func::FuncOp>(parent);
      if (!function)
        function = parent->getParentOfType<func::FuncOp>();
      builder.setInsertionPointToStart(&function.front());
      value.tensor = materialize(value.constant, value.name, loc);
    } else {
      Type element = elementType(builder.getContext(), value.dtype);
      auto elements = llvm::map_to_vector(*value.scalars, [&](Scalar s) {
        Value scalar = scalars.value(s);
        return scalar.getType() == element
                   ? scalar
                   : scalars.value(
                         scalars.emit<arith::IndexCastOp>(element, scalar));
      });
      value.tensor = builder.create<tensor::FromElementsOp>(
          loc, type(value.dtype, value.dims), elements);
    }
  }
  return {value.tensor, value.dtype, value.dims, value.constant};
}

/// The elements that a few moves and a little arithmetic make of constants, as
/// exporters write the pads of Pad; null if these are not all.
static ElementsAttr evaluate(Value value, int depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() ||
      type.getNumElements() > NamedValue::kMaxScalars)
    return {};
  ElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return elements;
  if (depth == 0 || op->getNumResults() != 1)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, depth - 1));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  if (auto same = dyn_cast<Value>(results.front()))
    return evaluate(same, depth - 1);
  return dyn_cast<ElementsAttr>(cast<Attribute>(results.front()));
}

const SmallVector<Scalar> *ValueForms::list(NamedValue &value, Location loc) {
  if (value.scalars)
    return &*value.scalars;
  if (!value.canBeScalars())
    return nullptr;
  if (!value.constant)
    value.constant = evaluate(value.tensor, /*depth=*/8);
  if (value.constant) {
    value.scalars = scalarsOf(value.constant, value.dtype);
    return &*value.scalars;
  }
  int64_t size = value.rank() ? *constantInt(value.dims[0]) : 1;
  Type type = scalarType(builder.getContext(), value.dtype);
  SmallVector<Scalar> list;
  for (int64_t i = 0; i < size; ++i) {
    SmallVector<Value> at;
    if (value.rank())
      at.push_back(scalars.value(scalars.index(i)));
    Value element = builder.create<tensor::ExtractOp>(loc, value.tensor, at);
    if (element.getType() == type)
      list.push_back(element);
    else
      list.push_back(scalars.emit<arith::IndexCastOp>(type, element));
  }
  value.scalars = std::move(list);
  return &*value.scalars;
}

} // namespace ampc::onnx_import
