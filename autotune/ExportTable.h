//===- ExportTable.h - Databases become tables of schedules -----*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_EXPORTTABLE_H
#define AMPC_AUTOTUNE_EXPORTTABLE_H

#include "autotune/TuningDatabase.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc::tune {

/// Writes a ScheduleTable of the kernels that a schedule makes faster than they
/// are without, by more than noise, on all processors of a class that the
/// database has. Follows from the content of the database alone.
llvm::Error exportTable(const TuningDatabase &database,
                        const mlir::DialectRegistry &registry,
                        llvm::raw_ostream &stream);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_EXPORTTABLE_H
