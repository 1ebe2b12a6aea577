//===- Futex.h - Sleeping on a word of memory --------------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_FUTEX_H
#define AMPC_RUNTIME_FUTEX_H

#include <atomic>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ampc::rt {

static_assert(sizeof(std::atomic<uint32_t>) == 4 &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "a futex is a plain 32-bit word");

/// Sleeps while `word` is `value`. May return early for no reason.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void futexWakeOne(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

/// Tells the core that this is a spin loop.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

} // namespace ampc::rt

#endif // AMPC_RUNTIME_FUTEX_H
