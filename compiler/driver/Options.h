//===- Options.h - What one compilation is asked to do ----------*- C++ -*-===//

#ifndef AMPC_DRIVER_OPTIONS_H
#define AMPC_DRIVER_OPTIONS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

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
  std::string weights = "f32";   ///< Their storage: f32, f16 or bf16.
  bool externalWeights = false;  ///< Weights go to `<output>.weights`.
  std::string tune = "off";      ///< Kernels to measure: off, quick or full.
  /// Of measurements; empty: the user's own, which is not read unless kernels
  /// are measured.
  std::string tuneDatabase;
  bool profile = false; ///< The model records how long its kernels take.
  std::string report;   ///< JSON, one record an op; empty: none.
  bool verbose = false; ///< Times of steps, on standard error.

  /// Takes a size as the command line has it, `NAME=N`. Returns what is wrong
  /// with it, or nothing.
  std::string addDim(llvm::StringRef text) {
    auto [name, size] = text.rsplit('=');
    int64_t value;
    if (name.empty() || size.getAsInteger(10, value) || value < 0)
      return ("--dim '" + llvm::Twine(text) + "' is not of the form NAME=N")
          .str();
    if (!dims.try_emplace(name, value).second)
      return ("--dim gives '" + llvm::Twine(name) + "' twice").str();
    return "";
  }
};

} // namespace ampc

#endif // AMPC_DRIVER_OPTIONS_H
