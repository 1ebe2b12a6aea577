//===- ReshapeRuns.h - What a reshape does to each dimension ----*- C++ -*-===//

#ifndef AMPC_IR_RESHAPERUNS_H
#define AMPC_IR_RESHAPERUNS_H

#include "compiler/ir/Amp.h"

namespace amp {

/// A reshape as runs of dimensions: each run of the operand holds the elements
/// of the run of the result at its place. Runs are as short as sizes can be
/// proven equal; dimensions of size 1 may be a run of their own on one side.
class ReshapeRuns {
public:
  explicit ReshapeRuns(ReshapeOp op);

  /// The order of side `to`'s dimensions (1: of the result) that follows from
  /// that of the other side; empty if that tears a run apart.
  Permutation carry(llvm::ArrayRef<int64_t> order, int to) const;

private:
  struct Run {
    int64_t first[2], count[2]; ///< Dimensions of operand and result.
  };
  llvm::SmallVector<Run> runs;
};

} // namespace amp

#endif // AMPC_IR_RESHAPERUNS_H
