//===- ModelInfo.h - What a compiled model says of itself -------*- C++ -*-===//

#ifndef AMPC_EXPORT_MODELINFO_H
#define AMPC_EXPORT_MODELINFO_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace ampc {

/// The info JSON of a compiled model, from the section of an ELF file. Nothing
/// of the file is loaded or run, and it may hold anything.
llvm::Expected<llvm::json::Value> readModelInfo(llvm::MemoryBufferRef file);

/// Prints what Signature::toJson and the driver put into a model's info, a line
/// a fact. Members that are missing or of other types are left out.
void printModelInfo(const llvm::json::Value &info, llvm::raw_ostream &stream);

} // namespace ampc

#endif // AMPC_EXPORT_MODELINFO_H
