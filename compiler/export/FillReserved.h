//===- FillReserved.h - Data behind a linked library ------------*- C++ -*-===//

#ifndef AMPC_EXPORT_FILLRESERVED_H
#define AMPC_EXPORT_FILLRESERVED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {

/// Appends to the shared object `path` (x86-64, linked with an object that
/// writeReservation wrote) the bytes that `writeContent` writes, as many as
/// were reserved, and makes them the content of the reserved section,
/// read-only. Bytes are written once and not kept.
llvm::Error
fillReserved(llvm::StringRef path,
             llvm::function_ref<void(llvm::raw_ostream &)> writeContent);

} // namespace ampc

#endif // AMPC_EXPORT_FILLRESERVED_H
