//===- Constant.cpp - Constants and what passes values on -----------------===//

#include "compiler/import/onnx/NodeBuilder.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;

namespace ampc::onnx_import {

static LogicalResult buildConstant(NodeBuilder &b) {
  const Node &node = b.node;
  auto list = [&](DType dtype, int64_t rank, auto values, auto attribute) {
    SmallVector<Scalar> scalars;
    for (auto value : values)
      scalars.push_back(attribute(value));
    return b.outputList(0, dtype, rank, std::move(scalars));
  };
  Builder &builder = b.builder();
  auto integer = [&](int64_t value) { return b.scalars.index(value); };
  auto number = [&](double value) {
    return Attribute(builder.getF32FloatAttr(static_cast<float>(value)));
  };
  if (onnx::TensorProto *tensor = node.tensorAttr("value")) {
    ValueRef value = b.importer.importConstant(*tensor, node.outputNames[0]);
    return value ? b.output(0, value) : failure();
  }
  if (node.hasAttr("value_int"))
    return list(DType::Int64, 0, ArrayRef(*node.intAttr("value_int")), integer);
  if (node.hasAttr("value_float"))
    return list(DType::Float, 0, ArrayRef(*node.floatAttr("value_float")),
                number);
  // Attributes hold short lists; longer constants are tensors.
  auto fits = [](size_t size) { return size <= NamedValue::kMaxScalars; };
  if (node.hasAttr("value_ints"))
    if (auto values = *node.intsAttr("value_ints"); fits(values.size()))
      return list(DType::Int64, 1, values, integer);
  if (node.hasAttr("value_floats"))
    if (auto values = *node.floatsAttr("value_floats"); fits(values.size()))
      return list(DType::Float, 1, values, number);
  return b.fail("has a value of a kind that is not supported");
}

static LogicalResult buildConstantOfShape(NodeBuilder &b) {
  auto dims = b.list(0);
  if (failed(dims))
    return failure();
  ValueRef fill;
  if (onnx::TensorProto *tensor = b.node.tensorAttr("value")) {
    fill = b.importer.importConstant(*tensor, "");
    if (!fill)
      return failure();
  } else {
    fill = std::make_shared<NamedValue>();
    fill->dtype = DType::Float;
    fill->scalars.emplace(1, Attribute(b.builder().getF32FloatAttr(0)));
  }
  if (!fill->scalars)
    fill->scalars = scalarsOf(fill->constant, fill->dtype);
  if (fill->scalars->size() != 1)
    return b.fail("has a value of " + Twine(fill->scalars->size()) +
                  " elements; it must be one");
  Scalar element = fill->scalars->front();
  if (isIndex(fill->dtype) || fill->dtype == DType::Bool) {
    SmallVector<int64_t> shape;
    if (dims->size() <= 1 && constantInts(*dims, shape) &&
        (shape.empty() || shape[0] <= NamedValue::kMaxScalars))
      return b.outputList(
          0, fill->dtype, dims->size(),
          SmallVector<Scalar>(shape.empty() ? 1 : shape[0], element));
  }
  Tensor value = b.scalarTensor(element, fill->dtype);
  return b.output(0, b.broadcast(value, *dims));
}

static LogicalResult buildIdentity(NodeBuilder &b) {
  return b.output(0, b.node.inputs[0]);
}

static LogicalResult buildEyeLike(NodeBuilder &b) {
  if (b.rank(0) != 2)
    return b.fail("needs a matrix, not rank " + Twine(b.rank(0)));
  DType dtype = b.node.hasAttr("dtype") ? static_cast<DType>(b.intAttr("dtype"))
                                        : b.dtype(0);
  if (!elementType(b.context(), dtype))
    return b.fail("has type " + dtypeName(dtype) + ", which is not supported");
  const Dims &dims = b.dims(0);
  Tensor row = b.iota(DType::Int64, 0, dims),
         column = b.iota(DType::Int64, 1, dims);
  row = b.add(row, b.splat(b.intAttr("k"), DType::Int64, dims));
  Tensor on = b.compare(arith::CmpIPredicate::eq, arith::CmpFPredicate::OEQ,
                        row, column);
  return b.output(0, b.cast(on, dtype));
}

void registerConstantOps(OpTable &t) {
  t.add("Constant", 1, 25, buildConstant);
  t.add("ConstantOfShape", 9, 25, buildConstantOfShape);
  t.add("Identity", 1, 25, buildIdentity);
  t.add("EyeLike", 9, 22, buildEyeLike);
}

} // namespace ampc::onnx_import
