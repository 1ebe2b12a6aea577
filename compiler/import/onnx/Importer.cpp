//===- Importer.cpp - Walks a graph and builds its nodes ------------------===//

#include "compiler/import/onnx/Importer.h"

#include "compiler/import/onnx/Import.h"
#include "compiler/import/onnx/ImportRecord.h"
#include "compiler/import/onnx/Initializers.h"
#include "compiler/import/onnx/Model.h"
#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Types.h"
#include "compiler/ir/SourceNodes.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

Importer::Importer(onnx::ModelProto &model, std::string directory,
                   func::FuncOp function)
    : builder(OpBuilder::atBlockEnd(&function.front())), scalars(builder),
      weights(function), forms(builder, scalars, weights),
      external(std::move(directory)), model(model), function(function) {
  for (const auto &import : model.opset_import())
    top.opsets[plainDomain(import.domain())] =
        static_cast<int>(import.version());
  if (top.opsets.empty())
    top.opsets[""] = 1;
  for (const onnx::FunctionProto &function : model.functions())
    functions[functionKey(function)] = &function;
}

SmallVector<std::string> Importer::run(const ImportOptions &options) {
  nodesLeft = maxNodes = options.maxNodes;
  record = options.record;
  if (record)
    for (const auto &[domain, version] : top.opsets)
      record->opsets.emplace_back(domain.empty() ? "ai.onnx" : domain.str(),
                                  version);
  findUnsupported(*model.mutable_graph(), top);
  if (!errors.empty() && !record)
    return errors;
  if ((failed(bindInputs(options, top)) ||
       failed(importGraph(*model.mutable_graph(), top)) ||
       (errors.empty() && failed(setResults(top)))) &&
      !error.empty())
    errors.push_back(error);
  return errors;
}

LogicalResult Importer::importGraph(onnx::GraphProto &graph, Scope &scope) {
  if (graph.sparse_initializer_size())
    return fail("sparse initializers are not supported; store '" +
                Twine(graph.sparse_initializer(0).values().name()) +
                "' as a dense tensor");
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    // Bound already: an input that stays one.
    if (scope.values.count(tensor.name()))
      continue;
    ValueRef value = importConstant(tensor, tensor.name());
    if (!value)
      return fail("initializer '" + Twine(tensor.name()) + "' " + error);
    scope.values[tensor.name()] = std::move(value);
  }
  int index = 0;
  for (onnx::NodeProto &proto : *graph.mutable_node())
    if (failed(importNode(proto, index++, scope))) {
      if (record)
        record->unknown += graph.node_size() - index;
      return failure();
    }
  return success();
}

ValueRef Importer::importConstant(onnx::TensorProto &tensor, StringRef name) {
  error.clear();
  ValueRef value =
      importTensor(tensor, name, external, builder.getContext(), error);
  // What shapes may be made of is a list from the start.
  if (value && value->canBeScalars() &&
      (isIndex(value->dtype) || value->dtype == DType::Bool))
    value->scalars = scalarsOf(value->constant, value->dtype);
  return value;
}

ValueRef Importer::valueOf(const Tensor &tensor) {
  auto value = std::make_shared<NamedValue>();
  value->dtype = tensor.dtype;
  value->dims = tensor.dims;
  value->tensor = tensor.value;
  value->constant = tensor.constant;
  return value;
}

/// Replaces references to attributes of the enclosing function.
static void resolveAttributes(onnx::NodeProto &proto, const Scope &scope) {
  auto &attributes = *proto.mutable_attribute();
  for (int i = attributes.size() - 1; i >= 0; --i) {
    onnx::AttributeProto &attribute = attributes[i];
    if (attribute.ref_attr_name().empty())
      continue;
    std::string name = attribute.name();
    auto it = scope.attributes->find(attribute.ref_attr_name());
    if (it == scope.attributes->end()) {
      attributes.DeleteSubrange(i, 1);
      continue;
    }
    attribute = it->second;
    attribute.set_name(name);
  }
}

LogicalResult Importer::resolve(Node &node, int index, const Scope &scope) {
  onnx::NodeProto &proto = *node.proto;
  std::string domain = plainDomain(proto.domain());
  node.scope = &scope;
  node.opset = scope.opsets.lookup(domain);
  if (!findLocalFunction(proto))
    node.schema = findSchema(proto.op_type(), node.opset, domain);
  node.version = node.schema ? sinceVersion(*node.schema) : 0;
  node.description = describe(proto, index, node.version);
  std::string name = proto.name().empty()
                         ? "#" + std::to_string(index) + " " + proto.op_type()
                         : proto.name();
  node.loc =
      amp::sourceLocation(builder.getContext(), {name, qualifiedOp(proto)});
  if (scope.caller) {
    // Reports speak of the node that is in the file.
    node.loc = scope.caller->loc;
    node.inBody = "in its function body, " + node.description + ": ";
    node.description = scope.caller->description;
  }
  for (const std::string &input : proto.input()) {
    const ValueRef *value = input.empty() ? nullptr : scope.find(input);
    if (!value && !input.empty())
      return fail("reads '" + Twine(input) + "', which nothing defines");
    node.inputs.push_back(value ? *value : nullptr);
    if (value && *value)
      forms.refresh(**value);
  }
  // A name inside a function may stand for an input that its caller leaves out.
  for (auto [i, value] : llvm::enumerate(node.inputs))
    if (!value && node.schema && !isOptionalInput(*node.schema, i))
      return fail("input " + Twine(i) + " is left out and has to be there");
  for (const std::string &output : proto.output())
    node.outputNames.push_back(output);
  node.outputs.resize(node.outputNames.size());
  return success();
}

static bool hasSubgraph(const onnx::NodeProto &proto) {
  return llvm::any_of(proto.attribute(), [](const auto &attribute) {
    return attribute.has_g() || attribute.graphs_size();
  });
}

LogicalResult Importer::importNode(onnx::NodeProto &proto, int index,
                                   Scope &scope) {
  error.clear();
  if (nodesLeft-- == 0)
    errors.push_back("becomes more than the " + std::to_string(maxNodes) +
                     " nodes that --max-nodes allows, when function bodies are "
                     "inlined and loops unrolled");
  if (nodesLeft < 0)
    return failure();
  Node node{&proto, nullptr, 0, 0, builder.getUnknownLoc()};
  onnx::NodeProto resolved;
  if (llvm::any_of(proto.attribute(), [](const auto &attribute) {
        return !attribute.ref_attr_name().empty();
      })) {
    resolved = proto;
    resolveAttributes(resolved, scope);
    node.proto = &resolved;
  }
  error.clear();
  size_t errorsBefore = errors.size();
  std::vector<onnx::TypeProto> inferred;
  LogicalResult built = resolve(node, index, scope);
  if (succeeded(built)) {
    scalars.setLoc(node.loc);
    std::vector<onnx::TypeProto> types;
    std::string why, unused;
    if (node.schema && hasSubgraph(*node.proto)) {
      // Its outputs' types are those of the subgraphs, which are built below.
      for (const ValueRef &input : node.inputs)
        types.push_back(input ? typeProto(*input) : onnx::TypeProto());
      if (!acceptsInputs(*node.schema, types, why))
        built = fail(why);
    } else if (node.schema) {
      std::vector<std::unique_ptr<onnx::TensorProto>> constants;
      SmallVector<const onnx::TensorProto *> constantPointers;
      for (const ValueRef &input : node.inputs) {
        types.push_back(input ? typeProto(*input) : onnx::TypeProto());
        constants.push_back(input ? constantProto(*input) : nullptr);
        constantPointers.push_back(constants.back().get());
      }
      if (!inferTypes(*node.schema, *node.proto, types, constantPointers,
                      inferred, why)) {
        // Lists of one element are widely given where scalars are asked for.
        for (onnx::TypeProto &type : types)
          if (type.has_tensor_type() &&
              type.tensor_type().shape().dim_size() == 1 &&
              type.tensor_type().shape().dim(0).dim_value() == 1)
            type.mutable_tensor_type()->mutable_shape()->clear_dim();
        if (!inferTypes(*node.schema, *node.proto, types, constantPointers,
                        inferred, unused))
          built = fail(why);
      }
    }
  }
  if (succeeded(built))
    built = build(node, scope);
  if (succeeded(built))
    built = checkOutputs(node, inferred);
  if (failed(built)) {
    // A subgraph has reported already.
    if (error.empty() && errors.size() > errorsBefore)
      return failure();
    if (error.empty())
      error = "is not well-formed";
    if (scope.caller) {
      if (!StringRef(error).starts_with("in its function body"))
        error = node.inBody + error;
      return failure();
    }
    // Go on with what inference knows, to list everything that fails.
    reportFailure(node);
    note(node, false);
    if (failed(placeholders(node, inferred)))
      return failure();
  } else if (!scope.caller) {
    note(node, true);
  }
  for (auto [name, value] : llvm::zip(node.outputNames, node.outputs))
    if (!name.empty())
      scope.values[name] = value;
  return success();
}

void Importer::reportFailure(const Node &node) {
  // Unless it was known to be unsupported before anything was built.
  if (llvm::none_of(errors, [&](StringRef line) {
        return line.starts_with(node.description);
      }))
    errors.push_back(node.description + ": " + error);
  error.clear();
}

void Importer::note(const Node &node, bool good) {
  if (!record)
    return;
  auto typesOf = [](ArrayRef<ValueRef> values) {
    std::string types, last;
    for (const ValueRef &value : values) {
      if (!value || dtypeName(value->dtype) == last)
        continue;
      last = dtypeName(value->dtype);
      types += (types.empty() ? "" : ", ") + last;
    }
    return types;
  };
  std::string domain = plainDomain(node.proto->domain());
  std::string from = typesOf(node.inputs), to = typesOf(node.outputs);
  if (!to.empty() && from != to)
    from += (from.empty() ? "-> " : " -> ") + to;
  record->nodes.push_back(
      {(domain.empty() ? "" : domain + ".") + node.proto->op_type(),
       node.version, from, good});
}

LogicalResult Importer::build(Node &node, const Scope &scope) {
  if (const onnx::FunctionProto *function = findLocalFunction(*node.proto)) {
    onnx::FunctionProto copy = *function;
    return inlineFunction(node, copy, scope);
  }
  if (!node.schema)
    return fail("is not a known op of opset " + Twine(node.opset));
  BuildFn build = OpTable::get().find(node.proto->domain(),
                                      node.proto->op_type(), node.version);
  if (build) {
    NodeBuilder nodeBuilder(*this, node);
    rejected = false;
    if (succeeded(build(nodeBuilder)))
      return success();
    if (rejected ||
        llvm::any_of(node.outputs, [](const ValueRef &v) { return bool(v); }))
      return failure();
  } else {
    error = "is not supported";
  }
  std::vector<onnx::TypeProto> types;
  for (const ValueRef &input : node.inputs)
    types.push_back(input ? typeProto(*input) : onnx::TypeProto());
  auto body = functionBody(*node.schema, *node.proto, types, node.opset);
  if (!body)
    return failure();
  return inlineFunction(node, *body, scope);
}

LogicalResult Importer::checkSizes(Node &node, unsigned index,
                                   const NamedValue &value) {
  std::string who = "output " + std::to_string(index);
  SmallVector<int64_t> shape = staticShape(value.dims);
  auto negative = [](int64_t size) {
    return !ShapedType::isDynamic(size) && size < 0;
  };
  if (llvm::any_of(shape, negative))
    return fail(who + " would have a negative size: " + toString(value.dims));
  if (!isAddressable(shape, elementType(builder.getContext(), value.dtype)))
    return fail(who + " is larger than any memory: " + toString(value.dims));
  // What only the run knows is tested there, unless it is made of sizes.
  NodeBuilder b(*this, node);
  for (Scalar size : value.dims)
    if (!isNonNegative(size) &&
        failed(b.require(
            scalars.compare(arith::CmpIPredicate::sge, size, scalars.index(0)),
            who + " would have a negative size")))
      return failure();
  return success();
}

LogicalResult Importer::checkOutputs(Node &node,
                                     ArrayRef<onnx::TypeProto> inferred) {
  for (auto [i, value] : llvm::enumerate(node.outputs)) {
    if (node.outputNames[i].empty())
      continue;
    if (!value)
      return fail("output " + Twine(i) + " is not supported");
    if (failed(checkSizes(node, i, *value)))
      return failure();
    if (i < inferred.size() &&
        llvm::any_of(
            inferred[i].tensor_type().shape().dim(),
            [](const auto &dim) { return dim.dim_value() < 0; }))
      return fail("output " + Twine(i) + " would have a negative size");
    std::string why;
    if (i < inferred.size() && !agrees(*value, inferred[i], why))
      return fail("output " + Twine(i) + " is not what ONNX infers: " + why);
  }
  return success();
}

LogicalResult Importer::placeholders(Node &node,
                                     ArrayRef<onnx::TypeProto> inferred) {
  // The module will be thrown away: values need types only.
  auto undefined = [&](Type type) -> Value {
    return builder
        .create<UnrealizedConversionCastOp>(node.loc, type, ValueRange())
        .getResult(0);
  };
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= inferred.size() || !inferred[i].has_tensor_type() ||
        !inferred[i].tensor_type().has_shape())
      return failure();
    const auto &type = inferred[i].tensor_type();
    if (llvm::any_of(type.shape().dim(),
                     [](const auto &dim) { return dim.dim_value() < 0; }))
      return failure();
    Tensor tensor;
    tensor.dtype = static_cast<DType>(type.elem_type());
    if (!elementType(builder.getContext(), tensor.dtype))
      return failure();
    for (const auto &dim : type.shape().dim())
      tensor.dims.push_back(dim.has_dim_value()
                                ? scalars.index(dim.dim_value())
                                : Scalar(undefined(builder.getIndexType())));
    tensor.value = undefined(forms.type(tensor.dtype, tensor.dims));
    node.outputs[i] = valueOf(tensor);
  }
  return success();
}

} // namespace ampc::onnx_import
