//===- MicrosoftQuantized.cpp - Quantised ops of onnxruntime --------------===//
//
// Ops of the domain com.microsoft that onnxruntime's quantizer and exporters
// write, as its ContribOperators.md documents them.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Pool.h"
#include "compiler/import/onnx/ops/Quantize.h"

using namespace mlir;

namespace ampc::onnx_import {

//===----------------------------------------------------------------------===//
// Pointwise ops and pooling: on the numbers, in f32
//===----------------------------------------------------------------------===//

template <Tensor (NodeBuilder::*op)(const Tensor &, const Tensor &)>
static LogicalResult buildBinary(NodeBuilder &b) {
  auto lhs = dequantizedInput(b, 0), rhs = dequantizedInput(b, 3);
  if (failed(lhs) || failed(rhs))
    return failure();
  Tensor operands[] = {*lhs, *rhs};
  if (failed(b.broadcastAll(operands)))
    return failure();
  return quantizedOutput(b, (b.*op)(operands[0], operands[1]), 6, b.dtype(0));
}

static Tensor sigmoid(NodeBuilder &b, const Tensor &x) {
  return {b.create<amp::SigmoidOp>(x.type(), x.value), x.dtype, x.dims, {}};
}

static Tensor leakyRelu(NodeBuilder &b, const Tensor &x) {
  Tensor isNegative =
      b.compare(arith::CmpIPredicate::slt, arith::CmpFPredicate::OLT, x,
                b.splatLike(0, x));
  Tensor sloped = b.mul(x, b.splatLike(b.floatAttr("alpha"), x));
  return b.select(isNegative, sloped, x);
}

template <Tensor (*op)(NodeBuilder &, const Tensor &)>
static LogicalResult buildUnary(NodeBuilder &b) {
  auto x = dequantizedInput(b, 0);
  if (failed(x))
    return failure();
  return quantizedOutput(b, op(b, *x), 3, b.dtype(0));
}

static LogicalResult buildGlobalAveragePool(NodeBuilder &b) {
  auto x = dequantizedInput(b, 0);
  if (failed(x))
    return failure();
  int64_t first = b.intAttr("channels_last") ? 1 : 2;
  auto spatial = llvm::to_vector(llvm::seq(first, first + x->rank() - 2));
  return quantizedOutput(b, b.mean(*x, spatial, /*keepDims=*/true), 3,
                         b.dtype(0));
}

static LogicalResult buildAveragePool(NodeBuilder &b) {
  auto x = dequantizedInput(b, 0);
  if (failed(x))
    return failure();
  if (!b.intAttr("channels_last")) {
    auto result = averagePool(b, *x);
    return failed(result) ? failure()
                          : quantizedOutput(b, *result, 3, b.dtype(0));
  }
  if (x->rank() < 3)
    return b.fail("has an input of rank " + Twine(x->rank()));
  auto toFront = llvm::to_vector(llvm::seq<int64_t>(0, x->rank()));
  std::rotate(toFront.begin() + 1, toFront.end() - 1, toFront.end());
  auto result = averagePool(b, b.transpose(*x, toFront));
  if (failed(result))
    return failure();
  auto toBack = llvm::to_vector(llvm::seq<int64_t>(0, x->rank()));
  std::rotate(toBack.begin() + 1, toBack.begin() + 2, toBack.end());
  return quantizedOutput(b, b.transpose(*result, toBack), 3, b.dtype(0));
}

/// Before opset 13, over all dimensions from the axis on.
static LogicalResult buildSoftmax(NodeBuilder &b) {
  auto x = dequantizedInput(b, 0);
  if (failed(x))
    return failure();
  auto axis = b.axisAttr("axis", x->rank());
  if (failed(axis))
    return failure();
  Tensor rows = *x;
  if (b.intAttr("opset") < 13) {
    Dims dims(ArrayRef(x->dims).take_front(*axis));
    dims.push_back(b.scalars.product(ArrayRef(x->dims).drop_front(*axis)));
    rows = b.reshape(*x, dims);
  }
  Tensor result{b.create<amp::SoftmaxOp>(rows.type(), rows.value, *axis, false),
                rows.dtype,
                rows.dims,
                {}};
  return quantizedOutput(b, b.reshape(result, x->dims), 3, b.dtype(0));
}

static LogicalResult buildWhere(NodeBuilder &b) {
  auto yes = dequantizedInput(b, 1), no = dequantizedInput(b, 4);
  if (failed(yes) || failed(no))
    return failure();
  Tensor operands[] = {b.tensor(0), *yes, *no};
  if (failed(b.broadcastAll(operands)))
    return failure();
  return quantizedOutput(b, b.select(operands[0], operands[1], operands[2]), 7,
                         b.dtype(1));
}

/// Blocks of a table are gathered as they are, and only those made numbers.
static LogicalResult buildGatherBlockQuantized(NodeBuilder &b) {
  Tensor table = b.tensor(0), indices = b.tensor(1);
  auto gatherAxis = b.axisAttr("gather_axis", table.rank());
  auto blockAxis = b.axisAttr("quantize_axis", table.rank());
  if (failed(gatherAxis) || failed(blockAxis))
    return failure();
  if (table.dtype != DType::Int4 && table.dtype != DType::UInt4)
    return b.fail("has a table of " + dtypeName(table.dtype) +
                  "; supported are int4 and uint4");
  if (*gatherAxis == *blockAxis)
    return b.fail("gathers along the axis of its blocks, which is not "
                  "supported");
  if (b.rank(2) != table.rank() || (b.has(3) && b.rank(3) != table.rank()))
    return b.fail("has scales or zero points of another rank than its table");
  auto gathered = [&](const Tensor &x) {
    return b.gather(x, indices, *gatherAxis);
  };
  if (failed(b.requireReadable({table.dims[*gatherAxis]}, indices.dims)))
    return failure();
  Tensor x = gathered(table);
  int64_t axis =
      *blockAxis > *gatherAxis ? *blockAxis + indices.rank() - 1 : *blockAxis;
  int64_t block = b.intAttr("block_size");
  auto scale = spread(b, gathered(b.tensor(2)), x.dims, axis, block);
  if (failed(scale))
    return failure();
  std::optional<Tensor> zeroPoint;
  if (b.has(3)) {
    auto all = spread(b, gathered(b.tensor(3)), x.dims, axis, block);
    if (failed(all))
      return failure();
    zeroPoint = *all;
  }
  return b.output(0, b.cast(dequantize(b, x, *scale, zeroPoint), b.dtype(2)));
}

/// Inputs are the output's scale and zero point, then a tensor, its scale and
/// its zero point for each part.
static LogicalResult buildConcat(NodeBuilder &b) {
  if (b.numInputs() < 5 || b.numInputs() % 3 != 2)
    return b.fail("has " + Twine(b.numInputs()) +
                  " inputs; it needs 2 and then 3 for each tensor");
  SmallVector<Tensor> parts;
  for (unsigned i = 2; i < b.numInputs(); i += 3) {
    auto part = dequantizedInput(b, i);
    if (failed(part))
      return failure();
    if (!parts.empty() && part->rank() != parts.front().rank())
      return b.fail("joins tensors of different ranks");
    parts.push_back(*part);
  }
  auto axis = b.axisAttr("axis", parts.front().rank());
  if (failed(axis))
    return failure();
  for (const Tensor &part : parts)
    for (int64_t i = 0; i < part.rank(); ++i)
      if (i != *axis &&
          failed(b.requireEqual(part.dims[i], parts.front().dims[i],
                                "joins tensors of different sizes")))
        return failure();
  return quantizedOutput(b, b.concat(parts, *axis), 0, DType::UInt8);
}

void registerMicrosoftQuantizedOps(OpTable &t) {
  static constexpr const char *bytes = "T = uint8 int8";
  static constexpr const char *binaryInputs =
      "A:T A_scale:float A_zero_point:T? B:T B_scale:float B_zero_point:T? "
      "C_scale:float C_zero_point:T?";
  static constexpr const char *unaryInputs =
      "X:T X_scale:float X_zero_point:T? Y_scale:float Y_zero_point:T?";
  t.add({"QLinearAdd", binaryInputs, "C:T", bytes},
        buildBinary<&NodeBuilder::add>);
  t.add({"QLinearMul", binaryInputs, "C:T", bytes},
        buildBinary<&NodeBuilder::mul>);
  t.add({"QLinearSigmoid", unaryInputs, "Y:T", bytes}, buildUnary<sigmoid>);
  t.add({"QLinearLeakyRelu", unaryInputs, "Y:T", bytes, {{"alpha", 0.01f}}},
        buildUnary<leakyRelu>);
  t.add({"QLinearSoftmax",
         unaryInputs,
         "Y:T",
         bytes,
         {{"axis", -1}, {"opset", NoDefault{NoDefault::Int, true}}}},
        buildSoftmax);
  t.add({"QLinearGlobalAveragePool",
         unaryInputs,
         "Y:T",
         bytes,
         {{"channels_last", 0}}},
        buildGlobalAveragePool);
  t.add({"QLinearAveragePool",
         unaryInputs,
         "Y:T",
         bytes,
         {{"auto_pad", "NOTSET"},
          {"ceil_mode", 0},
          {"channels_last", 0},
          {"count_include_pad", 0},
          {"kernel_shape", NoDefault{NoDefault::Ints, true}},
          {"pads", NoDefault{NoDefault::Ints}},
          {"strides", NoDefault{NoDefault::Ints}}}},
        buildAveragePool);
  t.add({"QLinearConcat",
         "Y_scale:float Y_zero_point:T inputs:V**",
         "Y:T",
         "T = uint8 int8; V = uint8 int8 float",
         {{"axis", NoDefault{NoDefault::Int, true}}}},
        buildConcat);
  t.add({"QLinearWhere",
         "condition:bool X:T x_scale:float x_zero_point:T Y:T y_scale:float "
         "y_zero_point:T z_scale:float z_zero_point:T",
         "Z:T", bytes},
        buildWhere);
  t.add({"GatherBlockQuantized",
         "data:T indices:I scales:S zero_points:T?",
         "output:S",
         "T = int4 uint4 uint8; I = int32 int64; S = float float16 bfloat16",
         {{"bits", 4},
          {"block_size", 128},
          {"gather_axis", 0},
          {"quantize_axis", 1}}},
        buildGatherBlockQuantized);
}

} // namespace ampc::onnx_import
