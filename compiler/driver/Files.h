//===- Files.h - Paths that a user gives ------------------------*- C++ -*-===//

#ifndef AMPC_DRIVER_FILES_H
#define AMPC_DRIVER_FILES_H

#include "llvm/Support/Error.h"

namespace ampc {

/// Errors unless `path` is an existing regular file. Reading another kind may
/// wait for ever (a pipe) or never end (a device).
llvm::Error checkInputFile(llvm::StringRef path);

/// Whether two paths name one file, which need not exist.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

} // namespace ampc

#endif // AMPC_DRIVER_FILES_H
