//===- Info.h - What a model file holds -------------------------*- C++ -*-===//

#ifndef AMPC_DRIVER_INFO_H
#define AMPC_DRIVER_INFO_H

#include "llvm/Support/raw_ostream.h"

namespace ampc {

/// Prints the signature of a model file and, of a compiled one, what it was
/// compiled for. Compiled models are read, never loaded, so nothing of theirs
/// runs. Returns whether it could; if not, `messages` says why.
bool printInfo(llvm::StringRef path, llvm::raw_ostream &stream,
               llvm::raw_ostream &messages);

} // namespace ampc

#endif // AMPC_DRIVER_INFO_H
