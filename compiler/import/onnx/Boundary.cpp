//===- Boundary.cpp - Values that enter and leave regions -----------------===//

#include "compiler/import/onnx/Boundary.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ampc::onnx_import {

static StringRef nameOf(NamedValue::Kind kind) {
  switch (kind) {
  case NamedValue::Kind::Tensor:
    return "a tensor";
  case NamedValue::Kind::Sequence:
    return "a sequence";
  case NamedValue::Kind::Optional:
    return "an optional";
  }
  llvm_unreachable("all kinds are handled");
}

/// Whether a value is worth passing as scalars: shapes may be made of it.
static bool isShapeValue(const NamedValue &value) {
  return value.scalars && (isIndex(value.dtype) || value.dtype == DType::Bool);
}

Boundary Boundary::of(NodeBuilder &b, const NamedValue &value) {
  Boundary boundary;
  boundary.kind = value.kind;
  boundary.dtype = value.dtype;
  boundary.isList = isShapeValue(value);
  for (Scalar size : value.dims)
    boundary.dims.push_back(b.scalars.isVisible(size) ? size : Scalar());
  for (const ValueRef &element : value.elements)
    boundary.elements.push_back(of(b, *element));
  return boundary;
}

/// Whether a value of these sizes is a scalar or a list of one.
static bool isOne(const Dims &dims) {
  return dims.empty() ||
         (dims.size() == 1 && dims[0] && constantInt(dims[0]) == 1);
}

bool ranksAgree(const Dims &lhs, const Dims &rhs) {
  return lhs.size() == rhs.size() || (isOne(lhs) && isOne(rhs));
}

LogicalResult Boundary::widen(NodeBuilder &b, const NamedValue &value,
                              MergeFn merge, bool &changed) {
  if (kind != value.kind)
    return b.fail("has " + nameOf(kind) + " in one place and " +
                  nameOf(value.kind) + " in the other");
  if (dtype != value.dtype)
    return b.fail("has type " + dtypeName(dtype) + " in one place and " +
                  dtypeName(value.dtype) + " in the other");
  if (elements.size() != value.elements.size())
    return b.fail("has " + nameOf(kind) + " of " + Twine(elements.size()) +
                  " elements in one place and of " +
                  Twine(value.elements.size()) +
                  " in the other, which is not supported");
  for (auto [element, other] : llvm::zip(elements, value.elements))
    if (failed(element.widen(b, *other, merge, changed)))
      return failure();
  if (!ranksAgree(dims, value.dims))
    return b.fail("has rank " + Twine(dims.size()) + " in one place and " +
                  Twine(value.rank()) +
                  " in the other, which is not supported; fixing sizes by "
                  "--dim may decide which");
  if (dims.size() != value.dims.size()) {
    changed |= dims.empty();
    dims = {b.scalars.index(1)};
    return success();
  }
  for (auto [size, other] : llvm::zip(dims, value.dims)) {
    if (!size || b.scalars.same(size, other))
      continue;
    size = merge(size, other);
    changed = true;
  }
  if (isList && (!value.canBeScalars() || (!dims.empty() && !dims[0]))) {
    isList = false;
    changed = true;
  }
  return success();
}

bool moveBefore(NodeBuilder &b, Scalar size, Operation *op) {
  if (b.scalars.isVisible(size))
    return true;
  Operation *producer = cast<Value>(size).getDefiningOp();
  // Work on tensors stays where it is wanted.
  if (!producer || producer->getNumRegions() || !isPure(producer) ||
      llvm::any_of(producer->getResultTypes(), llvm::IsaPred<ShapedType>) ||
      !llvm::all_of(producer->getOperands(), [&](Value operand) {
        return moveBefore(b, Scalar(operand), op);
      }))
    return false;
  producer->moveBefore(op);
  return true;
}

/// Sizes as the type shows them.
static RankedTensorType typeOf(NodeBuilder &b, DType dtype, const Dims &dims) {
  auto shape = llvm::map_to_vector(dims, [](Scalar size) {
    return size ? constantInt(size).value_or(ShapedType::kDynamic)
                : ShapedType::kDynamic;
  });
  return RankedTensorType::get(shape, elementType(b.context(), dtype));
}

void Boundary::types(NodeBuilder &b, SmallVectorImpl<Type> &types) const {
  for (const Boundary &element : elements)
    element.types(b, types);
  if (kind != NamedValue::Kind::Tensor)
    return;
  if (isList) {
    int64_t count = dims.empty() ? 1 : *constantInt(dims[0]);
    types.append(count, scalarType(b.context(), dtype));
    return;
  }
  types.push_back(typeOf(b, dtype, dims));
  types.append(llvm::count(dims, Scalar()), b.builder().getIndexType());
}

void Boundary::fixedShapes(SmallVectorImpl<bool> &fixed) const {
  for (const Boundary &element : elements)
    element.fixedShapes(fixed);
  if (kind != NamedValue::Kind::Tensor)
    return;
  if (isList) {
    fixed.append(dims.empty() ? 1 : *constantInt(dims[0]), false);
    return;
  }
  int64_t passing = llvm::count(dims, Scalar());
  fixed.push_back(passing == 0);
  fixed.append(passing, false);
}

void Boundary::flatten(NodeBuilder &b, NamedValue &value,
                       SmallVectorImpl<Value> &values) const {
  for (auto [element, of] : llvm::zip(elements, value.elements))
    element.flatten(b, *of, values);
  if (kind != NamedValue::Kind::Tensor)
    return;
  b.importer.forms.refresh(value);
  if (isList) {
    for (Scalar scalar : *b.importer.forms.list(value, b.loc()))
      values.push_back(b.scalars.value(scalar));
    return;
  }
  Tensor tensor = b.importer.forms.tensor(value, b.loc());
  if (tensor.dims.size() != dims.size())
    tensor = b.reshape(tensor, dims);
  Type type = typeOf(b, dtype, dims);
  values.push_back(tensor.type() == type
                       ? tensor.value
                       : b.create<tensor::CastOp>(type, tensor.value));
  for (auto [size, actual] : llvm::zip(dims, tensor.dims))
    if (!size)
      values.push_back(b.scalars.value(actual));
}

ValueRef Boundary::bind(NodeBuilder &b, ValueRange &values) const {
  auto take = [&] {
    Value first = values.front();
    values = values.drop_front();
    return first;
  };
  auto value = std::make_shared<NamedValue>();
  value->kind = kind;
  value->dtype = dtype;
  for (const Boundary &element : elements)
    value->elements.push_back(element.bind(b, values));
  if (kind != NamedValue::Kind::Tensor)
    return value;
  value->dims = dims;
  if (isList) {
    value->scalars.emplace();
    int64_t count = dims.empty() ? 1 : *constantInt(dims[0]);
    for (int64_t i = 0; i < count; ++i)
      value->scalars->push_back(take());
    return value;
  }
  value->tensor = take();
  for (Scalar &size : value->dims)
    if (!size)
      size = take();
  // What comes out of control flow has sizes that only this op tells.
  if (SmallVector<Value> dynamic = b.dynamic(value->dims); !dynamic.empty())
    value->tensor = b.create<amp::ReshapeOp>(value->tensor.getType(),
                                             value->tensor, dynamic);
  return value;
}

} // namespace ampc::onnx_import
