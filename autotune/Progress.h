//===- Progress.h - How far a long task is ----------------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_PROGRESS_H
#define AMPC_AUTOTUNE_PROGRESS_H

#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace ampc::tune {

/// A bar in the last line of a terminal; elsewhere a line for each item that is
/// done.
class Progress {
public:
  Progress(llvm::raw_ostream &stream, size_t total);
  /// Takes the bar away, so that what is printed next stands alone.
  ~Progress();

  /// Before an item, with its name.
  void begin(llvm::StringRef item);
  /// After it, with what came out.
  void done(llvm::StringRef result);

private:
  void clear();

  llvm::raw_ostream &stream;
  const bool isTerminal;
  const size_t total;
  size_t finished = 0;
  std::string item;
  std::chrono::steady_clock::time_point start;
};

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_PROGRESS_H
