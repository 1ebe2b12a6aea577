//===- FloatControl.h - Rounding and flush-to-zero bits ----------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_FLOATCONTROL_H
#define AMPC_RUNTIME_FLOATCONTROL_H

#include <stdint.h>

namespace ampc::rt {

/// The control bits of the calling thread, without the sticky exception flags.
inline uint64_t getFloatControl() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~0x3fu;
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

/// Sets them. Only ever called on threads of our own.
inline void setFloatControl(uint64_t value) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(uint32_t(value));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(value));
#else
  (void)value;
#endif
}

} // namespace ampc::rt

#endif // AMPC_RUNTIME_FLOATCONTROL_H
