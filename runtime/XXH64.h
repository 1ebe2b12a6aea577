//===- XXH64.h - The hash of external weights --------------------*- C++
//-*-===//
//
// XXH64 with seed 0, as specified in xxHash's doc/xxhash_spec.md. The compiler
// uses llvm::xxHash64; here it must not need a library.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_RUNTIME_XXH64_H
#define AMPC_RUNTIME_XXH64_H

#include <stddef.h>
#include <stdint.h>

namespace ampc::rt {

uint64_t xxh64(const void *data, size_t size);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_XXH64_H
