//===- KnownFormats.h - Numbers that need fewer bits than they have -*- C++
//-*-//

#ifndef AMP_PASSES_KNOWNFORMATS_H
#define AMP_PASSES_KNOWNFORMATS_H

#include "compiler/ir/Amp.h"

namespace amp {

/// The formats that tensors have all their numbers of: they were rounded, or
/// are made of numbers that were by an op that rounds nothing. Kernels have to
/// be asked in the order in which they run.
class KnownFormats {
public:
  /// Of a value in or around kernels; none if not narrower than its type.
  std::optional<Format> of(mlir::Value value);

  /// Says what is known of a value from elsewhere.
  void set(mlir::Value value, std::optional<Format> format) {
    known[value] = format;
  }

private:
  std::optional<Format> find(mlir::Value value);

  llvm::DenseMap<mlir::Value, std::optional<Format>> known;
};

} // namespace amp

#endif // AMP_PASSES_KNOWNFORMATS_H
