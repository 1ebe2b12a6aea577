//===- ExactReciprocal.cpp - Divisors as factors --------------------------===//

#include "compiler/target/cpu/ExactReciprocal.h"

#include <cmath>
#include <map>
#include <mutex>

namespace ampc::cpu {

/// Quotients repeat for every power of two, so those of [1, 2) stand for all.
static bool isExactForAll(float divisor, ExactReciprocal reciprocal) {
  constexpr float ulp = 0x1p-23f;
  for (int i = 0; i < 1 << 23; ++i) {
    float x = 1.0f + float(i) * ulp;
    if (std::fma(x, reciprocal.high, x * reciprocal.low) != x / divisor)
      return false;
  }
  return true;
}

static std::optional<ExactReciprocal> compute(float divisor) {
  // Outside of this the parts, or their products with numbers that are not tiny
  // themselves, may leave the range of normal numbers.
  constexpr float most = 0x1p+60f, least = 0x1p-60f;
  float magnitude = std::fabs(divisor);
  if (!(magnitude >= least && magnitude <= most))
    return std::nullopt;
  // Towards zero: what is left has the same sign then. A double has twice the
  // bits of a float, and some more.
  double exact = 1.0 / divisor;
  float high = float(exact);
  if (std::fabs(double(high)) > std::fabs(exact))
    high = std::nextafter(high, 0.0f);
  ExactReciprocal result{high, float(exact - high)};
  int exponent;
  if (std::frexp(magnitude, &exponent) == 0.5f) // A power of two.
    return result;
  if (!isExactForAll(divisor, result))
    return std::nullopt;
  return result;
}

std::optional<ExactReciprocal> ExactReciprocal::of(float divisor) {
  static std::mutex mutex;
  static std::map<float, std::optional<ExactReciprocal>> known;
  std::lock_guard lock(mutex);
  auto found = known.find(divisor);
  if (found == known.end() && !std::isnan(divisor))
    found = known.emplace(divisor, compute(divisor)).first;
  return found == known.end() ? std::nullopt : found->second;
}

} // namespace ampc::cpu
