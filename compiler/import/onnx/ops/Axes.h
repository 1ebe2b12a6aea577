//===- Axes.h - Axes that may be known at run time only ---------*- C++ -*-===//
//
// Whichever axis it turns out to be, a tensor seen as [before, size, after] has
// it in the middle. So ops on one axis need not know it at compile time, and
// associative reductions over several take one at a time.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_OPS_AXES_H
#define AMPC_IMPORT_ONNX_OPS_AXES_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

struct Axes {
  /// Counted from the front if constant.
  llvm::SmallVector<Scalar> axes;
  /// Whether reduced dimensions stay with size one.
  bool keep = true;
};

/// Whether dimension `i` of `rank` is the one that `axis` names.
Scalar isAxis(ScalarBuilder &s, Scalar axis, int64_t i, int64_t rank);

/// The size of `dims` at an axis, which may be negative.
Scalar sizeAlong(NodeBuilder &b, llvm::ArrayRef<Scalar> dims, Scalar axis);

/// The sizes that are left when `axes` are removed.
Dims remaining(NodeBuilder &b, llvm::ArrayRef<Scalar> dims, const Axes &axes);

/// The sizes [before, at, after] an axis.
Dims aroundAxis(NodeBuilder &b, llvm::ArrayRef<Scalar> dims, Scalar axis);

Tensor reduceOver(NodeBuilder &b, amp::ReduceKind kind, const Tensor &x,
                  const Axes &axes);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_AXES_H
