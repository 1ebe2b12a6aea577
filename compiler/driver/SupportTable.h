//===- SupportTable.h - What ampc can do with a model -----------*- C++ -*-===//

#ifndef AMPC_DRIVER_SUPPORTTABLE_H
#define AMPC_DRIVER_SUPPORTTABLE_H

#include "compiler/driver/Options.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc {

/// Imports `options.input`, an ONNX model, and prints what of it is supported,
/// what is not and why, and its dimensions. Nothing is compiled or written.
/// Returns whether the import succeeded; `messages` gets what prevents even a
/// table, as a file that cannot be read.
bool printSupport(const Options &options, llvm::raw_ostream &stream,
                  llvm::raw_ostream &messages);

} // namespace ampc

#endif // AMPC_DRIVER_SUPPORTTABLE_H
