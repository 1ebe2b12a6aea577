//===- HostTensor.h - A tensor in memory that knows its type -----*- C++
//-*-===//

#ifndef AMPC_TOOLS_TENSORFILE_HOSTTENSOR_H
#define AMPC_TOOLS_TENSORFILE_HOSTTENSOR_H

#include "runtime/ampc.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ampc {

/// Contiguous, row-major, native byte order; elements as they cross ampc.h.
/// Movable, not copyable.
class HostTensor {
public:
  /// Uninitialized elements. `dtype` is an ampc_dtype other than string. The
  /// size must not overflow, see `byteSize`. Throws std::bad_alloc.
  HostTensor(int32_t dtype, std::vector<int64_t> dims);

  int32_t dtype() const { return type; }
  const std::vector<int64_t> &dims() const { return shape; }
  char *data() { return memory.get(); }
  const char *data() const { return memory.get(); }
  int64_t numElements() const { return count; }
  int64_t numBytes() const;

  /// For ampc_api_v1.run; valid while this object is not moved or destroyed.
  DLTensor dlTensor();

  /// Takes the elements as `wanted` where a file cannot say so: npy has no
  /// bfloat16 (stored as uint16), no 8-bit float and nothing under 8 bits (as
  /// uint8 or int8). False if the stored type does not stand for `wanted`.
  bool reinterpret(int32_t wanted);

private:
  int32_t type;
  std::vector<int64_t> shape;
  int64_t count;
  struct Free {
    void operator()(char *p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> memory;
};

/// Name and size of a dtype; null for strings and unknown numbers.
const ampc_dtype_info *dtypeInfo(int32_t dtype);

/// Bytes of a tensor; nothing if a size is negative or the product too large.
std::optional<int64_t> byteSize(int32_t dtype,
                                const std::vector<int64_t> &dims);

/// "[2, 3]"
std::string toString(const std::vector<int64_t> &dims);

} // namespace ampc

#endif // AMPC_TOOLS_TENSORFILE_HOSTTENSOR_H
