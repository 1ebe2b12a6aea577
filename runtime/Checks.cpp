//===- Checks.cpp - Are the caller's tensors what the model takes? --------===//

#include "Checks.h"
#include "DType.h"
#include "Strided.h"

#include <string.h>

using namespace ampc::rt;

namespace {

/// Multiplies up the elements; false if a size is negative or overflows.
bool countBytes(const DLTensor &tensor, int64_t elementSize, int64_t &bytes) {
  bytes = elementSize;
  bool empty = false;
  for (int i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, tensor.shape[i], &bytes))
      return false;
  }
  if (empty)
    bytes = 0;
  return true;
}

bool findExtent(const DLTensor &tensor, int64_t elementSize, uintptr_t address,
                Extent &extent) {
  int64_t low, high;
  return stridedExtent(tensor.ndim, tensor.shape, tensor.strides, elementSize,
                       low, high) &&
         !__builtin_sub_overflow(address, uintptr_t(0) - uintptr_t(low),
                                 &extent.low) &&
         !__builtin_add_overflow(address, uintptr_t(high), &extent.high);
}

} // namespace

ampc_status ampc::rt::checkTensor(const char *kind, uint32_t index,
                                  const ampc_tensor_desc &desc,
                                  const DLTensor *tensor,
                                  CheckedTensor &checked, Message &message) {
  const ampc_dtype_info &dtype = *dtypeInfo(desc.dtype);
  if (!tensor)
    return message.fail(AMPC_INVALID_ARGUMENT,
                        "%s %u \"%s\": the tensor is null", kind, index,
                        desc.name);
  if (tensor->device.device_type != kDLCPU)
    return message.fail(
        AMPC_WRONG_DEVICE, "%s %u \"%s\": device type is %d, expected %d (CPU)",
        kind, index, desc.name, int(tensor->device.device_type), int(kDLCPU));
  if (!acceptsDLType(desc.dtype, tensor->dtype)) {
    char given[64], expected[64];
    describeDLType(tensor->dtype, given, sizeof(given));
    describeDLType(dtype.dl, expected, sizeof(expected));
    bool same = !strcmp(dtype.name, expected);
    return message.fail(AMPC_WRONG_DTYPE,
                        "%s %u \"%s\": dtype is %s, expected %s%s%s%s", kind,
                        index, desc.name, given, expected, same ? "" : " (",
                        same ? "" : dtype.name, same ? "" : ")");
  }
  if (tensor->ndim != desc.rank)
    return message.fail(AMPC_WRONG_RANK,
                        "%s %u \"%s\": rank is %d, expected %d", kind, index,
                        desc.name, tensor->ndim, desc.rank);
  if (desc.rank && !tensor->shape)
    return message.fail(AMPC_INVALID_ARGUMENT, "%s %u \"%s\": shape is null",
                        kind, index, desc.name);

  bool isInput = kind[0] == 'i';
  for (int32_t i = 0; i < desc.rank; ++i) {
    long long size = tensor->shape[i];
    if (size < 0)
      return message.fail(AMPC_WRONG_SHAPE,
                          "%s %u \"%s\": dimension %d is negative: %lld", kind,
                          index, desc.name, i, size);
    if (isInput && desc.dims[i] >= 0 && size != desc.dims[i])
      return message.fail(
          AMPC_WRONG_SHAPE, "%s %u \"%s\": dimension %d is %lld, expected %lld",
          kind, index, desc.name, i, size, (long long)desc.dims[i]);
  }
  int64_t bytes;
  if (!countBytes(*tensor, dtype.size, bytes))
    return message.fail(AMPC_WRONG_SHAPE,
                        "%s %u \"%s\": its size in bytes exceeds 2^63", kind,
                        index, desc.name);

  checked.extent = {0, 0};
  checked.contiguous = true;
  checked.empty = bytes == 0;
  checked.data = static_cast<char *>(tensor->data);
  if (checked.empty)
    return AMPC_OK;
  if (!tensor->data)
    return message.fail(AMPC_INVALID_ARGUMENT, "%s %u \"%s\": data is null",
                        kind, index, desc.name);
  uintptr_t address = reinterpret_cast<uintptr_t>(tensor->data);
  if (__builtin_add_overflow(address, tensor->byte_offset, &address) ||
      !findExtent(*tensor, dtype.size, address, checked.extent))
    return message.fail(AMPC_WRONG_SHAPE,
                        "%s %u \"%s\": strides or byte_offset lead out of the "
                        "address space",
                        kind, index, desc.name);
  if (address % uintptr_t(dtype.alignment))
    return message.fail(AMPC_WRONG_LAYOUT,
                        "%s %u \"%s\": address %p is not a multiple of %d, the "
                        "alignment of %s",
                        kind, index, desc.name,
                        reinterpret_cast<void *>(address), dtype.alignment,
                        dtype.name);
  checked.data += tensor->byte_offset;
  checked.contiguous =
      isContiguous(tensor->ndim, tensor->shape, tensor->strides);
  return AMPC_OK;
}

ampc_status ampc::rt::checkOutput(uint32_t index, const ampc_tensor_desc &desc,
                                  const DLTensor *tensor,
                                  CheckedTensor &checked, Message &message) {
  if (ampc_status status =
          checkTensor("output", index, desc, tensor, checked, message))
    return status;
  if (!checked.contiguous)
    return message.fail(AMPC_WRONG_LAYOUT,
                        "output %u \"%s\": the given tensor is strided, "
                        "expected a contiguous one",
                        index, desc.name);
  return AMPC_OK;
}
