//===- Export.h - Files that hold a compiled model --------------*- C++ -*-===//

#ifndef AMPC_EXPORT_EXPORT_H
#define AMPC_EXPORT_EXPORT_H

#include "compiler/export/ModelDescription.h"
#include "compiler/ir/WeightLayout.h"

#include "llvm/Support/Error.h"

namespace ampc {

/// Writes the object file of the generated code.
using ObjectWriter = llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)>;

/// Writes `destination`.so or .o from the code's object and the weights, linked
/// with the runtime. Nothing is left behind after an error.
/// `prefix` is only for a relocatable object (see Linker).
llvm::Error exportShared(llvm::StringRef destination, ObjectWriter code,
                         const amp::WeightLayout *embeddedWeights);
llvm::Error exportRelocatable(llvm::StringRef destination, ObjectWriter code,
                              const amp::WeightLayout *embeddedWeights,
                              llvm::StringRef prefix);

/// Writes the C header of a relocatable object with entry `<prefix>_entry_v1`,
/// and `<prefix>_profile_v1` if it has a profile.
llvm::Error exportHeader(llvm::StringRef destination,
                         const Signature &signature, llvm::StringRef prefix,
                         bool profile);

/// A C identifier made of a model's or file's name.
std::string identifier(llvm::StringRef name);

} // namespace ampc

#endif // AMPC_EXPORT_EXPORT_H
