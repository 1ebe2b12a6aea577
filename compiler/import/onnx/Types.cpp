//===- Types.cpp - Values as libonnx's inference sees them ----------------===//

#include "compiler/import/onnx/Types.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

/// What is common to the types of a sequence's elements.
static onnx::TypeProto elementProto(const NamedValue &value) {
  if (value.elements.empty()) {
    onnx::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(
        static_cast<int32_t>(value.dtype));
    return type;
  }
  onnx::TypeProto type = typeProto(*value.elements.front());
  if (!type.has_tensor_type())
    return type;
  auto &tensor = *type.mutable_tensor_type();
  for (const ValueRef &element : ArrayRef(value.elements).drop_front()) {
    if (element->rank() != tensor.shape().dim_size()) {
      tensor.clear_shape();
      break;
    }
    for (auto [i, size] : llvm::enumerate(element->dims))
      if (auto &dim = *tensor.mutable_shape()->mutable_dim(i);
          constantInt(size) != dim.dim_value())
        dim.clear_dim_value();
  }
  return type;
}

onnx::TypeProto typeProto(const NamedValue &value) {
  onnx::TypeProto type;
  if (value.kind == NamedValue::Kind::Sequence) {
    *type.mutable_sequence_type()->mutable_elem_type() = elementProto(value);
    return type;
  }
  if (value.kind == NamedValue::Kind::Optional) {
    *type.mutable_optional_type()->mutable_elem_type() = elementProto(value);
    return type;
  }
  auto *tensor = type.mutable_tensor_type();
  tensor->set_elem_type(static_cast<int32_t>(value.dtype));
  auto *shape = tensor->mutable_shape();
  for (Scalar dim : value.dims) {
    auto *size = shape->add_dim();
    if (auto constant = constantInt(dim))
      size->set_dim_value(*constant);
  }
  return type;
}

std::unique_ptr<onnx::TensorProto> constantProto(const NamedValue &value) {
  if (!value.scalars || !isIndex(value.dtype))
    return nullptr;
  SmallVector<int64_t> elements;
  if (!constantInts(*value.scalars, elements))
    return nullptr;
  auto tensor = std::make_unique<onnx::TensorProto>();
  tensor->set_data_type(static_cast<int32_t>(value.dtype));
  if (value.rank())
    tensor->add_dims(elements.size());
  for (int64_t element : elements)
    if (value.dtype == DType::Int64)
      tensor->add_int64_data(element);
    else
      tensor->add_int32_data(static_cast<int32_t>(element));
  return tensor;
}

bool agrees(const NamedValue &value, const onnx::TypeProto &type,
            std::string &why) {
  if (!type.has_tensor_type())
    return true;
  const auto &tensor = type.tensor_type();
  auto element = static_cast<DType>(tensor.elem_type());
  if (element != DType::Undefined && element != value.dtype) {
    why = "element type " + dtypeName(value.dtype) + " against " +
          dtypeName(element);
    return false;
  }
  if (!tensor.has_shape())
    return true;
  if (tensor.shape().dim_size() != value.rank()) {
    why = "rank " + std::to_string(value.rank()) + " against " +
          std::to_string(tensor.shape().dim_size());
    return false;
  }
  for (int64_t i = 0; i < value.rank(); ++i) {
    auto size = constantInt(value.dims[i]);
    const auto &dim = tensor.shape().dim(i);
    if (size && dim.has_dim_value() && *size != dim.dim_value()) {
      why = "size " + std::to_string(*size) + " against " +
            std::to_string(dim.dim_value()) + " in dimension " +
            std::to_string(i);
      return false;
    }
  }
  return true;
}

} // namespace ampc::onnx_import
