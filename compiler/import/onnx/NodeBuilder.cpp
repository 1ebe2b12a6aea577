//===- NodeBuilder.cpp - Inputs, attributes and outputs of a node ---------===//

#include "compiler/import/onnx/NodeBuilder.h"

using namespace mlir;

namespace ampc::onnx_import {

std::string toString(ArrayRef<Scalar> dims) {
  std::string text = "[";
  for (Scalar dim : dims) {
    if (text.size() > 1)
      text += ", ";
    auto size = constantInt(dim);
    text += size ? std::to_string(*size) : "?";
  }
  return text + "]";
}

Tensor NodeBuilder::tensor(unsigned i) {
  return importer.forms.tensor(input(i), loc());
}

std::optional<Tensor> NodeBuilder::optionalTensor(unsigned i) {
  if (!has(i))
    return std::nullopt;
  return tensor(i);
}

SmallVector<Tensor> NodeBuilder::tensors(unsigned first) {
  SmallVector<Tensor> result;
  for (unsigned i = first; i < numInputs(); ++i)
    result.push_back(tensor(i));
  return result;
}

FailureOr<SmallVector<Scalar>> NodeBuilder::list(unsigned i) {
  if (const SmallVector<Scalar> *list = importer.forms.list(input(i), loc()))
    return *list;
  return fail(
      "input " + Twine(i) + " must be a list of known length, at most " +
      Twine(NamedValue::kMaxScalars) + ", but has shape " + toString(dims(i)));
}

FailureOr<SmallVector<int64_t>> NodeBuilder::constantInts(unsigned i) {
  SmallVector<int64_t> values;
  if (input(i).canBeScalars() && (input(i).constant || input(i).scalars)) {
    auto scalars = list(i);
    if (succeeded(scalars) && onnx_import::constantInts(*scalars, values))
      return values;
  }
  return fail("input " + Twine(i) + " must be constant");
}

FailureOr<double> NodeBuilder::constantNumber(unsigned i) {
  if (input(i).canBeScalars() && (input(i).constant || input(i).scalars)) {
    auto scalars = list(i);
    if (succeeded(scalars) && scalars->size() == 1)
      if (auto attr = dyn_cast<Attribute>(scalars->front())) {
        if (auto number = dyn_cast<FloatAttr>(attr))
          return number.getValueAsDouble();
        if (auto number = dyn_cast<IntegerAttr>(attr))
          return isUnsigned(dtype(i)) ? number.getValue().roundToDouble(false)
                                      : number.getValue().signedRoundToDouble();
      }
  }
  return fail("input " + Twine(i) + " must be one constant number");
}

bool NodeBuilder::onScalars() {
  bool any = false;
  for (const ValueRef &value : node.inputs) {
    if (!value)
      continue;
    if (!isIndex(value->dtype) && value->dtype != DType::Bool &&
        !isFloat(value->dtype))
      return false;
    if (value->scalars)
      any = true;
    else if (!value->constant || !value->canBeScalars())
      return false;
  }
  return any;
}

FailureOr<int64_t> NodeBuilder::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return reject("axis " + Twine(axis) + " is out of range for rank " +
                  Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<int64_t> NodeBuilder::axisAttr(StringRef name, int64_t rank,
                                         int64_t missing) {
  return normalizeAxis(intAttr(name, missing), rank);
}

FailureOr<SmallVector<int64_t>>
NodeBuilder::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    auto normal = normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return reject("axis " + Twine(axis) + " is given twice");
    result.push_back(*normal);
  }
  return result;
}

LogicalResult NodeBuilder::output(unsigned i, const Tensor &tensor) {
  return output(i, importer.valueOf(tensor));
}

LogicalResult NodeBuilder::output(unsigned i, ValueRef value) {
  if (wants(i))
    node.outputs[i] = std::move(value);
  return success();
}

LogicalResult NodeBuilder::outputList(unsigned i, DType dtype, int64_t rank,
                                      SmallVector<Scalar> list) {
  auto value = std::make_shared<NamedValue>();
  value->dtype = dtype;
  if (rank)
    value->dims.push_back(scalars.index(list.size()));
  value->scalars = std::move(list);
  return output(i, std::move(value));
}

LogicalResult NodeBuilder::fail(const Twine &message) {
  return importer.fail(message);
}

LogicalResult NodeBuilder::reject(const Twine &message) {
  return importer.reject(message);
}

LogicalResult NodeBuilder::require(Scalar condition, const Twine &message) {
  if (auto known = constantInt(condition))
    return *known ? success() : reject(message);
  Value value = scalars.value(condition);
  if (scalars.noteChecked(value))
    create<amp::CheckOp>(value, amp::CheckOp::kShapeMismatch,
                         (node.description + ": " + message).str());
  return success();
}

LogicalResult NodeBuilder::requireEqual(Scalar lhs, Scalar rhs,
                                        const Twine &message) {
  if (scalars.same(lhs, rhs))
    return success();
  if (failed(require(scalars.compare(arith::CmpIPredicate::eq, lhs, rhs),
                     message)))
    return failure();
  scalars.noteEqual(lhs, rhs);
  return success();
}

LogicalResult NodeBuilder::requireReadable(ArrayRef<Scalar> indexed,
                                           ArrayRef<Scalar> dims) {
  using arith::CmpIPredicate;
  Scalar zero = scalars.index(0);
  Scalar nothing = Attribute(builder().getBoolAttr(false));
  for (Scalar size : dims)
    nothing = scalars.logicalOr(nothing,
                                scalars.compare(CmpIPredicate::eq, size, zero));
  for (Scalar size : indexed) {
    auto known = constantInt(size);
    // Where it is a size of the result too, nothing is read if it is zero.
    if ((known && *known > 0) || (!known && llvm::any_of(dims, [&](Scalar dim) {
          return scalars.same(dim, size);
        })))
      continue;
    Scalar some = scalars.compare(CmpIPredicate::sgt, size, zero);
    if (failed(require(scalars.logicalOr(some, nothing),
                       "reads elements of a tensor that has none")))
      return failure();
  }
  return success();
}

SmallVector<Value> NodeBuilder::dynamic(ArrayRef<Scalar> dims) {
  SmallVector<Value> values;
  for (Scalar dim : dims)
    if (!constantInt(dim))
      values.push_back(scalars.value(dim));
  return values;
}

} // namespace ampc::onnx_import
