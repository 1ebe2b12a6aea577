//===- Initializers.cpp - TensorProto to constant elements ----------------===//

#include "compiler/import/onnx/Initializers.h"

#include "compiler/import/onnx/Weights.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

/// Bytes an element takes in memory; booleans take one.
static uint64_t elementBytes(Type type) {
  return std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

/// A blob that owns a string.
static AsmResourceBlob ownString(std::string *bytes) {
  ArrayRef<char> data(bytes->data(), bytes->size());
  size_t align = 64;
  if (auto address = reinterpret_cast<uintptr_t>(data.data()))
    align = std::min<uintptr_t>(align, address & -address);
  return AsmResourceBlob(
      data, align, [bytes](void *, size_t, size_t) { delete bytes; },
      /*dataIsMutable=*/false);
}

/// Copies elements of a typed field, each cut to the low bytes of `T`.
template <typename T, typename Field>
static void store(const Field &field, std::string &bytes) {
  bytes.resize(field.size() * sizeof(T));
  char *to = bytes.data();
  for (auto element : field) {
    T value = static_cast<T>(element);
    std::memcpy(to, &value, sizeof(T));
    to += sizeof(T);
  }
}

/// The typed fields of onnx.proto: 16-bit floats are bits in int32_data.
static std::string storeTyped(const onnx::TensorProto &tensor) {
  std::string bytes;
  switch (static_cast<DType>(tensor.data_type())) {
  case DType::Float:
    store<float>(tensor.float_data(), bytes);
    break;
  case DType::Double:
    store<double>(tensor.double_data(), bytes);
    break;
  case DType::Int64:
    store<int64_t>(tensor.int64_data(), bytes);
    break;
  case DType::UInt64:
    store<uint64_t>(tensor.uint64_data(), bytes);
    break;
  case DType::UInt32:
    store<uint32_t>(tensor.uint64_data(), bytes);
    break;
  case DType::Int32:
    store<int32_t>(tensor.int32_data(), bytes);
    break;
  case DType::Int16:
  case DType::UInt16:
  case DType::Float16:
  case DType::BFloat16:
    store<uint16_t>(tensor.int32_data(), bytes);
    break;
  default:
    store<uint8_t>(tensor.int32_data(), bytes);
    break;
  }
  return bytes;
}

ValueRef importTensor(onnx::TensorProto &tensor, StringRef name,
                      ExternalData &external, MLIRContext *context,
                      std::string &error) {
  auto dtype = static_cast<DType>(tensor.data_type());
  Type element = elementType(context, dtype);
  if (!element) {
    error = "has type " + dtypeName(dtype) + ", which is not supported";
    return nullptr;
  }
  if (tensor.has_raw_data() &&
      tensor.float_data_size() + tensor.double_data_size() +
          tensor.int32_data_size() + tensor.int64_data_size() +
          tensor.uint64_data_size()) {
    error = "has data twice: raw_data and a typed field";
    return nullptr;
  }
  if (tensor.has_segment()) {
    error = "is a segment of a tensor, which is not supported";
    return nullptr;
  }
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  if (llvm::any_of(shape, ShapedType::isDynamic) ||
      !isAddressable(shape, element)) {
    error = "has an impossible shape: [" +
            llvm::join(
                llvm::map_range(
                    shape, [](int64_t size) { return std::to_string(size); }),
                ", ") +
            "]";
    return nullptr;
  }
  uint64_t size = elementBytes(element);
  for (int64_t dim : shape)
    size *= dim;

  std::optional<AsmResourceBlob> blob;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    blob = external.read(tensor, size, error);
    if (!blob)
      return nullptr;
  } else {
    blob =
        ownString(tensor.has_raw_data() ? tensor.release_raw_data()
                                        : new std::string(storeTyped(tensor)));
  }
  if (blob->getData().size() != size) {
    error = "has " + std::to_string(blob->getData().size()) +
            " bytes of data where its type needs " + std::to_string(size);
    return nullptr;
  }

  auto value = std::make_shared<NamedValue>();
  value->name = name.str();
  value->dtype = dtype;
  Builder builder(context);
  for (int64_t dim : shape)
    value->dims.push_back(builder.getIndexAttr(dim));
  value->constant = Weights::constant(RankedTensorType::get(shape, element),
                                      std::move(*blob), name);
  return value;
}

} // namespace ampc::onnx_import
