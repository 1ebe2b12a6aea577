//===- Model.cpp - The one door to libonnx --------------------------------===//

#include "compiler/import/onnx/Model.h"

#include "compiler/import/onnx/Check.h"

#include "llvm/ADT/ScopeExit.h"

#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ampc::onnx_import {

/// Runs `body`; false with `error` set if it throws.
template <typename Body> static bool guarded(std::string &error, Body body) {
  try {
    body();
    return true;
  } catch (const std::exception &exception) {
    error = exception.what();
  } catch (...) {
    error = "libonnx failed";
  }
  // One line: libonnx appends context after newlines.
  std::string line;
  llvm::StringRef text = llvm::StringRef(error).trim();
  for (llvm::StringRef kind :
       {"[ShapeInferenceError] ", "[TypeInferenceError] "})
    text.consume_front(kind);
  for (char c : text)
    if (c != '\n')
      line += c;
    else if (!llvm::StringRef(line).ends_with(" "))
      line += ' ';
  error = line;
  return false;
}

std::string modelDirectory(llvm::StringRef path) {
  size_t slash = path.rfind('/');
  return slash == llvm::StringRef::npos ? "."
                                        : path.take_front(slash + 1).str();
}

/// How deep brackets of ONNX's text syntax stand in brackets. Its parser calls
/// itself for each.
static int bracketDepth(llvm::StringRef text) {
  int depth = 0, deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
    } else if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (llvm::StringRef("<({[").contains(text[i])) {
      deepest = std::max(deepest, ++depth);
    } else if (llvm::StringRef(">)}]").contains(text[i])) {
      --depth;
    }
  }
  return deepest;
}

static void parseText(int file, onnx::ModelProto &model) {
  google::protobuf::io::FileInputStream input(file);
  std::string text;
  const void *data;
  for (int size; input.Next(&data, &size);)
    text.append(static_cast<const char *>(data), size);
  if (bracketDepth(text) > Limits::maxBrackets)
    throw std::runtime_error("nests brackets more than " +
                             std::to_string(Limits::maxBrackets) +
                             " deep, which is not supported");
  auto status = onnx::OnnxParser::Parse(model, text);
  if (!status.IsOK())
    throw std::runtime_error(status.ErrorMessage());
}

static void parseBinary(int file, off_t size, onnx::ModelProto &model) {
  if (size > INT32_MAX)
    throw std::runtime_error("is larger than the 2 GiB that protobuf reads; "
                             "its weights have to be external data");
  google::protobuf::io::FileInputStream input(file);
  google::protobuf::io::CodedInputStream coded(&input);
  // A graph in a graph is three messages in messages.
  coded.SetRecursionLimit(3 * Limits::maxDepth + 10);
  // Any bytes parse as some protobuf; without a graph it is no model.
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() ||
      !model.has_graph())
    throw std::runtime_error("is not an ONNX model, or is truncated (or nests "
                             "graphs more than " +
                             std::to_string(Limits::maxDepth) + " deep)");
}

static void parse(llvm::StringRef path, onnx::ModelProto &model) {
  // Opening a pipe would wait for its other end.
  int file = open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    throw std::runtime_error(std::string("cannot be opened: ") +
                             strerror(errno));
  auto closeFile = llvm::make_scope_exit([&] { close(file); });
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    throw std::runtime_error("is not a regular file");
  if (!status.st_size)
    throw std::runtime_error("is empty");
  if (path.ends_with(".onnxtxt"))
    parseText(file, model);
  else
    parseBinary(file, status.st_size, model);
}

static void dropValueInfo(onnx::GraphProto &graph) {
  graph.clear_value_info();
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        dropValueInfo(*attribute.mutable_g());
      for (onnx::GraphProto &inner : *attribute.mutable_graphs())
        dropValueInfo(inner);
    }
}

std::unique_ptr<onnx::ModelProto> loadModel(llvm::StringRef path,
                                            std::string &error) {
  auto model = std::make_unique<onnx::ModelProto>();
  if (!guarded(error, [&] { parse(path, *model); }))
    return nullptr;
  dropValueInfo(*model->mutable_graph());
  return model;
}

std::string qualifiedOp(const onnx::NodeProto &proto) {
  std::string domain = plainDomain(proto.domain());
  return domain.empty() ? proto.op_type() : domain + "." + proto.op_type();
}

std::string describe(const onnx::NodeProto &proto, int index, int version) {
  std::string text = proto.name().empty() ? "node #" + std::to_string(index)
                                          : "node '" + proto.name() + "'";
  text += " (" + qualifiedOp(proto);
  if (version)
    text += ", version " + std::to_string(version);
  return text + ")";
}

std::string plainDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain.str();
}

static std::string functionKey(const std::string &domain,
                               const std::string &name,
                               const std::string &overload) {
  return domain + '\0' + name + '\0' + overload;
}

std::string functionKey(const onnx::FunctionProto &function) {
  return functionKey(function.domain(), function.name(), function.overload());
}

std::string functionKey(const onnx::NodeProto &call) {
  return functionKey(call.domain(), call.op_type(), call.overload());
}

int lastOpset(const std::string &domain) {
  const auto &known =
      onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  auto range = known.find(domain);
  return range == known.end() ? INT32_MAX : range->second.second;
}

bool verifyNode(const onnx::OpSchema &schema, const onnx::NodeProto &node,
                std::string &why) {
  return guarded(why, [&] { schema.Verify(node); });
}

bool verifyAttribute(const onnx::AttributeProto &attribute, int64_t irVersion,
                     llvm::StringRef directory, std::string &why) {
  return guarded(why, [&] {
    onnx::checker::CheckerContext context;
    context.set_ir_version(static_cast<int>(irVersion));
    context.set_model_dir(directory.str());
    onnx::checker::check_attribute(attribute, context,
                                   onnx::checker::LexicalScopeContext());
  });
}

int openExternalData(llvm::StringRef directory, llvm::StringRef location,
                     llvm::StringRef tensor, std::string &error) {
  int file = -1;
  guarded(error, [&] {
    file = static_cast<int>(onnx::checker::open_external_data(
        directory.str(), location.str(), tensor.str(), /*read_only=*/true));
  });
  return file;
}

const onnx::OpSchema *findSchema(llvm::StringRef op, int opset,
                                 llvm::StringRef domain) {
  return onnx::OpSchemaRegistry::Schema(op.str(), opset, plainDomain(domain));
}

int sinceVersion(const onnx::OpSchema &schema) {
  return schema.since_version();
}

bool isDeprecated(const onnx::OpSchema &schema) { return schema.deprecated(); }

const onnx::AttributeProto *defaultAttribute(const onnx::OpSchema &schema,
                                             llvm::StringRef name) {
  auto it = schema.attributes().find(name.str());
  if (it == schema.attributes().end() || !it->second.default_value.has_type())
    return nullptr;
  return &it->second.default_value;
}

/// The version of a body to use: the newest that the opset has or else the
/// first. All versions mean the same, and a body is built in its own opset. 0
/// if none.
static int bodyVersion(llvm::ArrayRef<int> versions, int opset) {
  int newest = 0, first = 0;
  for (int version : versions) {
    if (version <= opset)
      newest = std::max(newest, version);
    first = first ? std::min(first, version) : version;
  }
  return newest ? newest : first;
}

bool hasFunctionBody(const onnx::OpSchema &schema) {
  return schema.HasFunction() || schema.HasContextDependentFunction();
}

std::unique_ptr<onnx::FunctionProto>
staticFunctionBody(const onnx::OpSchema &schema, int opset) {
  int version = bodyVersion(schema.function_opset_versions(), opset);
  const onnx::FunctionProto *function =
      version ? schema.GetFunction(version) : nullptr;
  if (!function)
    return nullptr;
  auto body = std::make_unique<onnx::FunctionProto>(*function);
  for (auto &import : *body->mutable_opset_import())
    if (import.domain() == schema.domain())
      import.set_version(version);
  return body;
}

std::unique_ptr<onnx::FunctionProto>
functionBody(const onnx::OpSchema &schema, const onnx::NodeProto &node,
             llvm::ArrayRef<onnx::TypeProto> inputs, int opset) {
  std::unique_ptr<onnx::FunctionProto> body = staticFunctionBody(schema, opset);
  if (body)
    return body;
  std::string error;
  bool built = guarded(error, [&] {
    int version =
        bodyVersion(schema.context_dependent_function_opset_versions(), opset);
    if (!version)
      return;
    onnx::FunctionBodyBuildContextImpl context(
        node, std::vector<onnx::TypeProto>(inputs.begin(), inputs.end()));
    body = std::make_unique<onnx::FunctionProto>();
    if (!schema.BuildContextDependentFunction(context, *body, version))
      body.reset();
  });
  return built ? std::move(body) : nullptr;
}

bool isOptionalInput(const onnx::OpSchema &schema, size_t i) {
  const auto &formals = schema.inputs();
  return i < formals.size() &&
         formals[i].GetOption() == onnx::OpSchema::Optional;
}

bool acceptsInputs(const onnx::OpSchema &schema,
                   llvm::ArrayRef<onnx::TypeProto> inputs, std::string &why) {
  return guarded(why, [&] {
    const auto &formals = schema.inputs();
    for (size_t i = 0; i < inputs.size() && !formals.empty(); ++i) {
      if (inputs[i].value_case() == onnx::TypeProto::VALUE_NOT_SET)
        continue;
      auto type = onnx::Utils::DataTypeUtils::ToType(inputs[i]);
      // The last is for all that follow, too.
      if (!formals[std::min(i, formals.size() - 1)].GetTypes().count(type))
        throw std::runtime_error("input " + std::to_string(i) + " is a " +
                                 *type + ", which the op does not take");
    }
  });
}

bool inferTypes(const onnx::OpSchema &schema, const onnx::NodeProto &node,
                llvm::ArrayRef<onnx::TypeProto> inputs,
                llvm::ArrayRef<const onnx::TensorProto *> constants,
                std::vector<onnx::TypeProto> &outputs, std::string &error) {
  return guarded(error, [&] {
    // libonnx cuts them to 32 bits and then counts on them.
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.name() == "axis" && attribute.i() != int32_t(attribute.i()))
        throw std::runtime_error("axis " + std::to_string(attribute.i()) +
                                 " is out of range");
    onnx::NodeProto mutableNode = node;
    std::vector<onnx::TypeProto> types(inputs.begin(), inputs.end());
    std::unordered_map<std::string, onnx::TypeProto *> typeOf;
    std::unordered_map<std::string, const onnx::TensorProto *> dataOf;
    std::unordered_map<std::string, const onnx::SparseTensorProto *> sparse;
    std::unordered_set<std::string> unbound;
    for (int i = 0; i < node.input_size(); ++i) {
      if (types[i].value_case() != onnx::TypeProto::VALUE_NOT_SET)
        typeOf[node.input(i)] = &types[i];
      else
        unbound.insert(node.input(i));
      if (constants[i])
        dataOf[node.input(i)] = constants[i];
    }
    onnx::shape_inference::InferenceContextImpl context(
        mutableNode, typeOf, dataOf, sparse,
        onnx::ShapeInferenceOptions(true, 1, false), nullptr, nullptr,
        &unbound);
    schema.GetTypeAndShapeInferenceFunction()(context);
    schema.CheckInputOutputType(context);
    outputs = context.allOutputTypes_;
  });
}

} // namespace ampc::onnx_import
