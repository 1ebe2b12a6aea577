//===- Schema.cpp - Schemas of ops that libonnx does not know -------------===//

#include "compiler/import/onnx/Schema.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

using namespace llvm;
using onnx::OpSchema;

namespace ampc::onnx_import {

static std::string tensorType(StringRef element) {
  return ("tensor(" + element.trim() + ")").str();
}

static SmallVector<StringRef> words(StringRef text, char separator = ' ') {
  SmallVector<StringRef> parts;
  text.split(parts, separator, /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return parts;
}

static void addTypes(OpSchema &schema, StringRef types,
                     StringSet<> &variables) {
  for (StringRef constraint : words(types, ';')) {
    auto [name, elements] = constraint.split('=');
    std::vector<std::string> allowed;
    for (StringRef element : words(elements))
      allowed.push_back(tensorType(element));
    schema.TypeConstraint(name.trim().str(), allowed, "");
    variables.insert(name.trim());
  }
}

static void addParameters(OpSchema &schema, StringRef parameters, bool output,
                          const StringSet<> &variables) {
  int index = 0;
  for (StringRef text : words(parameters)) {
    auto option = OpSchema::Single;
    if (text.consume_back("?"))
      option = OpSchema::Optional;
    else if (text.consume_back("*"))
      option = OpSchema::Variadic;
    bool isHomogeneous = !text.consume_back("*");
    auto [name, type] = text.split(':');
    std::string typeName =
        variables.contains(type) ? type.str() : tensorType(type);
    OpSchema::FormalParameter parameter(name.str(), "", typeName, option,
                                        isHomogeneous,
                                        /*min_arity=*/1);
    if (output)
      schema.Output(index++, parameter);
    else
      schema.Input(index++, parameter);
  }
}

static void addAttribute(OpSchema &schema, const SchemaAttribute &attribute) {
  using Type = onnx::AttributeProto;
  if (auto *number = std::get_if<int64_t>(&attribute.value)) {
    schema.Attr(attribute.name, "", Type::INT, *number);
  } else if (auto *number = std::get_if<float>(&attribute.value)) {
    schema.Attr(attribute.name, "", Type::FLOAT, *number);
  } else if (auto *text = std::get_if<std::string>(&attribute.value)) {
    schema.Attr(attribute.name, "", Type::STRING, *text);
  } else {
    static constexpr Type::AttributeType types[] = {
        Type::INT, Type::FLOAT, Type::STRING, Type::INTS, Type::FLOATS};
    auto open = std::get<NoDefault>(attribute.value);
    schema.Attr(std::string(attribute.name), "", types[open.type],
                open.required);
  }
}

static void addBody(OpSchema &schema, const Schema &source) {
  onnx::FunctionProto body;
  onnx::OnnxParser parser(source.body);
  auto status = parser.Parse(*body.mutable_node());
  if (!status.IsOK())
    throw std::logic_error(status.ErrorMessage());
  onnx::OperatorSetIdProto standard, own;
  standard.set_version(Schema::kBodyOpset);
  own.set_domain(source.domain.str());
  own.set_version(1);
  schema.FunctionBody({body.node().begin(), body.node().end()}, {standard, own},
                      1);
}

void registerSchema(const Schema &source) {
  try {
    auto &domains = onnx::OpSchemaRegistry::DomainToVersionRange::Instance();
    if (!domains.Map().count(source.domain.str()))
      domains.AddDomainToVersion(source.domain.str(), 1, 1);
    OpSchema schema(source.name.str(), __FILE__, __LINE__);
    schema.SetDomain(source.domain.str()).SinceVersion(1);
    StringSet<> variables;
    addTypes(schema, source.types, variables);
    addParameters(schema, source.inputs, /*output=*/false, variables);
    addParameters(schema, source.outputs, /*output=*/true, variables);
    for (const SchemaAttribute &attribute : source.attributes)
      addAttribute(schema, attribute);
    if (source.body)
      addBody(schema, source);
    onnx::RegisterSchema(std::move(schema), /*opset_version_to_load=*/0,
                         /*fail_duplicate_schema=*/true,
                         /*fail_with_exception=*/true);
  } catch (const std::exception &exception) {
    report_fatal_error(Twine("schema of ") + source.name + ": " +
                       exception.what());
  }
}

} // namespace ampc::onnx_import
