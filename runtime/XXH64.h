//===- XXH64.h - The hash of external weights -------------------*- C++ -*-===//
//
// XXH64 with seed 0, as specified in xxHash's doc/xxhash_spec.md, piece by
// piece: the compiler hashes what it writes. Needs no library.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_RUNTIME_XXH64_H
#define AMPC_RUNTIME_XXH64_H

#include <stddef.h>
#include <stdint.h>

namespace ampc::rt {

class XXH64 {
public:
  XXH64();

  /// Appends bytes to what is hashed.
  void add(const void *data, size_t size);

  /// The hash of all that was added so far.
  uint64_t digest() const;

private:
  void addStripe(const unsigned char *stripe);

  uint64_t lanes[4], total = 0;
  /// The last total % 32 bytes.
  unsigned char rest[32];
};

uint64_t xxh64(const void *data, size_t size);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_XXH64_H
