//===- ReshapeRuns.h - What a reshape does to each dimension ----*- C++ -*-===//

#ifndef AMPC_IR_RESHAPERUNS_H
#define AMPC_IR_RESHAPERUNS_H

#include "compiler/ir/Amp.h"

namespace amp {

/// A reshape as runs of dimensions: each run of the operand holds the elements
/// of the run of the result at its place. All runs but one are single, equal
/// dimensions.
struct ReshapeRuns {
  explicit ReshapeRuns(ReshapeOp op);

  /// The order of side `to`'s dimensions that follows from that of the other
  /// side; empty if the run in the middle is torn apart.
  Permutation carry(llvm::ArrayRef<int64_t> order, int to) const;

  int64_t prefix = 0, suffix = 0;
  int64_t inner[2]; ///< Dimensions in the middle, of operand and result.
};

} // namespace amp

#endif // AMPC_IR_RESHAPERUNS_H
