//===- StepTimer.h - Times of the steps of a compilation --------*- C++ -*-===//

#ifndef AMPC_DRIVER_STEPTIMER_H
#define AMPC_DRIVER_STEPTIMER_H

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace ampc {

/// Prints a line for each step when it ends, if asked to.
class StepTimer {
public:
  StepTimer(llvm::raw_ostream &stream, bool enabled)
      : stream(stream), enabled(enabled) {}

  void done(llvm::StringRef step) {
    auto now = Clock::now();
    if (enabled)
      stream << "ampc: " << step
             << llvm::format(" %.2f s\n", seconds(now - last));
    last = now;
  }

private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::duration d) {
    return std::chrono::duration<double>(d).count();
  }

  llvm::raw_ostream &stream;
  bool enabled;
  Clock::time_point last = Clock::now();
};

} // namespace ampc

#endif // AMPC_DRIVER_STEPTIMER_H
