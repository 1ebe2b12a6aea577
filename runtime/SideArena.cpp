//===- SideArena.cpp - Buffers of sizes not known at entry ----------------===//

#include "SideArena.h"
#include "Memory.h"

using namespace ampc::rt;

/// Followed by `size` bytes.
struct alignas(64) SideArena::Chunk {
  Chunk *older;
  int64_t size;
};

void *SideArena::allocate(int64_t size) {
  constexpr int64_t smallest = 64 << 10;
  int64_t rounded;
  if (!alignSize(size, rounded))
    return nullptr;
  if (!newest || newest->size - used < rounded) {
    int64_t chunkSize = rounded > wanted ? rounded : wanted;
    if (chunkSize < smallest)
      chunkSize = smallest;
    int64_t total;
    if (__builtin_add_overflow(chunkSize, int64_t(sizeof(Chunk)), &total))
      return nullptr;
    Chunk *chunk = static_cast<Chunk *>(allocateAligned(total));
    if (!chunk)
      return nullptr;
    chunk->older = newest;
    chunk->size = chunkSize;
    newest = chunk;
    used = 0;
  }
  char *buffer = reinterpret_cast<char *>(newest + 1) + used;
  used += rounded;
  return buffer;
}

void SideArena::reset() {
  used = 0;
  if (!newest || !newest->older)
    return;
  int64_t sum = 0;
  for (Chunk *chunk = newest; chunk; chunk = chunk->older)
    if (__builtin_add_overflow(sum, chunk->size, &sum))
      sum = 0;
  release();
  wanted = sum;
}

void SideArena::release() {
  while (newest) {
    Chunk *older = newest->older;
    free(newest);
    newest = older;
  }
  used = wanted = 0;
}
