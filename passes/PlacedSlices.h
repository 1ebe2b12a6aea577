//===- PlacedSlices.h - Pads and concats without kernels --------*- C++ -*-===//
//
// A concat, and a pad with constants outside, is one buffer that operands are
// written into. Such ops never stand in kernels; amp-place-slices turns them
// into `tensor.insert_slice`.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_PASSES_PLACEDSLICES_H
#define AMPC_PASSES_PLACEDSLICES_H

#include "mlir/IR/Operation.h"

namespace amp {
bool isPlacedSlice(mlir::Operation *op);
} // namespace amp

#endif // AMPC_PASSES_PLACEDSLICES_H
