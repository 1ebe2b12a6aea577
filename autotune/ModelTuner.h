//===- ModelTuner.h - All kernels of a model, measured ----------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_MODELTUNER_H
#define AMPC_AUTOTUNE_MODELTUNER_H

#include "autotune/KernelTuner.h"
#include "autotune/TuningDatabase.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc::tune {

/// What a tuning is done with.
struct TuningSession {
  TuningDatabase &database;
  const MachineKey &machine;
  const mlir::DialectRegistry &registry;
  const cpu::Processor &processor;
  Effort effort;
  llvm::raw_ostream &messages; ///< Progress.
  bool verbose = false;        ///< Also what is left out, and why.
};

/// Measures the kernels of `module`, bufferized, that the database does not
/// know well enough, and records each at once. Stopped at any time, it goes on
/// from there when it is called again. If the database cannot be written for a
/// while what is to be recorded waits in memory.
llvm::Error tuneKernels(mlir::ModuleOp module, const TuningSession &session);

/// A kernel for the eyes: its root and what it computes from and to.
std::string summaryOf(const TunableKernel &kernel);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_MODELTUNER_H
