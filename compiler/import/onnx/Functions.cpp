//===- Functions.cpp - Function bodies and subgraphs in place -------------===//

#include "compiler/import/onnx/Importer.h"

#include "compiler/import/onnx/Model.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

const onnx::FunctionProto *
Importer::findLocalFunction(const onnx::NodeProto &proto) const {
  return functions.lookup(functionKey(proto));
}

LogicalResult Importer::inlineFunction(Node &node,
                                       onnx::FunctionProto &function,
                                       const Scope &outer) {
  Scope scope;
  scope.caller = outer.caller ? outer.caller : &node;
  for (const auto &import : function.opset_import())
    scope.opsets[plainDomain(import.domain())] =
        static_cast<int>(import.version());
  // Domains that a body does not mention are those of the model.
  for (const auto &[domain, version] : outer.opsets)
    scope.opsets.try_emplace(domain, version);
  for (int i = 0; i < function.input_size(); ++i)
    scope.values[function.input(i)] =
        i < int(node.inputs.size()) ? node.inputs[i] : nullptr;

  // Declared defaults, then the schema's, then what the node says.
  llvm::StringMap<onnx::AttributeProto> attributes;
  for (const onnx::AttributeProto &attribute : function.attribute_proto())
    attributes[attribute.name()] = attribute;
  for (const std::string &name : function.attribute())
    if (const onnx::AttributeProto *attribute = node.find(name))
      attributes[name] = *attribute;
  for (const onnx::AttributeProto &attribute : node.proto->attribute())
    attributes[attribute.name()] = attribute;
  scope.attributes = &attributes;

  error.clear();
  int index = 0;
  for (onnx::NodeProto &proto : *function.mutable_node())
    if (failed(importNode(proto, index++, scope)))
      return failure();
  for (auto [i, name] : llvm::enumerate(node.outputNames)) {
    if (name.empty())
      continue;
    const ValueRef *value = i < size_t(function.output_size())
                                ? scope.find(function.output(i))
                                : nullptr;
    if (!value)
      return fail("its function body does not define output " + Twine(i));
    node.outputs[i] = *value;
  }
  return success();
}

FailureOr<SmallVector<ValueRef>>
Importer::inlineSubgraph(const Node &node, const onnx::GraphProto &original,
                         ArrayRef<ValueRef> inputs) {
  // Constants are moved out of what is imported, and this may be built again.
  onnx::GraphProto graph = original;
  Scope scope = Scope::inside(*node.scope);
  if (size_t(graph.input_size()) != inputs.size())
    return fail("has a subgraph with " + Twine(graph.input_size()) +
                " inputs instead of " + Twine(inputs.size()));
  for (auto [input, value] : llvm::zip(graph.input(), inputs))
    scope.values[input.name()] = value;
  if (failed(importGraph(graph, scope)))
    return failure();
  scalars.setLoc(node.loc);
  SmallVector<ValueRef> outputs;
  for (const auto &output : graph.output()) {
    const ValueRef *value = scope.find(output.name());
    if (!value || !*value)
      return fail("has a subgraph that does not define its output '" +
                  Twine(output.name()) + "'");
    forms.refresh(**value);
    outputs.push_back(*value);
  }
  return outputs;
}

} // namespace ampc::onnx_import
