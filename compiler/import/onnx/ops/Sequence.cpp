//===- Sequence.cpp - Sequences and optionals -----------------------------===//
//
// They exist at import only: the length of a sequence, positions in it and
// whether an optional holds a value are known there, or the node fails.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace ampc::onnx_import {

static LogicalResult outputElements(NodeBuilder &b, unsigned i,
                                    NamedValue::Kind kind, DType dtype,
                                    SmallVector<ValueRef> elements) {
  auto value = std::make_shared<NamedValue>();
  value->kind = kind;
  value->dtype = dtype;
  value->elements = std::move(elements);
  return b.output(i, std::move(value));
}

static LogicalResult outputSequence(NodeBuilder &b, DType dtype,
                                    SmallVector<ValueRef> elements) {
  return outputElements(b, 0, NamedValue::Kind::Sequence, dtype,
                        std::move(elements));
}

/// Input `i` as a position in a sequence, or `missing`. `end` is the last one
/// that is allowed, from which negative ones count.
static FailureOr<int64_t> position(NodeBuilder &b, unsigned i, int64_t size,
                                   int64_t last, int64_t missing) {
  if (!b.has(i))
    return missing;
  auto given = b.constantInts(i);
  if (failed(given))
    return b.fail("has a position in a sequence that is not known at compile "
                  "time, which is not supported");
  if (given->size() != 1)
    return b.fail("input " + Twine(i) + " is not one position");
  int64_t at = given->front() < 0 ? given->front() + size : given->front();
  if (at < 0 || at > last)
    return b.fail("position " + Twine(given->front()) +
                  " is out of range for a sequence of " + Twine(size));
  return at;
}

static LogicalResult buildConstruct(NodeBuilder &b) {
  SmallVector<ValueRef> elements(b.node.inputs);
  if (llvm::is_contained(elements, nullptr) || elements.empty())
    return b.fail("needs all of its inputs");
  return outputSequence(b, elements.front()->dtype, elements);
}

static LogicalResult buildEmpty(NodeBuilder &b) {
  return outputSequence(
      b, static_cast<DType>(b.intAttr("dtype", int64_t(DType::Float))), {});
}

static LogicalResult buildLength(NodeBuilder &b) {
  int64_t size = b.input(0).elements.size();
  return b.outputList(0, DType::Int64, 0, {b.scalars.index(size)});
}

static LogicalResult buildAt(NodeBuilder &b) {
  int64_t size = b.input(0).elements.size();
  auto at = position(b, 1, size, size - 1, 0);
  return failed(at) ? failure() : b.output(0, b.input(0).elements[*at]);
}

static LogicalResult buildInsert(NodeBuilder &b) {
  SmallVector<ValueRef> elements = b.input(0).elements;
  int64_t size = elements.size();
  auto at = position(b, 2, size, size, size);
  if (failed(at))
    return failure();
  elements.insert(elements.begin() + *at, b.node.inputs[1]);
  return outputSequence(b, b.dtype(1), elements);
}

static LogicalResult buildErase(NodeBuilder &b) {
  SmallVector<ValueRef> elements = b.input(0).elements;
  int64_t size = elements.size();
  if (!size)
    return b.fail("takes an element from an empty sequence");
  auto at = position(b, 1, size, size - 1, size - 1);
  if (failed(at))
    return failure();
  elements.erase(elements.begin() + *at);
  return outputSequence(b, b.dtype(0), elements);
}

/// The elements of a sequence as tensors of one rank.
static FailureOr<SmallVector<Tensor>> elementsOf(NodeBuilder &b, unsigned i) {
  SmallVector<Tensor> parts;
  for (const ValueRef &element : b.input(i).elements)
    parts.push_back(b.importer.forms.tensor(*element, b.loc()));
  if (parts.empty())
    return b.fail("joins an empty sequence");
  for (const Tensor &part : parts)
    if (part.rank() != parts.front().rank())
      return b.fail("joins tensors of ranks " + Twine(parts.front().rank()) +
                    " and " + Twine(part.rank()));
  return parts;
}

static LogicalResult buildConcat(NodeBuilder &b) {
  auto parts = elementsOf(b, 0);
  if (failed(parts))
    return failure();
  bool stack = b.intAttr("new_axis", 0) != 0;
  auto axis = b.axisAttr("axis", parts->front().rank() + stack);
  if (failed(axis))
    return failure();
  if (stack)
    for (Tensor &part : *parts)
      part = b.unsqueeze(part, {*axis});
  // Sizes that some part knows hold for all.
  Dims dims = parts->front().dims;
  for (const Tensor &part : *parts)
    for (int64_t i = 0; i < part.rank(); ++i) {
      if (i == *axis)
        continue;
      if (failed(b.requireEqual(dims[i], part.dims[i],
                                "elements differ in dimension " + Twine(i))))
        return failure();
      if (constantInt(part.dims[i]))
        dims[i] = part.dims[i];
    }
  dims[*axis] = parts->front().dims[*axis];
  parts->front().dims = dims;
  return b.output(0, b.concat(*parts, *axis));
}

static LogicalResult buildSplit(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  auto axis = b.axisAttr("axis", x.rank());
  if (failed(axis))
    return failure();
  Scalar total = x.dims[*axis];
  SmallVector<Scalar> sizes;
  if (b.has(1) && b.rank(1) == 1) {
    auto given = b.list(1);
    if (failed(given))
      return failure();
    sizes = *given;
    Scalar sum = s.index(0);
    for (Scalar size : sizes)
      sum = s.add(sum, size);
    if (failed(
            b.requireEqual(sum, total, "the sizes of the parts do not add up")))
      return failure();
  } else {
    int64_t chunk = 1;
    if (b.has(1)) {
      auto given = b.constantInts(1);
      if (failed(given))
        return failure();
      chunk = given->front();
    }
    auto known = constantInt(total);
    if (!known)
      return b.fail("splits dimension " + Twine(*axis) +
                    " into parts whose number is not known at compile time, "
                    "which is not supported; fix its size by --dim");
    if (chunk < 1)
      return b.fail("has parts of size " + Twine(chunk));
    for (int64_t start = 0; start < *known; start += chunk)
      sizes.push_back(s.index(std::min(chunk, *known - start)));
  }
  bool keep = b.has(1) || b.intAttr("keepdims", 1) != 0;
  SmallVector<ValueRef> elements;
  Scalar start = s.index(0);
  for (Scalar size : sizes) {
    Tensor part = b.sliceAxis(x, *axis, start, size);
    if (!keep) {
      Dims dims = part.dims;
      dims.erase(dims.begin() + *axis);
      part = b.reshape(part, dims);
    }
    elements.push_back(b.importer.valueOf(part));
    start = s.add(start, size);
  }
  return outputSequence(b, x.dtype, elements);
}

/// The body once for each element.
static LogicalResult buildMap(NodeBuilder &b) {
  onnx::GraphProto *graph = b.node.graphAttr("body");
  if (!graph || !b.has(0))
    return b.fail("has no body or no sequence");
  size_t size = b.input(0).elements.size();
  std::vector<SmallVector<ValueRef>> results(b.numOutputs());
  for (size_t i = 0; i < size; ++i) {
    SmallVector<ValueRef> inputs;
    for (const ValueRef &input : b.node.inputs) {
      if (!input || (!input->isTensor() && input->elements.size() <= i))
        return b.fail("has sequences of different lengths");
      inputs.push_back(input->isTensor() ? input : input->elements[i]);
    }
    auto outputs = b.importer.inlineSubgraph(b.node, *graph, inputs);
    if (failed(outputs))
      return failure();
    for (auto [sequence, value] : llvm::zip(results, *outputs))
      sequence.push_back(value);
  }
  for (auto [i, elements] : llvm::enumerate(results)) {
    DType dtype = elements.empty()
                      ? static_cast<DType>(
                            graph->output(i).type().tensor_type().elem_type())
                      : elements.front()->dtype;
    (void)outputElements(b, i, NamedValue::Kind::Sequence, dtype, elements);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static LogicalResult buildOptional(NodeBuilder &b) {
  if (b.has(0))
    return outputElements(b, 0, NamedValue::Kind::Optional, b.dtype(0),
                          {b.node.inputs[0]});
  const onnx::AttributeProto *type = b.node.find("type");
  if (!type)
    return b.fail("has neither a value nor a type");
  const onnx::TypeProto &of = type->tp();
  const auto &tensor = of.has_sequence_type()
                           ? of.sequence_type().elem_type().tensor_type()
                           : of.tensor_type();
  return outputElements(b, 0, NamedValue::Kind::Optional,
                        static_cast<DType>(tensor.elem_type()), {});
}

static LogicalResult buildHasElement(NodeBuilder &b) {
  bool has = b.has(0) && (b.input(0).kind != NamedValue::Kind::Optional ||
                          !b.input(0).elements.empty());
  return b.outputList(0, DType::Bool, 0,
                      {Attribute(b.builder().getBoolAttr(has))});
}

static LogicalResult buildGetElement(NodeBuilder &b) {
  if (b.input(0).kind != NamedValue::Kind::Optional)
    return b.output(0, b.node.inputs[0]);
  if (b.input(0).elements.empty())
    return b.fail("takes the value of an optional that has none");
  return b.output(0, b.input(0).elements.front());
}

void registerSequenceOps(OpTable &t) {
  t.add("SequenceConstruct", 11, 28, buildConstruct);
  t.add("SequenceEmpty", 11, 28, buildEmpty);
  t.add("SequenceLength", 11, 28, buildLength);
  t.add("SequenceAt", 11, 28, buildAt);
  t.add("SequenceInsert", 11, 28, buildInsert);
  t.add("SequenceErase", 11, 28, buildErase);
  t.add("ConcatFromSequence", 11, 28, buildConcat);
  t.add("SplitToSequence", 11, 28, buildSplit);
  t.add("SequenceMap", 17, 28, buildMap);
  t.add("Optional", 15, 28, buildOptional);
  t.add("OptionalHasElement", 15, 28, buildHasElement);
  t.add("OptionalGetElement", 15, 28, buildGetElement);
}

} // namespace ampc::onnx_import
