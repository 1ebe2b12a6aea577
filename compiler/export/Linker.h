//===- Linker.h - Objects and the runtime become one file -------*- C++ -*-===//

#ifndef AMPC_EXPORT_LINKER_H
#define AMPC_EXPORT_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ampc {

/// Runs LLVM 19's ld.lld as a child process, so that a full disk ends it and
/// not us, with the runtime's archive.
class Linker {
public:
  /// Finds the linker in the PATH and in Debian's folder, and the runtime
  /// beside the running program: ../lib/libampc_runtime.a.
  static llvm::Expected<Linker> find();

  /// Links `objects` with the runtime to the shared object `output`, which
  /// needs libc and libm only and exports `ampc_entry_v1`, `ampc_pool_v1`
  /// and, if there is one, `ampc_profile_v1` only.
  llvm::Error linkShared(llvm::ArrayRef<std::string> objects,
                         llvm::StringRef output, llvm::StringRef soname) const;

  /// Links `objects` with the runtime to one relocatable object whose entry is
  /// `<prefix>_entry_v1`, and profile `<prefix>_profile_v1`; all other symbols
  /// but the pool's are local, so that objects of several models fit into one
  /// program.
  llvm::Error linkRelocatable(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef prefix,
                              llvm::StringRef output) const;

private:
  llvm::Error runLinker(llvm::ArrayRef<std::string> arguments,
                        llvm::StringRef output) const;

  std::string program, runtime;
};

} // namespace ampc

#endif // AMPC_EXPORT_LINKER_H
