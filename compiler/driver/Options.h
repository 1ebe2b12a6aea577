//===- Options.h - What one compilation is asked to do ----------*- C++ -*-===//

#ifndef AMPC_DRIVER_OPTIONS_H
#define AMPC_DRIVER_OPTIONS_H

#include "llvm/ADT/StringMap.h"

#include <string>

namespace ampc {

/// All that steers a compilation; there are no other settings.
struct Options {
  std::string input;  ///< .onnx, or .mlir as `-o x.mlir` writes it.
  std::string output; ///< Its suffix decides: .so .o .h .ll .mlir
  /// Sizes of dynamic dimensions, by the names the model gives them.
  llvm::StringMap<int64_t> dims;
  /// See ImportOptions.
  int64_t maxNodes = 100'000;
  std::string target = "native"; ///< See cpu::findProcessor.
  std::string precision = "f32"; ///< The only value so far.
  bool externalWeights = false;  ///< Weights go to `<output>.weights`.
  std::string report;            ///< JSON, one record an op; empty: none.
  bool verbose = false;          ///< Times of steps, on standard error.
};

} // namespace ampc

#endif // AMPC_DRIVER_OPTIONS_H
