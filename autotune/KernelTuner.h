//===- KernelTuner.h - Schedules of one kernel, measured --------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_KERNELTUNER_H
#define AMPC_AUTOTUNE_KERNELTUNER_H

#include "autotune/Measurement.h"
#include "autotune/TunableKernel.h"
#include "compiler/target/cpu/Processor.h"

#include "mlir/IR/DialectRegistry.h"

namespace ampc::tune {

/// How much time a kernel is worth.
struct Effort {
  size_t candidates;
  int64_t rounds;
  double secondsPerRound;

  static Effort quick() { return {14, 5, 2e-3}; }
  static Effort full() { return {25, 15, 5e-3}; }

  /// The schedules of a kernel to try.
  llvm::ArrayRef<std::string> of(const TunableKernel &kernel) const {
    return llvm::ArrayRef(kernel.schedules).take_front(candidates);
  }
  /// Whether `known` has all of them, tried as often as this asks for.
  bool isSpentOn(const TunableKernel &kernel,
                 llvm::ArrayRef<Measurement> known) const;
};

/// Measures schedules of `kernel` on this machine, which has to have what
/// `processor` has. One thread runs the kernel.
llvm::Expected<std::vector<Measurement>>
measureKernel(const TunableKernel &kernel, const Effort &effort,
              const mlir::DialectRegistry &registry,
              const cpu::Processor &processor);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_KERNELTUNER_H
