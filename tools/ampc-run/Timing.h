//===- Timing.h - How long runs take -----------------------------*- C++
//-*-===//

#ifndef AMPC_TOOLS_AMPC_RUN_TIMING_H
#define AMPC_TOOLS_AMPC_RUN_TIMING_H

#include <algorithm>
#include <chrono>
#include <vector>

namespace ampc::run {

struct Timing {
  double minimum, median; ///< Seconds.
};

/// `seconds` is not empty.
inline Timing summarize(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  size_t n = seconds.size();
  return {seconds[0], (seconds[(n - 1) / 2] + seconds[n / 2]) / 2};
}

template <typename Fn> double secondsOf(Fn fn) {
  auto begin = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace ampc::run

#endif // AMPC_TOOLS_AMPC_RUN_TIMING_H
