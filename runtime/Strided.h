//===- Strided.h - Copying strided tensors -----------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_STRIDED_H
#define AMPC_RUNTIME_STRIDED_H

#include <stdint.h>

namespace ampc::rt {

/// Whether elements lie in row-major order without gaps. `strides` are in
/// elements; null means that they do. Strides of dimensions of size 1, and of
/// tensors without elements, have no meaning and are not looked at.
bool isContiguous(int32_t rank, const int64_t *dims, const int64_t *strides);

/// The bytes before (`low` <= 0) and after (`high` > 0) the first element's
/// address that a tensor with at least one element covers. False on overflow.
bool stridedExtent(int32_t rank, const int64_t *dims, const int64_t *strides,
                   int64_t elementSize, int64_t &low, int64_t &high);

/// Copies a strided tensor to contiguous memory. `rank` is at least 1, there
/// is at least one element, and elements are 1, 2, 4, 8 or 16 bytes.
void copyFromStrided(char *to, const char *from, int32_t rank,
                     const int64_t *dims, const int64_t *strides,
                     int64_t elementSize);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_STRIDED_H
