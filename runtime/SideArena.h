//===- SideArena.h - Buffers of sizes not known at entry ---------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_SIDEARENA_H
#define AMPC_RUNTIME_SIDEARENA_H

#include <stdint.h>

namespace ampc::rt {

/// Hands out buffers that all die together at `reset`. The memory is kept:
/// after a run that needed several chunks there is one that holds them all, so
/// later runs of the same shapes allocate nothing. All zeros is an empty one.
class SideArena {
public:
  /// `size` bytes, 64-byte aligned, not null even for 0 bytes. Null if the
  /// size is negative or there is no memory. Never moves earlier buffers.
  void *allocate(int64_t size);

  /// Ends the life of all buffers.
  void reset();

  /// As reset, and gives the memory back.
  void release();

private:
  struct Chunk;
  Chunk *newest;
  int64_t used;   ///< Bytes used in the newest chunk.
  int64_t wanted; ///< Size of the next chunk if nothing asks for more.
};

} // namespace ampc::rt

#endif // AMPC_RUNTIME_SIDEARENA_H
