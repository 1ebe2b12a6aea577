//===- Compiler.h - A model file becomes a compiled model -------*- C++ -*-===//

#ifndef AMPC_DRIVER_COMPILER_H
#define AMPC_DRIVER_COMPILER_H

#include "compiler/driver/Options.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc {

enum class Outcome {
  Done,
  Failed,
  WrongUsage ///< An option has a value that no model could be compiled with.
};

/// What a tool exits with: 0, 1 or 2.
int exitStatus(Outcome outcome);

/// Compiles `options.input` to `options.output`. If it could not, `messages`
/// has one line or more that say why, and no file was changed. May be called
/// any number of times in a process, also on several threads at once.
Outcome compile(const Options &options, llvm::raw_ostream &messages);

/// Measures the kernels of `options.input`, as `compile` would with
/// `options.tune`, which is not off. Writes the tuning database alone.
Outcome tuneKernels(const Options &options, llvm::raw_ostream &messages);

} // namespace ampc

#endif // AMPC_DRIVER_COMPILER_H
