//===- Unsupported.cpp - What of a model has no builder -------------------===//
//
// Runs before anything is built, so that one compilation names every op that a
// model would need.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Importer.h"
#include "compiler/import/onnx/Model.h"
#include "compiler/import/onnx/OpTable.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

void Importer::findUnsupported(onnx::GraphProto &graph, const Scope &scope) {
  int index = 0;
  for (onnx::NodeProto &proto : *graph.mutable_node())
    findUnsupported(proto, index++, scope, "");
}

static Scope bodyScope(const onnx::FunctionProto &function,
                       const Scope &outer) {
  Scope scope;
  scope.opsets = outer.opsets;
  for (const auto &import : function.opset_import())
    scope.opsets[plainDomain(import.domain())] =
        static_cast<int>(import.version());
  return scope;
}

void Importer::findUnsupported(onnx::NodeProto &proto, int index,
                               const Scope &scope, StringRef inside) {
  std::string domain = plainDomain(proto.domain());
  auto report = [&](int version, StringRef why) {
    errors.push_back(inside.str() + describe(proto, index, version) + ": " +
                     why.str());
  };
  auto searchBody = [&](const onnx::FunctionProto &function, int version) {
    Scope body = bodyScope(function, scope);
    std::string where = inside.empty() ? describe(proto, index, version) +
                                             ": in its function body, "
                                       : inside.str();
    onnx::FunctionProto copy = function;
    int bodyIndex = 0;
    for (onnx::NodeProto &inner : *copy.mutable_node())
      findUnsupported(inner, bodyIndex++, body, where);
  };
  if (const onnx::FunctionProto *function = findLocalFunction(proto)) {
    // Once each: what calls add up to has no bound.
    if (searched.insert(function).second)
      searchBody(*function, 0);
    return;
  }
  int opset = scope.opsets.lookup(domain);
  const onnx::OpSchema *schema =
      opset ? findSchema(proto.op_type(), opset, domain) : nullptr;
  if (!schema)
    return report(0, "is not a known op");
  int version = sinceVersion(*schema);
  if (isDeprecated(*schema))
    return report(version, "is deprecated in opset " + std::to_string(opset));
  if (OpTable::get().find(domain, proto.op_type(), version))
    return;
  if (!hasFunctionBody(*schema)) {
    report(version, "is not supported");
    for (onnx::AttributeProto &attribute : *proto.mutable_attribute())
      if (attribute.has_g())
        findUnsupported(*attribute.mutable_g(), scope);
    return;
  }
  // Bodies that depend on the node's types are searched when they are built.
  if (auto body = staticFunctionBody(*schema, opset))
    searchBody(*body, version);
}

} // namespace ampc::onnx_import
