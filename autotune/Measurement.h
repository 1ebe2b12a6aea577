//===- Measurement.h - What became of a schedule that was tried -*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_MEASUREMENT_H
#define AMPC_AUTOTUNE_MEASUREMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace ampc::tune {

enum class Outcome {
  Measured,
  Wrong,      ///< Other bits than the first schedule's, or a write elsewhere.
  Crashed,    ///< A signal or an exception ended it.
  Hung,       ///< It did not end in time.
  NotCompiled ///< There is no code for it.
};

/// "measured", "wrong", "crashed", "hung", "not compiled".
llvm::StringRef nameOf(Outcome outcome);
std::optional<Outcome> outcomeNamed(llvm::StringRef name);

/// One schedule of one kernel.
struct Measurement {
  std::string schedule; ///< As the attribute prints.
  Outcome outcome = Outcome::NotCompiled;
  double nanoseconds = 0; ///< Of one run, the least of all rounds.
  int64_t rounds = 0;

  /// Whether the time may count: that of a failure, or one of zero, never does.
  bool isValid() const;
};

/// What to add to a database: the better of two measurements of one schedule.
/// A failure counts more than a time. Whatever the order in which any number of
/// measurements come together, the result is the same.
Measurement better(const Measurement &a, const Measurement &b);

/// Times within this of each other count as equal.
inline constexpr double kNoise = 0.03;

/// Which of `schedules`, the emitter's list, to use: the fastest if it beats
/// the first by more than noise, else the first. Nothing if the first, against
/// which the others were checked, has no valid time. Follows from its arguments
/// alone; of equal times the earlier schedule wins.
std::optional<size_t> choose(llvm::ArrayRef<std::string> schedules,
                             llvm::ArrayRef<Measurement> measurements);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_MEASUREMENT_H
