//===- Arena.h - Buffers that share memory -----------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_ARENA_H
#define AMPC_RUNTIME_ARENA_H

#include "Message.h"

#include <stdint.h>

namespace ampc::rt {

/// Places `n` buffers of `sizes` bytes, live in [first[i], last[i]] (both
/// included), so that two that are live at a time do not overlap. Offsets are
/// multiples of 64. The largest go first, each into the smallest gap that
/// holds it, which keeps the total within a few per cent of the largest sum of
/// live buffers on real models. Writes `total`, a multiple of 64.
/// Takes n^2 steps at most.
ampc_status planArena(int64_t n, const int64_t *sizes, const int32_t *first,
                      const int32_t *last, int64_t *offsets, int64_t *total,
                      Message &message);

/// The memory of one ampc_rt_arena call. All zeros is an empty one.
struct Arena {
  /// Lays the buffers out, unless the sizes are those of the last time, writes
  /// their offsets and returns the base; null on failure.
  void *layOut(int64_t n, const int64_t *sizes, const int32_t *first,
               const int32_t *last, int64_t *offsets, Message &message);
  void release();

  void *base;
  int64_t capacity;
  int64_t n;
  int64_t *plan; ///< n sizes, then n offsets; null: none that is valid.
};

} // namespace ampc::rt

#endif // AMPC_RUNTIME_ARENA_H
