//===- Profile.h - How long kernels take -------------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_PROFILE_H
#define AMPC_RUNTIME_PROFILE_H

#include <stdint.h>

namespace ampc::rt {

/// Of one launch in one context; zeros before the first call.
struct LaunchTimes {
  uint64_t calls, total, minimum; ///< Nanoseconds.

  void add(uint64_t time) {
    minimum = calls++ && minimum < time ? minimum : time;
    total += time;
  }
};

} // namespace ampc::rt

#endif // AMPC_RUNTIME_PROFILE_H
