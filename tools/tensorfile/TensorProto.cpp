//===- TensorProto.cpp - ONNX's serialized tensors ------------------------===//
//
// Where elements are stored, by type: onnx.proto, message TensorProto.
//
//===----------------------------------------------------------------------===//

#include "TensorFile.h"

#include <cstring>
#include <onnx/onnx_pb.h>

using namespace ampc;

namespace {

/// Bits of an element in raw_data; 0 for whole bytes.
int packedBits(int32_t dtype) {
  switch (dtype) {
  case AMPC_UINT4:
  case AMPC_INT4:
  case AMPC_FLOAT4E2M1:
    return 4;
  case AMPC_UINT2:
  case AMPC_INT2:
    return 2;
  case AMPC_FLOAT6E2M3:
  case AMPC_FLOAT6E3M2:
    return 6;
  default:
    return 0;
  }
}

/// Element i of a stream of `bits`-wide elements, least significant bit first.
unsigned unpack(const unsigned char *bytes, int64_t i, int bits) {
  int64_t at = i * bits / 8;
  int shift = int(i * bits % 8);
  unsigned word = bytes[at];
  if (shift + bits > 8)
    word |= unsigned(bytes[at + 1]) << 8;
  return word >> shift & ((1u << bits) - 1);
}

char signExtended(unsigned value, int bits, int32_t dtype) {
  if ((dtype == AMPC_INT4 || dtype == AMPC_INT2) && value >> (bits - 1))
    value |= ~0u << bits;
  return char(value);
}

/// Copies repeated field `from` as elements of type T.
template <typename T, typename Field>
bool copyField(const Field &from, int64_t count, HostTensor &to) {
  if (from.size() != count)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    T value = static_cast<T>(from[int(i)]);
    std::memcpy(to.data() + i * int64_t(sizeof(T)), &value, sizeof(T));
  }
  return true;
}

bool copyPacked(const onnx::TensorProto &proto, int bits, HostTensor &to) {
  int64_t count = to.numElements();
  // Each entry of int32_data is a byte of the packed stream, but one 6-bit
  // element.
  int streamBits = bits == 6 && !proto.has_raw_data() ? 8 : bits;
  std::string bytes;
  if (proto.has_raw_data())
    bytes = proto.raw_data();
  else
    for (int32_t entry : proto.int32_data())
      bytes += char(entry);
  if (int64_t(bytes.size()) != (count * streamBits + 7) / 8)
    return false;
  auto *stream = reinterpret_cast<const unsigned char *>(bytes.data());
  for (int64_t i = 0; i < count; ++i)
    to.data()[i] =
        signExtended(unpack(stream, i, streamBits), bits, to.dtype());
  return true;
}

bool copyElements(const onnx::TensorProto &proto, HostTensor &to) {
  if (int bits = packedBits(to.dtype()))
    return copyPacked(proto, bits, to);
  int64_t count = to.numElements();
  if (proto.has_raw_data()) {
    if (int64_t(proto.raw_data().size()) != to.numBytes())
      return false;
    if (to.numBytes())
      std::memcpy(to.data(), proto.raw_data().data(), size_t(to.numBytes()));
    return true;
  }
  switch (to.dtype()) {
  case AMPC_FLOAT:
    return copyField<float>(proto.float_data(), count, to);
  case AMPC_COMPLEX64:
    return copyField<float>(proto.float_data(), 2 * count, to);
  case AMPC_DOUBLE:
    return copyField<double>(proto.double_data(), count, to);
  case AMPC_COMPLEX128:
    return copyField<double>(proto.double_data(), 2 * count, to);
  case AMPC_INT64:
    return copyField<int64_t>(proto.int64_data(), count, to);
  case AMPC_UINT64:
    return copyField<uint64_t>(proto.uint64_data(), count, to);
  case AMPC_UINT32:
    return copyField<uint32_t>(proto.uint64_data(), count, to);
  case AMPC_INT32:
    return copyField<int32_t>(proto.int32_data(), count, to);
  default:
    // Bit patterns in the low bits.
    return dtypeInfo(to.dtype())->size == 2
               ? copyField<uint16_t>(proto.int32_data(), count, to)
               : copyField<uint8_t>(proto.int32_data(), count, to);
  }
}

} // namespace

std::optional<NamedTensor> ampc::readTensorProto(const std::string &path,
                                                 std::string &error) {
  auto fail = [&](const std::string &reason) {
    error = path + ": " + reason;
    return std::nullopt;
  };
  std::optional<std::string> content = readFile(path, error);
  if (!content)
    return std::nullopt;
  onnx::TensorProto proto;
  if (!proto.ParseFromString(*content) || !proto.has_data_type())
    return fail("not a serialized TensorProto");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    return fail("its data is in another file, which is not supported here");
  if (proto.has_segment())
    return fail("is a segment of a tensor, which is not supported");
  int32_t dtype = proto.data_type();
  if (dtype == AMPC_STRING)
    return fail("is a tensor of strings, which no compiled model takes");
  if (!dtypeInfo(dtype))
    return fail("has unknown data_type " + std::to_string(dtype));
  std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  std::optional<int64_t> bytes = byteSize(dtype, dims);
  if (!bytes)
    return fail("its shape " + toString(dims) + " is negative or too large");
  auto failShort = [&] {
    return fail("does not hold as many elements as its shape " +
                toString(dims) + " says");
  };
  // A byte of the file holds four elements at most: what is short takes no
  // memory.
  if (*bytes / dtypeInfo(dtype)->size / 4 > int64_t(content->size()))
    return failShort();
  HostTensor tensor(dtype, dims);
  if (!copyElements(proto, tensor))
    return failShort();
  return NamedTensor{proto.name(), std::move(tensor)};
}
