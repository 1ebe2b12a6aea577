//===- TemporaryFile.h - Files that appear whole or not at all --*- C++ -*-===//

#ifndef AMPC_EXPORT_TEMPORARYFILE_H
#define AMPC_EXPORT_TEMPORARYFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace ampc {

/// A file beside `destination`, on the same file system, that is removed at the
/// end of its life and by signals unless it was kept.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() { discard(); }

  /// Creates it, empty. Errors name the folder.
  llvm::Error create(llvm::StringRef destination);

  /// Replaces its content by what `write` writes. Errors name `destination`.
  llvm::Error
  fill(llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)> write);

  /// Moves it to `destination`, in one step.
  llvm::Error keep();

  void discard();
  const std::string &path() const { return name; }

private:
  std::string destination, name;
};

/// Closes a stream; the first error of writing to it, which names no file.
std::error_code closeStream(llvm::raw_fd_ostream &stream);

/// Writes a file that appears whole or not at all.
llvm::Error
writeFile(llvm::StringRef destination,
          llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)> write);

} // namespace ampc

#endif // AMPC_EXPORT_TEMPORARYFILE_H
