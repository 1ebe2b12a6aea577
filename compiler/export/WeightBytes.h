//===- WeightBytes.h - Weights as they lie in memory ------------*- C++ -*-===//

#ifndef AMPC_EXPORT_WEIGHTBYTES_H
#define AMPC_EXPORT_WEIGHTBYTES_H

#include "compiler/ir/WeightLayout.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc {

/// Writes layout.size() bytes: each weight at its offset, zeros between them.
/// Resources are written from where they lie, usually the mapped model.
void writeWeights(const amp::WeightLayout &layout, llvm::raw_ostream &stream);

/// The same; gives the XXH64 of the bytes, which nobody has to read again.
uint64_t writeHashedWeights(const amp::WeightLayout &layout,
                            llvm::raw_ostream &stream);

} // namespace ampc

#endif // AMPC_EXPORT_WEIGHTBYTES_H
