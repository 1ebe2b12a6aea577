//===- HostTensor.cpp - A tensor in memory that knows its type ------------===//

#include "HostTensor.h"

#include "runtime/DType.h"

#include <new>

using namespace ampc;

const ampc_dtype_info *ampc::dtypeInfo(int32_t dtype) {
  return rt::dtypeInfo(dtype);
}

std::optional<int64_t> ampc::byteSize(int32_t dtype,
                                      const std::vector<int64_t> &dims) {
  int64_t bytes = dtypeInfo(dtype)->size;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, dim, &bytes))
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

std::string ampc::toString(const std::vector<int64_t> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

HostTensor::HostTensor(int32_t dtype, std::vector<int64_t> dims)
    : type(dtype), shape(std::move(dims)) {
  // Not by multiplying sizes: one of them may be 0 and the others huge.
  count = *byteSize(dtype, shape) / dtypeInfo(dtype)->size;
  // Aligned as the runtime's own buffers, so that timings compare.
  size_t bytes = (size_t(numBytes()) + 64) / 64 * 64;
  memory.reset(static_cast<char *>(std::aligned_alloc(64, bytes)));
  if (!memory)
    throw std::bad_alloc();
}

int64_t HostTensor::numBytes() const { return count * dtypeInfo(type)->size; }

DLTensor HostTensor::dlTensor() {
  DLTensor tensor = {};
  tensor.data = data();
  tensor.device.device_type = kDLCPU;
  tensor.ndim = int(shape.size());
  tensor.dtype = dtypeInfo(type)->dl;
  tensor.shape = shape.data();
  return tensor;
}

bool HostTensor::reinterpret(int32_t wanted) {
  if (type == wanted)
    return true;
  const ampc_dtype_info *info = dtypeInfo(wanted);
  if (!info)
    return false;
  bool fits = false;
  switch (wanted) {
  case AMPC_BFLOAT16:
    fits = type == AMPC_UINT16;
    break;
  case AMPC_INT4:
  case AMPC_INT2:
    fits = type == AMPC_UINT8 || type == AMPC_INT8;
    break;
  case AMPC_BOOL:
    fits = type == AMPC_UINT8;
    break;
  default:
    // What crosses as uint8 only because DLPack has no name for it.
    fits = type == AMPC_UINT8 && info->size == 1 && info->dl.code == kDLUInt;
  }
  if (!fits)
    return false;
  type = wanted;
  // Some leave the high bits of negative numbers zero.
  if (int unused = wanted == AMPC_INT4 ? 4 : wanted == AMPC_INT2 ? 6 : 0)
    for (int64_t i = 0; i < count; ++i)
      memory.get()[i] =
          char(int8_t(uint8_t(memory.get()[i]) << unused) >> unused);
  return true;
}
