//===- ResolveDims.h - Sizes of computed tensors ----------------*- C++ -*-===//

#ifndef AMPC_PASSES_RESOLVEDIMS_H
#define AMPC_PASSES_RESOLVEDIMS_H

#include "compiler/ir/Amp.h"

namespace amp {

/// Computes the sizes of what ops give from the ops' operands, so that
/// `tensor.dim` does not keep intermediate values alive.
void resolveDims(mlir::Operation *root);

} // namespace amp

#endif // AMPC_PASSES_RESOLVEDIMS_H
