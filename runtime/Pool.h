//===- Pool.h - One thread pool a process ------------------------*- C++
//-*-===//
//
// Every model library carries this pool, but a process uses one: the object
// below is a GNU-unique symbol, which the dynamic linker binds to the first
// definition it meets, also across RTLD_LOCAL libraries. It never unloads the
// library with that definition, so code and threads of the pool stay valid.
//
// FROZEN: libraries of different ampc versions meet here. The members of
// ampc_pool up to `state` keep place and meaning for ever; a new need takes a
// new symbol, ampc_pool_v2. What `state` points to is private to the library
// that defines the pool in use, whose functions are the only ones to look.
//
// Only GCC (and no clang) emits the unique binding; a library without it, or
// linked with -Bsymbolic, gets a pool of its own and is otherwise right. The
// same holds for models linked statically into a program that does not export
// its symbols.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_RUNTIME_POOL_H
#define AMPC_RUNTIME_POOL_H

#include <stddef.h>
#include <stdint.h>

extern "C" {

struct ampc_pool {
  uint32_t version; ///< 1.
  uint32_t size;    ///< sizeof(ampc_pool).

  /// Calls fn(args, lo, hi) for ranges that partition [0, n), on at most
  /// `threads` threads, the caller's included. Ranges begin at multiples of
  /// `grain` and hold at least `grain` (unless n is smaller). Returns when all
  /// is done. While another thread has the pool, the caller does all the work
  /// itself: never a deadlock, never more threads than callers and workers.
  /// Workers take over the caller's floating-point control (rounding, flush to
  /// zero), so that results do not depend on who computes.
  void (*parallel)(struct ampc_pool *, void (*fn)(void *, int64_t, int64_t),
                   void *args, int64_t n, int64_t grain, int32_t threads);

  /// Threads started so far, for tests and diagnostics.
  int32_t (*workers)(struct ampc_pool *);

  void *state;
};

} // extern "C"

static_assert(sizeof(void *) != 8 ||
                  (offsetof(ampc_pool, parallel) == 8 &&
                   offsetof(ampc_pool, workers) == 16 &&
                   offsetof(ampc_pool, state) == 24 && sizeof(ampc_pool) == 32),
              "the layout of ampc_pool_v1 is frozen");

namespace ampc::rt {

/// Most threads a run may use.
constexpr int32_t maxThreads = 256;

/// CPUs that the calling thread may use, at most maxThreads.
int32_t availableCpus();

/// The pool of this process.
ampc_pool *processPool();

} // namespace ampc::rt

#endif // AMPC_RUNTIME_POOL_H
