//===- ExactReciprocal.h - Divisors as factors ------------------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_EXACTRECIPROCAL_H
#define AMPC_TARGET_CPU_EXACTRECIPROCAL_H

#include <optional>

namespace ampc::cpu {

/// 1 / divisor as a sum of two floats such that
///
///   x / divisor = fma(x, high, x * low),
///
/// correctly rounded as division is (Brisebarre, Muller, Raina, "Accelerating
/// correctly rounded floating-point division when the divisor is known in
/// advance", IEEE Transactions on Computers 53(8), 2004). Quotients below
/// 2^-100 may differ in the last bit, since x * low loses bits there. `low` has
/// the sign of `high`, so that an infinite x stays infinite; it is 0 where
/// `high` alone is exact.
struct ExactReciprocal {
  float high, low;

  /// Nothing for divisors for which this does not hold: each is tried on all
  /// 2^23 significands. Thread-safe; takes some 50 ms for a new divisor.
  static std::optional<ExactReciprocal> of(float divisor);
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_EXACTRECIPROCAL_H
