//===- Compiler.h - A model file becomes a compiled model -------*- C++ -*-===//

#ifndef AMPC_DRIVER_COMPILER_H
#define AMPC_DRIVER_COMPILER_H

#include "compiler/driver/Options.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc {

/// Compiles `options.input` to `options.output`. Returns whether it did; if
/// not, `messages` has one line or more that say why, and no file was changed.
/// May be called any number of times in a process, also on several threads at
/// once.
bool compile(const Options &options, llvm::raw_ostream &messages);

} // namespace ampc

#endif // AMPC_DRIVER_COMPILER_H
