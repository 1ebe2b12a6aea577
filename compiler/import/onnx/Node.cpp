//===- Node.cpp - One node with its inputs resolved -----------------------===//

#include "compiler/import/onnx/Node.h"

#include "compiler/import/onnx/Model.h"

#include <onnx/onnx_pb.h>

using namespace llvm;

namespace ampc::onnx_import {

static onnx::AttributeProto *findOwn(onnx::NodeProto &node, StringRef name) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (name == attribute.name())
      return &attribute;
  return nullptr;
}

const onnx::AttributeProto *Node::find(StringRef name) const {
  if (const onnx::AttributeProto *own = findOwn(*proto, name))
    return own;
  return schema ? defaultAttribute(*schema, name) : nullptr;
}

bool Node::hasAttr(StringRef name) const { return findOwn(*proto, name); }

std::optional<int64_t> Node::intAttr(StringRef name) const {
  if (const auto *attribute = find(name))
    return attribute->i();
  return std::nullopt;
}

std::optional<double> Node::floatAttr(StringRef name) const {
  if (const auto *attribute = find(name))
    return attribute->f();
  return std::nullopt;
}

std::optional<std::string> Node::stringAttr(StringRef name) const {
  if (const auto *attribute = find(name))
    return attribute->s();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> Node::intsAttr(StringRef name) const {
  if (const auto *attribute = find(name))
    return SmallVector<int64_t>(attribute->ints().begin(),
                                attribute->ints().end());
  return std::nullopt;
}

std::optional<SmallVector<double>> Node::floatsAttr(StringRef name) const {
  if (const auto *attribute = find(name))
    return SmallVector<double>(attribute->floats().begin(),
                               attribute->floats().end());
  return std::nullopt;
}

std::optional<SmallVector<std::string>>
Node::stringsAttr(StringRef name) const {
  if (const auto *attribute = find(name))
    return SmallVector<std::string>(attribute->strings().begin(),
                                    attribute->strings().end());
  return std::nullopt;
}

onnx::TensorProto *Node::tensorAttr(StringRef name) const {
  onnx::AttributeProto *attribute = findOwn(*proto, name);
  return attribute && attribute->has_t() ? attribute->mutable_t() : nullptr;
}

onnx::GraphProto *Node::graphAttr(StringRef name) const {
  onnx::AttributeProto *attribute = findOwn(*proto, name);
  return attribute && attribute->has_g() ? attribute->mutable_g() : nullptr;
}

} // namespace ampc::onnx_import
