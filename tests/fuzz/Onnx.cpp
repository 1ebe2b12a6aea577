//===- Onnx.cpp - Fuzz target: any bytes as an ONNX model -----------------===//
//
// What begins with '<' is read as ONNX's text syntax. Imports, and verifies
// what was imported. That it fails is fine; that it fails without a message, or
// gives IR that is not valid, is not.
//
//===----------------------------------------------------------------------===//

#include "tests/fuzz/File.h"

#include "compiler/import/onnx/Import.h"
#include "compiler/ir/Amp.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <memory>

using namespace mlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // One for many inputs, since loading dialects takes longer than most imports;
  // not for ever, since it keeps every attribute.
  static std::unique_ptr<MLIRContext> kept;
  static unsigned inputs = 0;
  if (inputs++ % 256 == 0)
    kept = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  MLIRContext &context = *kept;
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (llvm::StringRef(diagnostic.str()).starts_with("internal error"))
      llvm::report_fatal_error(llvm::Twine(diagnostic.str()));
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  ampc::ImportOptions options;
  options.maxNodes = 2000;
  const char *suffix = size && data[0] == '<' ? ".onnxtxt" : ".onnx";
  auto module =
      ampc::importOnnx(ampc::fuzz::write(data, size, suffix), options, context);
  if (!module && !errors)
    llvm::report_fatal_error("the import failed and gave no reason");
  return 0;
}
