//===- TunableKernel.h - One kernel by itself -------------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_TUNABLEKERNEL_H
#define AMPC_AUTOTUNE_TUNABLEKERNEL_H

#include "compiler/ir/Amp.h"
#include "compiler/target/cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace ampc::tune {

/// A kernel in a module of its own, whose function `main` takes the kernel's
/// operands as arguments and does nothing but run it.
struct TunableKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  amp::KernelOp kernel;
  /// The module as text. It is canonical: equal kernels of any models have
  /// equal texts, with all types, strides and attributes, but no locations,
  /// names or schedules of theirs. It parses.
  std::string text;
  /// As text, the first standing for no schedule; at least two.
  std::vector<std::string> schedules;
};

/// A copy of the bufferized `kernel`, or the reason why it cannot be tuned.
llvm::Expected<TunableKernel> isolate(amp::KernelOp kernel,
                                      const cpu::CpuTarget &target);

/// The same of a kernel that was written as text.
llvm::Expected<TunableKernel> parseTunable(llvm::StringRef text,
                                           const cpu::CpuTarget &target,
                                           mlir::MLIRContext *context);

/// The schedule that `text` is; null if it is none.
amp::ScheduleAttr parseSchedule(llvm::StringRef text,
                                mlir::MLIRContext *context);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_TUNABLEKERNEL_H
