//===- Profile.cpp - How long kernels take --------------------------------===//
//
// A service of its own, so that models compiled without --profile leave it out.
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "Context.h"
#include "Pool.h"

#include <time.h>

using namespace ampc::rt;

/// Does not enter the kernel: tens of nanoseconds.
static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}

void ampc_rt_profiled_parallel(ampc_exec *exec,
                               void (*fn)(void *, int64_t, int64_t), void *args,
                               int64_t n, int64_t grain, int32_t index) {
  ampc_context &context = contextOf(exec);
  ampc_pool *pool = processPool();
  uint64_t start = now();
  pool->parallel(pool, fn, args, n, grain, context.threads);
  context.times[index].add(now() - start);
}
