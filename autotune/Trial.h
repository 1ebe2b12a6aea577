//===- Trial.h - Candidates are checked, then timed -------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_TRIAL_H
#define AMPC_AUTOTUNE_TRIAL_H

#include "autotune/Measurement.h"
#include "autotune/Operands.h"

namespace ampc::tune {

/// Code of one schedule, as generated code is entered.
using KernelCode = int32_t (*)(const ampc_exec *);

struct TrialOptions {
  int64_t rounds = 5;
  double secondsPerRound = 2e-3; ///< And candidate.
  double patience = 10;          ///< Seconds that a run may take.
};

struct Trial {
  Outcome outcome = Outcome::NotCompiled;
  double nanoseconds = 0;
};

/// Tries `candidates`, of which the first is the reference; null stands for
/// code that there is none of. Each runs in a process of its own first: only
/// one that gives the reference's bits, writes nothing else and ends is timed.
/// Timed are all in turn, round by round, so that what else the machine does
/// meets all of them. If the reference itself fails nothing is known of the
/// others, which then are NotCompiled.
std::vector<Trial> tryCandidates(Operands &operands,
                                 llvm::ArrayRef<KernelCode> candidates,
                                 const TrialOptions &options);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_TRIAL_H
