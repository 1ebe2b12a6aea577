//===- Diagnostics.h - One line an error ------------------------*- C++ -*-===//

#ifndef AMPC_DRIVER_DIAGNOSTICS_H
#define AMPC_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace ampc {

/// Prints what goes wrong in a compilation as
/// `ampc: error: model.onnx: node 'conv1': what was expected`, a line each.
/// While it lives it takes the diagnostics of its context.
class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext &context, llvm::StringRef file,
              llvm::raw_ostream &stream);

  void error(const llvm::Twine &message);
  void error(llvm::Error error);
  unsigned errors() const { return count; }

private:
  void print(mlir::Diagnostic &diagnostic);

  std::string file;
  llvm::raw_ostream &stream;
  unsigned count = 0;
  mlir::ScopedDiagnosticHandler handler;
};

/// One printable line of what may be several, as attributes print, and of any
/// length and content, as names in a model file are.
std::string oneLine(llvm::StringRef text);

} // namespace ampc

#endif // AMPC_DRIVER_DIAGNOSTICS_H
