//===- Report.h - One record an op of the source ----------------*- C++ -*-===//

#ifndef AMPC_DRIVER_REPORT_H
#define AMPC_DRIVER_REPORT_H

#include "compiler/export/Signature.h"

#include "mlir/IR/BuiltinOps.h"

namespace ampc {

/// What `--report` writes: JSON with the signature and, for each op that the
/// model was imported as, the nodes it comes from, its work and its types.
/// Numbers are null where they depend on dimensions that are not known.
void writeReport(mlir::ModuleOp module, const Signature &signature,
                 llvm::raw_ostream &stream);

} // namespace ampc

#endif // AMPC_DRIVER_REPORT_H
