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

/// Elements of fewer than 8 bits, one a byte: zero-extended, integers with a
/// sign sign-extended. They are stored packed, the first in the lowest bits;
/// int32_data holds the bytes of that, but one 6-bit element each.
static bool unpack(std::string &bytes, DType dtype, bool isRaw, uint64_t size) {
  unsigned bits = bitWidth(dtype);
  unsigned stored = bits == 6 && !isRaw ? 8 : bits;
  if (size > INT64_MAX / 8 || bytes.size() != (size * stored + 7) / 8)
    return false;
  bool isSigned = isInteger(dtype) && !isUnsigned(dtype);
  std::string elements(size, '\0');
  for (uint64_t i = 0; i < size; ++i) {
    uint64_t at = i * stored / 8, shift = i * stored % 8;
    unsigned word = static_cast<uint8_t>(bytes[at]);
    if (shift + stored > 8)
      word |= unsigned(static_cast<uint8_t>(bytes[at + 1])) << 8;
    unsigned value = word >> shift & ((1u << bits) - 1);
    if (isSigned && value >> (bits - 1))
      value |= ~0u << bits;
    elements[i] = static_cast<char>(value);
  }
  bytes = std::move(elements);
  return true;
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

  bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL,
       isRaw = isExternal || tensor.has_raw_data(),
       isPacked = bitWidth(dtype) < 8;
  std::optional<AsmResourceBlob> blob;
  if (isExternal) {
    uint64_t stored = isPacked ? size / 8 * bitWidth(dtype) +
                                     (size % 8 * bitWidth(dtype) + 7) / 8
                               : size;
    blob = external.read(tensor, stored, error);
    if (!blob)
      return nullptr;
  } else {
    blob =
        ownString(tensor.has_raw_data() ? tensor.release_raw_data()
                                        : new std::string(storeTyped(tensor)));
  }
  if (isPacked) {
    ArrayRef<char> data = blob->getData();
    auto bytes = std::make_unique<std::string>(data.begin(), data.end());
    if (!unpack(*bytes, dtype, isRaw, size)) {
      error = "has " + std::to_string(data.size()) +
              " bytes of data, which are not " + std::to_string(size) +
              " elements of " + dtypeName(dtype);
      return nullptr;
    }
    blob = ownString(bytes.release());
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
