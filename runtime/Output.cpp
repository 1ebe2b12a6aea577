//===- Output.cpp - One output of a context -------------------------------===//

#include "Output.h"
#include "DType.h"
#include "Memory.h"

#include <string.h>

using namespace ampc::rt;

/// Followed by rank sizes and rank strides, and, at the next multiple of 64
/// bytes, the elements.
struct Output::Block {
  DLManagedTensor managed; ///< First: its address is what free() gets.
  int64_t capacity;        ///< Bytes of the whole block.
  int64_t *dims() { return reinterpret_cast<int64_t *>(this + 1); }
};

namespace {

/// Sets rank sizes and rank row-major strides.
void setDims(int64_t *to, const int64_t *dims, int32_t rank) {
  int64_t stride = 1;
  for (int32_t i = rank; i-- > 0;) {
    to[i] = dims[i];
    to[rank + i] = stride;
    stride *= dims[i] ? dims[i] : 1;
  }
}

/// Bytes of a contiguous tensor, false if negative or too large. Zero-sized
/// dimensions do not hide an overflow of the others: strides must fit, too.
bool sizeInBytes(const int64_t *dims, int32_t rank, int64_t elementSize,
                 int64_t &bytes) {
  int64_t product = elementSize;
  bool empty = false;
  for (int32_t i = 0; i < rank; ++i) {
    if (dims[i] < 0)
      return false;
    if (dims[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, dims[i], &product))
      return false;
  }
  bytes = empty ? 0 : product;
  return true;
}

} // namespace

void Output::begin(const DLTensor *callers) {
  given = callers;
  provided = isCallers = taken = false;
  data = nullptr;
  staged = 0;
}

/// Makes `block` hold a header and `bytes` of elements.
bool Output::allocate(int64_t header, int64_t bytes) {
  int64_t total;
  if (__builtin_add_overflow(header, bytes, &total))
    return false;
  if (block && block->capacity >= total)
    return true;
  free(block);
  block = static_cast<Block *>(allocateAligned(total));
  if (block)
    block->capacity = total;
  return block;
}

void *Output::provide(const ampc_tensor_desc &desc, uint32_t index,
                      const int64_t *shape, Message &message) {
  if (provided) {
    message.fail(AMPC_INTERNAL, "output %u \"%s\" was produced twice", index,
                 desc.name);
    return nullptr;
  }
  int64_t bytes;
  if (!sizeInBytes(shape, desc.rank, dtypeInfo(desc.dtype)->size, bytes)) {
    message.fail(AMPC_WRONG_SHAPE, "output %u \"%s\" would be too large", index,
                 desc.name);
    return nullptr;
  }
  if (given)
    for (int32_t i = 0; i < desc.rank; ++i)
      if (given->shape[i] != shape[i]) {
        message.fail(AMPC_WRONG_SHAPE,
                     "output %u \"%s\": dimension %d of the given tensor is "
                     "%lld, expected %lld",
                     index, desc.name, i, (long long)given->shape[i],
                     (long long)shape[i]);
        return nullptr;
      }

  // A result in the caller's memory needs a block only for its dims and, if
  // generated code might read past it, for staging.
  isCallers = given;
  bool inPlace = given && bytes >= readableBytes;
  int64_t header;
  alignSize(int64_t(sizeof(Block)) + 2 * desc.rank * int64_t(sizeof(int64_t)),
            header);
  if (!allocate(header, inPlace ? 0 : bytes)) {
    message.fail(AMPC_OUT_OF_MEMORY,
                 "out of memory: %lld bytes for output %u \"%s\"",
                 (long long)bytes, index, desc.name);
    return nullptr;
  }
  data = inPlace ? static_cast<char *>(given->data) + given->byte_offset
                 : reinterpret_cast<char *>(block) + header;
  staged = given && !inPlace ? bytes : 0;
  setDims(block->dims(), shape, desc.rank);
  provided = true;
  return data;
}

void Output::finish() {
  if (!given)
    return;
  char *callers = static_cast<char *>(given->data);
  if (callers)
    callers += given->byte_offset;
  if (staged)
    memcpy(callers, data, size_t(staged));
  data = callers;
  given = nullptr; // Not ours to look at after the run.
}

void Output::describe(const ampc_tensor_desc &desc, DLTensor &tensor) const {
  tensor = DLTensor();
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = desc.rank;
  tensor.dtype = dtypeInfo(desc.dtype)->dl;
  tensor.shape = block->dims();
  tensor.strides = block->dims() + desc.rank;
}

DLManagedTensor *Output::take() {
  DLManagedTensor *managed = &block->managed;
  managed->manager_ctx = nullptr;
  managed->deleter = reinterpret_cast<void (*)(DLManagedTensor *)>(
      reinterpret_cast<void (*)()>(free));
  block = nullptr;
  taken = true;
  return managed;
}

void Output::release() {
  free(block);
  *this = Output();
}
