//===- FoldConstants.h - Compute at compile time what weights decide -*- C++
//-*-===//

#ifndef AMPC_DRIVER_FOLDCONSTANTS_H
#define AMPC_DRIVER_FOLDCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace ampc {

/// Replaces the kernels of `main` that depend on constants alone (transposed or
/// rearranged weights, folded scales) by new weights with their results. They are
/// compiled for this machine and run once, by the same code generator as
/// everything else, so they have the bits that the model would have computed.
///
/// To be called on kernels on tensors, before bufferization. Results much larger
/// than what they are computed from are left to the model. The library that
/// computes them is a temporary file beside `output`.
llvm::Error foldConstants(mlir::ModuleOp module, llvm::StringRef output);

} // namespace ampc

#endif // AMPC_DRIVER_FOLDCONSTANTS_H
