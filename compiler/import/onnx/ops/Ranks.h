//===- Ranks.h - Ranks that ONNX asks for but does not infer ----*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_OPS_RANKS_H
#define AMPC_IMPORT_ONNX_OPS_RANKS_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Rejects the node unless input `i`, if it is there, has a rank of `least` to
/// `most`. Sizes may be asked for by number afterwards.
inline mlir::LogicalResult requireRank(NodeBuilder &b, unsigned i,
                                       int64_t least, int64_t most) {
  if (!b.has(i) || (b.rank(i) >= least && b.rank(i) <= most))
    return mlir::success();
  return b.reject("input " + llvm::Twine(i) + " has rank " +
                  llvm::Twine(b.rank(i)) + "; it is " + llvm::Twine(least) +
                  (least == most ? "" : " or more"));
}

inline mlir::LogicalResult requireRank(NodeBuilder &b, unsigned i,
                                       int64_t rank) {
  return requireRank(b, i, rank, rank);
}

/// Input `i` as a scalar, which may be given as a list of one.
inline mlir::FailureOr<Tensor> numberInput(NodeBuilder &b, unsigned i) {
  Tensor x = b.tensor(i);
  if (x.rank() > 1)
    return b.reject("input " + llvm::Twine(i) + " is not one number");
  if (x.rank() == 1 &&
      failed(b.requireEqual(x.dims[0], b.scalars.index(1),
                            "input " + llvm::Twine(i) + " is not one number")))
    return mlir::failure();
  return b.reshape(x, {});
}

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_RANKS_H
