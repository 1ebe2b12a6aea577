//===- Loops.h - Loops over a body that can be built again ------*- C++ -*-===//
//
// What Loop, Scan and the recurrent layers share. A body is built once with the
// values that enter the loop taken as they are; where it turns out to change a
// size, it is thrown away and built again with that size carried, too.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_LOOPS_H
#define AMPC_IMPORT_ONNX_LOOPS_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// What one iteration gives.
struct Iteration {
  /// Whether to go on; `i1`.
  Scalar more;
  llvm::SmallVector<ValueRef> carried;
  /// One element of each scanned output.
  llvm::SmallVector<ValueRef> scanned;
};

struct LoopSpec {
  /// The most iterations; null if only the condition ends the loop.
  Scalar trips;
  /// Whether the first iteration runs; `i1`.
  Scalar first;
  llvm::SmallVector<ValueRef> initial;
  /// For each scanned output whether its elements are stored from the end on.
  /// Needs a loop whose number of iterations is known when it begins.
  llvm::SmallVector<bool> reversed;
};

struct LoopResults {
  llvm::SmallVector<ValueRef> carried;
  /// With one dimension more, at the front, of the iterations done.
  llvm::SmallVector<Tensor> scanned;
};

/// Emits the ops of iteration `number` on these values. May be called more than
/// once; only the last call counts.
using IterationFn = llvm::function_ref<mlir::FailureOr<Iteration>(
    Scalar number, llvm::ArrayRef<ValueRef> carried)>;

mlir::FailureOr<LoopResults> buildLoop(NodeBuilder &b, const LoopSpec &spec,
                                       IterationFn body);

/// `true`, for loops that only the number of trips ends.
inline Scalar always(NodeBuilder &b) {
  return mlir::Attribute(b.builder().getBoolAttr(true));
}

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_LOOPS_H
