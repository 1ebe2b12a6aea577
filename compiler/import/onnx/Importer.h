//===- Importer.h - Walks a graph and builds its nodes ----------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_IMPORTER_H
#define AMPC_IMPORT_ONNX_IMPORTER_H

#include "compiler/import/onnx/ExternalData.h"
#include "compiler/import/onnx/Node.h"
#include "compiler/import/onnx/ValueForms.h"

namespace ampc {
struct ImportOptions;
struct ImportRecord;
} // namespace ampc

namespace onnx {
class FunctionProto;
class ModelProto;
class TypeProto;
} // namespace onnx

namespace ampc::onnx_import {

/// What names mean inside one graph or function body.
struct Scope {
  /// The graph around a subgraph, whose values it may use. Function bodies see
  /// nothing of their caller.
  const Scope *parent = nullptr;
  llvm::StringMap<ValueRef> values;
  /// Opset by domain.
  llvm::StringMap<int> opsets;
  /// In a function body, the attributes of the call.
  const llvm::StringMap<onnx::AttributeProto> *attributes = nullptr;
  /// In a function body, the node of the model that calls it.
  const Node *caller = nullptr;

  /// The scope of a subgraph.
  static Scope inside(const Scope &parent) {
    Scope scope;
    scope.parent = &parent;
    scope.opsets = parent.opsets;
    scope.attributes = parent.attributes;
    scope.caller = parent.caller;
    return scope;
  }

  const ValueRef *find(llvm::StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (auto it = scope->values.find(name); it != scope->values.end())
        return &it->second;
    return nullptr;
  }
};

class Importer {
public:
  /// Fills the body of `function`, which is empty.
  Importer(onnx::ModelProto &model, std::string directory,
           mlir::func::FuncOp function);

  /// Emits the model. The lines say what could not be imported.
  llvm::SmallVector<std::string> run(const ImportOptions &options);

  /// Emits a graph whose inputs are bound in `scope` already. Its initializers
  /// and nodes are bound as they are met.
  mlir::LogicalResult importGraph(onnx::GraphProto &graph, Scope &scope);

  /// Emits a subgraph of a node at the insertion point and gives its outputs.
  mlir::FailureOr<llvm::SmallVector<ValueRef>>
  inlineSubgraph(const Node &node, const onnx::GraphProto &graph,
                 llvm::ArrayRef<ValueRef> inputs);

  /// A constant tensor as a value. Null after an error.
  ValueRef importConstant(onnx::TensorProto &tensor, llvm::StringRef name);

  /// A value over a tensor in the IR.
  ValueRef valueOf(const Tensor &tensor);

  /// Remembers why the current node fails.
  mlir::LogicalResult fail(const llvm::Twine &message) {
    error = message.str();
    return mlir::failure();
  }

  /// The same for a node that is wrong, whatever ampc supports.
  mlir::LogicalResult reject(const llvm::Twine &message) {
    rejected = true;
    return fail(message);
  }

  /// How many nodes have failed so far.
  size_t numErrors() const { return errors.size(); }

  mlir::OpBuilder builder;
  ScalarBuilder scalars;
  Weights weights;
  ValueForms forms;
  ExternalData external;

private:
  // Signature.cpp
  mlir::LogicalResult bindInputs(const ImportOptions &options, Scope &scope);
  mlir::Value withUnusedBits(mlir::Value input, DType dtype);
  mlir::LogicalResult setResults(const Scope &scope);

  // Importer.cpp
  mlir::LogicalResult importNode(onnx::NodeProto &proto, int index,
                                 Scope &scope);
  void note(const Node &node, bool good);
  void reportFailure(const Node &node);
  mlir::LogicalResult resolve(Node &node, int index, const Scope &scope);
  mlir::LogicalResult build(Node &node, const Scope &scope);
  mlir::LogicalResult checkSizes(Node &node, unsigned index,
                                 const NamedValue &value);
  mlir::LogicalResult checkOutputs(Node &node,
                                   llvm::ArrayRef<onnx::TypeProto> inferred);
  mlir::LogicalResult placeholders(Node &node,
                                   llvm::ArrayRef<onnx::TypeProto> inferred);

  // Functions.cpp
  const onnx::FunctionProto *
  findLocalFunction(const onnx::NodeProto &proto) const;
  mlir::LogicalResult inlineFunction(Node &node, onnx::FunctionProto &function,
                                     const Scope &scope);

  // Unsupported.cpp
  void findUnsupported(onnx::GraphProto &graph, const Scope &scope);
  void findUnsupported(onnx::NodeProto &proto, int index, const Scope &scope,
                       llvm::StringRef inside);

  onnx::ModelProto &model;
  mlir::func::FuncOp function;
  /// Functions that findUnsupported has been through.
  llvm::DenseSet<const onnx::FunctionProto *> searched;
  /// The model's functions by functionKey.
  llvm::StringMap<const onnx::FunctionProto *> functions;
  /// How many nodes may still be built: what bodies and unrolled loops add up
  /// to has no bound of its own.
  int64_t nodesLeft = 0, maxNodes = 0;
  ImportRecord *record = nullptr;
  Scope top;
  /// Names of symbolic dimensions with the size that stands for them.
  llvm::StringMap<Scalar> symbols;
  /// Why the current node fails.
  std::string error;
  /// And that no other way of building it is to be tried.
  bool rejected = false;
  llvm::SmallVector<std::string> errors;
};

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_IMPORTER_H
