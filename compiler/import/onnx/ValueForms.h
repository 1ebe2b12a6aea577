//===- ValueForms.h - Between tensors, constants and scalars ----*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_VALUEFORMS_H
#define AMPC_IMPORT_ONNX_VALUEFORMS_H

#include "compiler/import/onnx/Value.h"
#include "compiler/import/onnx/Weights.h"

namespace ampc::onnx_import {

class ValueForms {
public:
  ValueForms(mlir::OpBuilder &builder, ScalarBuilder &scalars, Weights &weights)
      : builder(builder), scalars(scalars), weights(weights) {}

  /// The value as a tensor.
  Tensor tensor(NamedValue &value, mlir::Location loc);

  /// The elements as scalars, extracted from the tensor if need be. Null if the
  /// value cannot be scalars.
  const llvm::SmallVector<Scalar> *list(NamedValue &value, mlir::Location loc);

  /// Drops forms that were made inside a region which has ended.
  void refresh(NamedValue &value);

  /// A constant of at most 1 KiB, or a weight, as a tensor value.
  mlir::Value materialize(mlir::ElementsAttr elements, llvm::StringRef name,
                          mlir::Location loc);

  /// The type of a tensor with these sizes.
  mlir::RankedTensorType type(DType dtype, llvm::ArrayRef<Scalar> dims);

private:
  mlir::OpBuilder &builder;
  ScalarBuilder &scalars;
  Weights &weights;
};

/// The elements of a constant as scalars of scalarType(dtype).
llvm::SmallVector<Scalar> scalarsOf(mlir::ElementsAttr elements, DType dtype);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_VALUEFORMS_H
