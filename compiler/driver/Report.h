//===- Report.h - One record an op of the source ----------------*- C++ -*-===//

#ifndef AMPC_DRIVER_REPORT_H
#define AMPC_DRIVER_REPORT_H

#include "compiler/export/Signature.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace ampc {

/// What `--report` writes: for each op that a model was imported as, the nodes
/// it comes from, its work and its types. Numbers are null where they depend on
/// dimensions that are not known.
class Report {
public:
  void addModel(mlir::ModuleOp module);
  llvm::Error write(llvm::StringRef path, const Signature &signature) const;

private:
  llvm::json::Array ops;
};

} // namespace ampc

#endif // AMPC_DRIVER_REPORT_H
