//===- DataObject.h - Large read-only data as an object file ----*- C++ -*-===//
//
// Weights do not pass through LLVM: it would hold several copies of them, and
// its assembler is slow on gigabytes. An object file with one section and one
// symbol takes no more than this.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_EXPORT_DATAOBJECT_H
#define AMPC_EXPORT_DATAOBJECT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace ampc {

/// Writes to `stream` a relocatable ELF64 object for x86-64 whose section
/// `.lrodata`, 64-byte aligned and marked large so that it may lie more than
/// 2 GB from the code, holds `size` bytes that `writeContent` writes. They are
/// the hidden object symbol `symbol`.
///
/// Nothing is buffered, so `size` may exceed memory. Errors are the stream's.
void writeDataObject(
    llvm::raw_ostream &stream, llvm::StringRef symbol, uint64_t size,
    llvm::function_ref<void(llvm::raw_ostream &)> writeContent);

/// Sections that writeReservation makes.
constexpr llvm::StringLiteral reservedSection = ".ampc.data";
constexpr llvm::StringLiteral reservedNote = ".note.ampc";

/// Writes an object like that of writeDataObject whose section, which starts a
/// page, only reserves addresses. A shared object linked with it is filled by
/// fillReserved: the linker, which holds all that it reads and writes in
/// memory, never sees the bytes. A note takes up the header of the segment to
/// come.
void writeReservation(llvm::raw_ostream &stream, llvm::StringRef symbol,
                      uint64_t size);

} // namespace ampc

#endif // AMPC_EXPORT_DATAOBJECT_H
