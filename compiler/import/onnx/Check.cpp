//===- Check.cpp - Whether a model is well-formed -------------------------===//
//
// What libonnx's checker does, but naming nodes as the importer does, listing
// all that is wrong, and within bounds. It still judges nodes against their
// schemas, and attributes.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Check.h"

#include "compiler/import/onnx/Model.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <onnx/onnx_pb.h>

using llvm::StringRef;
using llvm::Twine;

namespace ampc::onnx_import {
namespace {

using Opsets = std::unordered_map<std::string, int>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// A graph or function body, and what it may refer to.
struct Place {
  const Place *parent; ///< The graph around a subgraph.
  const Opsets &opsets;
  const onnx::FunctionProto *function; ///< Whose body it is.
  llvm::StringSet<> names;             ///< Defined so far.

  bool knows(StringRef name) const {
    for (const Place *place = this; place; place = place->parent)
      if (place->names.contains(name))
        return true;
    return false;
  }
};

class Check {
public:
  Check(const onnx::ModelProto &model, const Limits &limits,
        StringRef directory)
      : model(model), limits(limits), directory(directory) {}

  std::vector<std::string> run();

private:
  void fail(const Twine &message) { errors.push_back(message.str()); }

  /// Runs `body` and puts `where()` before what it finds.
  template <typename Where, typename Body> void within(Where where, Body body) {
    size_t before = errors.size();
    body();
    for (size_t i = before; i < errors.size(); ++i)
      errors[i].insert(0, where());
  }

  template <typename Imports>
  void checkOpsets(const Imports &imports, Opsets &result);
  /// Adds up what nodes become when calls are expanded. False if it is too
  /// much.
  bool count(const Nodes &nodes, int depth, int64_t &total);
  bool expand(const onnx::FunctionProto &function, int depth);

  void checkFunction(const onnx::FunctionProto &function);
  void checkDeclarations(const onnx::GraphProto &graph, Place &place);
  void checkGraph(const onnx::GraphProto &graph, Place &place);
  void checkNodes(const Nodes &nodes, Place &place);
  void checkNode(const onnx::NodeProto &node, Place &place);
  void checkCall(const onnx::NodeProto &node,
                 const onnx::FunctionProto &function);
  void checkAttribute(const onnx::AttributeProto &attribute,
                      const Place &place);

  const onnx::ModelProto &model;
  const Limits &limits;
  StringRef directory;
  Opsets opsets;
  llvm::StringMap<const onnx::FunctionProto *> functions;
  /// How many nodes a call becomes; -1 while they are counted.
  llvm::DenseMap<const onnx::FunctionProto *, int64_t> expanded;
  std::vector<std::string> errors;
};

std::string functionName(const onnx::FunctionProto &function) {
  return "function '" + function.domain() + "." + function.name() + "'";
}

std::string domainName(const std::string &domain) {
  return "'" + (domain.empty() ? "ai.onnx" : domain) + "'";
}

/// Callers know inputs and outputs by C strings, and people by lines of text.
bool isPrintable(StringRef name) {
  return llvm::none_of(name,
                       [](unsigned char c) { return c < 32 || c == 127; });
}

} // namespace

template <typename Imports>
void Check::checkOpsets(const Imports &imports, Opsets &result) {
  for (const auto &import : imports) {
    std::string domain = plainDomain(import.domain());
    int64_t last = lastOpset(domain);
    if (import.version() < 1 || import.version() > last)
      fail("imports opset " + Twine(import.version()) + " of domain " +
           domainName(domain) + "; known are 1 to " + Twine(last));
    auto [it, added] =
        result.emplace(domain, static_cast<int>(import.version()));
    if (!added && it->second != import.version())
      fail("imports two opsets of domain " + domainName(domain));
  }
}

bool Check::count(const Nodes &nodes, int depth, int64_t &total) {
  if (depth > Limits::maxDepth) {
    fail("nests graphs and function calls more than " +
         Twine(Limits::maxDepth) + " deep, which is not supported");
    return false;
  }
  for (const onnx::NodeProto &node : nodes) {
    ++total;
    if (auto *function = functions.lookup(functionKey(node))) {
      if (!expand(*function, depth + 1))
        return false;
      total += expanded[function];
    }
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g() && !count(attribute.g().node(), depth + 1, total))
        return false;
      for (const onnx::GraphProto &graph : attribute.graphs())
        if (!count(graph.node(), depth + 1, total))
          return false;
    }
    // At each step, so that the sum stays far from overflow.
    if (total > limits.maxNodes) {
      fail("has more than " + Twine(limits.maxNodes) +
           " nodes after function calls are expanded; --max-nodes raises the "
           "limit");
      return false;
    }
  }
  return true;
}

bool Check::expand(const onnx::FunctionProto &function, int depth) {
  auto [it, added] = expanded.try_emplace(&function, -1);
  if (!added) {
    if (it->second < 0)
      fail(functionName(function) + " calls itself, which ONNX does not allow");
    return it->second >= 0;
  }
  int64_t total = 0;
  if (!count(function.node(), depth, total))
    return false;
  expanded[&function] = total;
  return true;
}

void Check::checkFunction(const onnx::FunctionProto &function) {
  Opsets imports;
  checkOpsets(function.opset_import(), imports);
  // Domains that a body does not mention are those of the model.
  imports.insert(opsets.begin(), opsets.end());
  Place place{nullptr, imports, &function, {}};
  for (const std::string &input : function.input())
    if (!place.names.insert(input).second)
      fail("has two inputs '" + input + "'");
  checkNodes(function.node(), place);
  for (const std::string &output : function.output())
    if (!place.names.contains(output))
      fail("does not define its output '" + output + "'");
}

/// Whether an input of this type can have the value of an initializer.
static bool agrees(const onnx::TypeProto &type,
                   const onnx::TensorProto &tensor) {
  if (!type.has_tensor_type())
    return type.value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (type.tensor_type().elem_type() != tensor.data_type())
    return false;
  const onnx::TensorShapeProto &shape = type.tensor_type().shape();
  if (!type.tensor_type().has_shape())
    return true;
  if (shape.dim_size() != tensor.dims_size())
    return false;
  for (int i = 0; i < tensor.dims_size(); ++i)
    if (shape.dim(i).dim_value() > 0 &&
        shape.dim(i).dim_value() != tensor.dims(i))
      return false;
  return true;
}

void Check::checkDeclarations(const onnx::GraphProto &graph, Place &place) {
  llvm::StringMap<const onnx::TypeProto *> inputs;
  for (const auto &input : graph.input()) {
    if (input.name().empty())
      fail("has an input without a name");
    else if (!place.parent && !isPrintable(input.name()))
      fail("has an input '" + input.name() + "', with control characters");
    else if (!inputs.try_emplace(input.name(), &input.type()).second)
      fail("has two inputs '" + input.name() + "'");
    place.names.insert(input.name());
  }
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (tensor.name().empty())
      fail("has an initializer without a name");
    else if (!initializers.insert(tensor.name()).second)
      fail("has two initializers '" + tensor.name() + "'");
    place.names.insert(tensor.name());
    auto input = inputs.find(tensor.name());
    if (input != inputs.end() && !agrees(*input->second, tensor))
      fail("initializer '" + tensor.name() +
           "' does not have the type that the input of that name declares");
  }
  for (const auto &sparse : graph.sparse_initializer())
    place.names.insert(sparse.values().name());
}

void Check::checkGraph(const onnx::GraphProto &graph, Place &place) {
  checkDeclarations(graph, place);
  checkNodes(graph.node(), place);
  if (!place.parent && !graph.output_size())
    fail("has no outputs, so there is nothing to compute");
  llvm::StringSet<> outputs;
  for (const auto &output : graph.output()) {
    if (output.name().empty())
      fail("has an output without a name");
    else if (!place.parent && !isPrintable(output.name()))
      fail("has an output '" + output.name() + "', with control characters");
    else if (!place.knows(output.name()))
      fail("output '" + output.name() + "' is defined by no node");
    // Names are how a caller tells the outputs of a model apart.
    if (!place.parent && !outputs.insert(output.name()).second)
      fail("has two outputs '" + output.name() + "'");
  }
}

void Check::checkNodes(const Nodes &nodes, Place &place) {
  for (int i = 0; i < nodes.size(); ++i)
    within([&] { return describe(nodes[i], i, 0) + ": "; },
           [&] { checkNode(nodes[i], place); });
}

void Check::checkNode(const onnx::NodeProto &node, Place &place) {
  if (node.op_type().empty())
    fail("has no op_type");
  for (const std::string &input : node.input())
    if (!input.empty() && !place.knows(input))
      fail("reads '" + input +
           "', which nothing before it defines (nodes must be in order and "
           "without cycles)");
  std::string domain = plainDomain(node.domain());
  auto opset = place.opsets.find(domain);
  if (auto *function = functions.lookup(functionKey(node)))
    checkCall(node, *function);
  else if (opset == place.opsets.end())
    fail("its domain " + domainName(domain) +
         " is not among the opsets that the model imports");
  else if (auto *schema = findSchema(node.op_type(), opset->second, domain))
    if (std::string why; !verifyNode(*schema, node, why))
      fail(why);

  llvm::StringSet<> names;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (!names.insert(attribute.name()).second)
      fail("has two attributes '" + attribute.name() + "'");
    within([&] { return "attribute '" + attribute.name() + "': "; },
           [&] { checkAttribute(attribute, place); });
  }
  for (const std::string &output : node.output())
    if (!output.empty() && !place.names.insert(output).second)
      fail("defines '" + output + "', which is defined already");
}

void Check::checkCall(const onnx::NodeProto &node,
                      const onnx::FunctionProto &function) {
  if (node.input_size() > function.input_size())
    fail("has " + Twine(node.input_size()) + " inputs where its function has " +
         Twine(function.input_size()));
  if (node.output_size() > function.output_size())
    fail("has " + Twine(node.output_size()) +
         " outputs where its function has " + Twine(function.output_size()));
}

/// Whether a function has an attribute of this name.
static bool declares(const onnx::FunctionProto &function,
                     const std::string &name) {
  return llvm::is_contained(function.attribute(), name) ||
         llvm::any_of(function.attribute_proto(), [&](const auto &attribute) {
           return attribute.name() == name;
         });
}

void Check::checkAttribute(const onnx::AttributeProto &attribute,
                           const Place &place) {
  const Place *body = &place;
  while (body->parent)
    body = body->parent;
  if (const std::string &name = attribute.ref_attr_name(); !name.empty()) {
    if (!body->function)
      fail("refers to '" + name + "', but is not in the body of a function");
    else if (!declares(*body->function, name))
      fail("refers to '" + name + "', which its function does not have");
    return;
  }
  auto checkSubgraph = [&](const onnx::GraphProto &graph) {
    Place inside{&place, place.opsets, nullptr, {}};
    checkGraph(graph, inside);
  };
  if (attribute.has_g())
    return checkSubgraph(attribute.g());
  for (const onnx::GraphProto &graph : attribute.graphs())
    checkSubgraph(graph);
  if (attribute.graphs_size())
    return;
  if (std::string why;
      !verifyAttribute(attribute, model.ir_version(), directory, why))
    fail(why);
}

std::vector<std::string> Check::run() {
  if (model.ir_version() < 1 || model.ir_version() > onnx::Version::IR_VERSION)
    fail("has IR version " + Twine(model.ir_version()) + "; known are 1 to " +
         Twine(int(onnx::Version::IR_VERSION)));
  checkOpsets(model.opset_import(), opsets);
  if (opsets.empty() && model.ir_version() >= 3)
    fail("imports no opset, so that its ops have no meaning");
  // The first models of all import none.
  if (opsets.empty())
    opsets[""] = 1;
  for (const onnx::FunctionProto &function : model.functions())
    if (!functions.try_emplace(functionKey(function), &function).second)
      fail("defines " + functionName(function) + " twice");
  if (!errors.empty())
    return errors;

  // Functions that nothing calls too: a model is well-formed or not.
  int64_t total = 0;
  for (const onnx::FunctionProto &function : model.functions())
    if (!expand(function, 0))
      return errors;
  if (!count(model.graph().node(), 0, total))
    return errors;
  for (const onnx::FunctionProto &function : model.functions())
    within([&] { return functionName(function) + ": "; },
           [&] { checkFunction(function); });
  Place place{nullptr, opsets, nullptr, {}};
  checkGraph(model.graph(), place);
  return std::move(errors);
}

std::vector<std::string> checkModel(const onnx::ModelProto &model,
                                    const Limits &limits, StringRef directory) {
  return Check(model, limits, directory).run();
}

} // namespace ampc::onnx_import
