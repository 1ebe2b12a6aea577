//===- Node.h - One node with its inputs resolved ---------------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_NODE_H
#define AMPC_IMPORT_ONNX_NODE_H

#include "compiler/import/onnx/Value.h"

#include "mlir/IR/Location.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
class OpSchema;
class TensorProto;
} // namespace onnx

namespace ampc::onnx_import {

struct Node {
  /// Attributes that refer to those of an enclosing function are resolved.
  onnx::NodeProto *proto = nullptr;
  /// Null for a call of a model-local function.
  const onnx::OpSchema *schema = nullptr;
  /// since_version of the schema, or 0.
  int version = 0;
  /// The opset that the node's domain is imported at.
  int opset = 0;
  /// Names the node in the model that this one came from (SourceNodes.h).
  mlir::Location loc;
  /// Where the node stands, for the names in its subgraphs.
  const struct Scope *scope = nullptr;
  /// How messages name it: "node 'Conv_3' (Conv, version 11)".
  std::string description;
  /// In a function body, what messages add to say where.
  std::string inBody;
  /// One an input; null where it is left out.
  llvm::SmallVector<ValueRef> inputs;
  /// Empty where an output is left out.
  llvm::SmallVector<std::string> outputNames;
  /// Set by the builder.
  llvm::SmallVector<ValueRef> outputs;

  // Values of attributes: the node's, else the schema's default, else none.
  std::optional<int64_t> intAttr(llvm::StringRef name) const;
  std::optional<double> floatAttr(llvm::StringRef name) const;
  std::optional<std::string> stringAttr(llvm::StringRef name) const;
  std::optional<llvm::SmallVector<int64_t>>
  intsAttr(llvm::StringRef name) const;
  std::optional<llvm::SmallVector<double>>
  floatsAttr(llvm::StringRef name) const;
  std::optional<llvm::SmallVector<std::string>>
  stringsAttr(llvm::StringRef name) const;
  /// Null if there is none.
  onnx::TensorProto *tensorAttr(llvm::StringRef name) const;
  onnx::GraphProto *graphAttr(llvm::StringRef name) const;
  /// Whether the node itself has the attribute.
  bool hasAttr(llvm::StringRef name) const;

  /// The attribute in any type, or null.
  const onnx::AttributeProto *find(llvm::StringRef name) const;
};

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_NODE_H
