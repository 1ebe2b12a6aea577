//===- Memory.h - Aligned memory and sizes that fit --------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_MEMORY_H
#define AMPC_RUNTIME_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

namespace ampc::rt {

/// Alignment of every buffer: a cache line, and the widest vector.
constexpr int64_t bufferAlignment = 64;

/// What generated code may read from the start of a buffer, however small it is
/// (vectors of lanes that are then discarded).
constexpr int64_t readableBytes = 256;

/// Sets `result` to `size` rounded up to the alignment; false (and 0) if
/// negative or too large.
inline bool alignSize(int64_t size, int64_t &result) {
  result = 0;
  if (size < 0 || size > INT64_MAX - (bufferAlignment - 1))
    return false;
  result = (size + bufferAlignment - 1) & ~(bufferAlignment - 1);
  return true;
}

/// `size` bytes, aligned, for free(), followed by enough for buffers at their
/// end to be readable. Null if there is no such memory.
inline void *allocateAligned(int64_t size) {
  int64_t rounded;
  if (!alignSize(size, rounded) || rounded > INT64_MAX - readableBytes)
    return nullptr;
  return aligned_alloc(bufferAlignment, size_t(rounded + readableBytes));
}

/// `count` zeroed objects, for free(); never null for want of elements only.
template <typename T> T *allocateZeroed(size_t count) {
  return static_cast<T *>(calloc(count ? count : 1, sizeof(T)));
}

} // namespace ampc::rt

#endif // AMPC_RUNTIME_MEMORY_H
