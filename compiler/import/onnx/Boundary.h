//===- Boundary.h - Values that enter and leave regions ---------*- C++ -*-===//
//
// Branches yield values and loops carry them. A boundary says as which SSA
// values a value passes: shape values as their scalars, tensors with those
// sizes that code outside of the region does not know, sequences and optionals
// as what they hold.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_BOUNDARY_H
#define AMPC_IMPORT_ONNX_BOUNDARY_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

class Boundary {
public:
  /// A size outside that stands for two sizes that differ, or null: it passes
  /// with the tensor.
  using MergeFn = llvm::function_ref<Scalar(Scalar, Scalar)>;

  /// The narrowest boundary that `value` fits through; sizes that are not
  /// visible at the insertion point pass with it.
  static Boundary of(NodeBuilder &b, const NamedValue &value);

  /// Lets `value` pass too. `changed` is set if the boundary had to become
  /// wider. Fails with a message if types, ranks or lengths differ.
  mlir::LogicalResult widen(NodeBuilder &b, const NamedValue &value,
                            MergeFn merge, bool &changed);

  /// The types of the values that pass.
  void types(NodeBuilder &b, llvm::SmallVectorImpl<mlir::Type> &types) const;

  /// What of `value` passes, made at the insertion point.
  void flatten(NodeBuilder &b, NamedValue &value,
               llvm::SmallVectorImpl<mlir::Value> &values) const;

  /// The value behind the boundary; what passed is taken from the front of
  /// `values`.
  ValueRef bind(NodeBuilder &b, mlir::ValueRange &values) const;

  /// For each of the types whether it is a tensor all of whose sizes are known
  /// outside.
  void fixedShapes(llvm::SmallVectorImpl<bool> &fixed) const;

private:
  NamedValue::Kind kind;
  DType dtype;
  bool isList;
  /// Null where the size passes.
  Dims dims;
  std::vector<Boundary> elements;
};

/// Whether ranks are equal; a scalar and a list of one are alike.
bool ranksAgree(const Dims &lhs, const Dims &rhs);

/// Moves what computes a size before `op`, in one of whose regions it stands,
/// unless it depends on what only the region knows. Whether it is visible now.
bool moveBefore(NodeBuilder &b, Scalar size, mlir::Operation *op);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_BOUNDARY_H
