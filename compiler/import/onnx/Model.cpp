//===- Model.cpp - The one door to libonnx --------------------------------===//

#include "compiler/import/onnx/Model.h"

#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <fcntl.h>
#include <fstream>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sstream>
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

static bool parse(llvm::StringRef path, onnx::ModelProto &model,
                  std::string &error) {
  if (path.ends_with(".onnxtxt")) {
    std::ifstream file(path.str());
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
      error = "cannot be read";
      return false;
    }
    std::string source = text.str();
    auto status = onnx::OnnxParser::Parse(model, source);
    if (!status.IsOK())
      error = status.ErrorMessage();
    return status.IsOK();
  }
  int file = open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    error = std::string("cannot be opened: ") + strerror(errno);
    return false;
  }
  bool parsed;
  {
    google::protobuf::io::FileInputStream input(file);
    parsed = model.ParseFromZeroCopyStream(&input);
  }
  close(file);
  // Any bytes parse as some protobuf; without a graph it is no model.
  if (!parsed || !model.has_graph())
    error = "is not an ONNX model (or is truncated)";
  return parsed && model.has_graph();
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

/// As onnx::checker::check_model on a parsed model with a directory.
static void check(const onnx::ModelProto &model, llvm::StringRef directory) {
  onnx::checker::CheckerContext context;
  if (!model.ir_version() || model.ir_version() > onnx::Version::IR_VERSION)
    throw std::runtime_error(
        "has IR version " + std::to_string(model.ir_version()) +
        "; known are 1 to " + std::to_string(onnx::Version::IR_VERSION));
  std::unordered_map<std::string, int> opsets;
  for (const auto &import : model.opset_import()) {
    if (import.version() < 1 || import.version() > 1 << 20)
      throw std::runtime_error("imports impossible opset version " +
                               std::to_string(import.version()));
    opsets[import.domain()] = static_cast<int>(import.version());
  }
  if (opsets.empty())
    opsets[""] = 1;
  context.set_ir_version(static_cast<int>(model.ir_version()));
  context.set_opset_imports(opsets);
  context.set_model_dir(directory.str());
  context.set_skip_opset_compatibility_check(true);
  onnx::checker::LexicalScopeContext scope;
  onnx::checker::check_graph(model.graph(), context, scope);
  if (model.functions_size())
    onnx::checker::check_model_local_functions(model, context, scope);
}

std::unique_ptr<onnx::ModelProto> loadModel(llvm::StringRef path,
                                            std::string &error) {
  auto model = std::make_unique<onnx::ModelProto>();
  bool loaded = false;
  if (!guarded(error, [&] {
        loaded = parse(path, *model, error);
        if (!loaded)
          return;
        dropValueInfo(*model->mutable_graph());
        check(*model, modelDirectory(path));
      }))
    return nullptr;
  return loaded ? std::move(model) : nullptr;
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
  return onnx::OpSchemaRegistry::Schema(
      op.str(), opset, domain == "ai.onnx" ? std::string() : domain.str());
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

bool inferTypes(const onnx::OpSchema &schema, const onnx::NodeProto &node,
                llvm::ArrayRef<onnx::TypeProto> inputs,
                llvm::ArrayRef<const onnx::TensorProto *> constants,
                std::vector<onnx::TypeProto> &outputs, std::string &error) {
  return guarded(error, [&] {
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
