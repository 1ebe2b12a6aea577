//===- Strided.cpp - Copying strided tensors ------------------------------===//

#include "Strided.h"

#include <string.h>

using namespace ampc::rt;

bool ampc::rt::isContiguous(int32_t rank, const int64_t *dims,
                            const int64_t *strides) {
  if (!strides)
    return true;
  for (int32_t i = 0; i < rank; ++i)
    if (dims[i] == 0)
      return true;
  int64_t expected = 1;
  for (int32_t i = rank; i-- > 0;) {
    if (dims[i] != 1 && strides[i] != expected)
      return false;
    expected *= dims[i];
  }
  return true;
}

bool ampc::rt::stridedExtent(int32_t rank, const int64_t *dims,
                             const int64_t *strides, int64_t elementSize,
                             int64_t &low, int64_t &high) {
  low = 0;
  high = elementSize;
  int64_t contiguous = 1;
  for (int32_t i = rank; i-- > 0;) {
    int64_t step, span;
    if (__builtin_mul_overflow(strides ? strides[i] : contiguous, elementSize,
                               &step) ||
        __builtin_mul_overflow(step, dims[i] - 1, &span)) {
      // The stride of a dimension of size 1 may be anything.
      if (dims[i] != 1)
        return false;
      span = 0;
    }
    int64_t &end = span < 0 ? low : high;
    if (__builtin_add_overflow(end, span, &end))
      return false;
    contiguous *= dims[i];
  }
  return true;
}

namespace {

template <int64_t size>
void copyRow(char *to, const char *from, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + i * size, from + i * step, size);
}

void copyRow(char *to, const char *from, int64_t count, int64_t step,
             int64_t size) {
  if (step == size) {
    memcpy(to, from, size_t(count * size));
    return;
  }
  switch (size) {
  case 1:
    return copyRow<1>(to, from, count, step);
  case 2:
    return copyRow<2>(to, from, count, step);
  case 4:
    return copyRow<4>(to, from, count, step);
  case 8:
    return copyRow<8>(to, from, count, step);
  default:
    return copyRow<16>(to, from, count, step);
  }
}

} // namespace

void ampc::rt::copyFromStrided(char *to, const char *from, int32_t rank,
                               const int64_t *dims, const int64_t *strides,
                               int64_t elementSize) {
  int64_t count = dims[0];
  int64_t step = count > 1 ? strides[0] * elementSize : elementSize;
  if (rank == 1) {
    copyRow(to, from, count, step, elementSize);
    return;
  }
  int64_t block = elementSize;
  for (int32_t i = 1; i < rank; ++i)
    block *= dims[i];
  for (int64_t i = 0; i < count; ++i)
    copyFromStrided(to + i * block, from + i * step, rank - 1, dims + 1,
                    strides + 1, elementSize);
}
