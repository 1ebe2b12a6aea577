//===- Profile.cpp - How long kernels take --------------------------------===//
//
// A service of its own, and data that the compiler writes (ampc_profile):
// models compiled without --profile hold nothing of either.
//
//===----------------------------------------------------------------------===//

#include "abi.h"
#include "ampc.h"

#include <time.h>

/// Does not enter the operating system: tens of nanoseconds.
static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}

void ampc_rt_profiled_parallel(ampc_exec *exec,
                               void (*fn)(void *, int64_t, int64_t), void *args,
                               int64_t n, int64_t grain,
                               ampc_launch_times *times) {
  uint64_t start = now();
  ampc_rt_parallel(exec, fn, args, n, grain);
  uint64_t taken = now() - start;
  // Other contexts may run the same launch now.
  __atomic_fetch_add(&times->calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&times->total_ns, taken, __ATOMIC_RELAXED);
}
