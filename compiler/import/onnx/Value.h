//===- Value.h - What a name in the graph stands for ------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_VALUE_H
#define AMPC_IMPORT_ONNX_VALUE_H

#include "compiler/import/onnx/DType.h"
#include "compiler/import/onnx/ScalarBuilder.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace ampc::onnx_import {

/// A tensor value whose sizes are known as scalars. Where a size is constant,
/// the type of `value` has it.
struct Tensor {
  mlir::Value value;
  DType dtype = DType::Undefined;
  Dims dims;
  /// Its elements, if known.
  mlir::ElementsAttr constant;

  int64_t rank() const { return dims.size(); }
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::Type elementType() const { return type().getElementType(); }
};

struct NamedValue;
/// A value, or null for an optional input that is left out.
using ValueRef = std::shared_ptr<NamedValue>;

/// The value of an ONNX name. A tensor has up to three forms, each made from
/// another when it is first asked for (by ValueForms):
/// - a tensor in the IR,
/// - constant elements,
/// - a list of scalars, if the rank is at most 1 and the size at most
///   kMaxScalars. Arithmetic on lists is host arithmetic that folds; shapes are
///   made of it.
/// Sequences have a length that is known, and whether an optional holds a value
/// is known; they exist at import only.
struct NamedValue {
  enum class Kind { Tensor, Sequence, Optional };
  static constexpr int64_t kMaxScalars = 64;

  /// Names the symbol of a weight.
  std::string name;
  DType dtype = DType::Undefined;
  Dims dims;
  mlir::Value tensor;
  mlir::ElementsAttr constant;
  std::optional<llvm::SmallVector<Scalar>> scalars;

  Kind kind = Kind::Tensor;
  /// Of a sequence; what an optional holds, if anything. `dtype` is theirs.
  llvm::SmallVector<ValueRef> elements;

  bool isTensor() const { return kind == Kind::Tensor; }
  int64_t rank() const { return dims.size(); }
  /// Whether the size allows a list of scalars.
  bool canBeScalars() const;
};

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_VALUE_H
