//===- MicrosoftQuantized.cpp - Quantised ops of onnxruntime --------------===//
//
// Ops of the domain com.microsoft that onnxruntime's quantizer and exporters
// write, as its ContribOperators.md documents them.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Matmul.h"
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
  if (b.intAttr("channels_last"))
    return b.fail("has channels_last, which is not supported");
  auto x = dequantizedInput(b, 0);
  if (failed(x))
    return failure();
  auto result = averagePool(b, *x);
  return failed(result) ? failure()
                        : quantizedOutput(b, *result, 3, b.dtype(0));
}

static LogicalResult buildSoftmax(NodeBuilder &b) {
  if (b.intAttr("opset") < 13)
    return b.fail("follows Softmax of opset " + Twine(b.intAttr("opset")) +
                  "; supported are 13 and later");
  auto x = dequantizedInput(b, 0);
  if (failed(x))
    return failure();
  auto axis = b.axisAttr("axis", x->rank());
  if (failed(axis))
    return failure();
  Tensor result{b.create<amp::SoftmaxOp>(x->type(), x->value, *axis, false),
                x->dtype,
                x->dims,
                {}};
  return quantizedOutput(b, result, 3, b.dtype(0));
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

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// lhsScale * rhsScale * sum + bias, in f32, as output 0 of type `to`.
static LogicalResult floatOutput(NodeBuilder &b, const Tensor &sum,
                                 const Tensor &lhsScale, const Tensor &rhsScale,
                                 std::optional<Tensor> bias, DType to) {
  auto factor = scaled(b, asColumn(b, lhsScale), withoutRank(b, rhsScale));
  if (failed(factor))
    return failure();
  auto result = scaled(b, sum, *factor);
  if (failed(result))
    return failure();
  if (bias) {
    Tensor operands[] = {*result, b.cast(*bias, DType::Float)};
    if (failed(b.broadcastAll(operands)))
      return failure();
    result = b.add(operands[0], operands[1]);
  }
  return b.output(0, b.cast(*result, to));
}

static LogicalResult buildMatMulIntegerToFloat(NodeBuilder &b) {
  auto sum = integerProduct(b, b.tensor(0), b.tensor(1), b.optionalTensor(4),
                            b.optionalTensor(5));
  if (failed(sum))
    return failure();
  return floatOutput(b, *sum, b.tensor(2), b.tensor(3), b.optionalTensor(6),
                     b.dtype(2));
}

static LogicalResult buildDynamicQuantizeMatMul(NodeBuilder &b) {
  DynamicallyQuantized lhs = quantizeDynamically(b, b.tensor(0));
  auto sum = integerProduct(b, lhs.elements, b.tensor(1), lhs.zeroPoint,
                            b.optionalTensor(3));
  if (failed(sum))
    return failure();
  return floatOutput(b, *sum, lhs.scale, b.tensor(2), b.optionalTensor(4),
                     DType::Float);
}

/// alpha * A B + C, where C is int32 in units of alpha and both scales.
static LogicalResult buildQGemm(NodeBuilder &b) {
  Tensor lhs = b.tensor(0), rhs = b.tensor(3);
  if (lhs.rank() != 2 || rhs.rank() != 2)
    return b.fail("needs matrices, not ranks " + Twine(lhs.rank()) + " and " +
                  Twine(rhs.rank()));
  if (b.intAttr("transA"))
    lhs = b.transpose(lhs, {1, 0});
  if (b.intAttr("transB"))
    rhs = b.transpose(rhs, {1, 0});
  auto sum = integerProduct(b, lhs, rhs, b.tensor(2), b.tensor(5));
  if (failed(sum))
    return failure();
  if (b.has(6)) {
    Tensor operands[] = {*sum, b.tensor(6)};
    if (failed(b.broadcastAll(operands)))
      return failure();
    sum = b.add(operands[0], operands[1]);
  }
  Tensor scale = b.tensor(1);
  scale = b.mul(scale, b.splatLike(b.floatAttr("alpha"), scale));
  if (!b.has(7))
    return floatOutput(b, *sum, scale, b.tensor(4), std::nullopt, DType::Float);
  auto factor = scaled(b, withoutRank(b, scale), withoutRank(b, b.tensor(4)));
  if (failed(factor))
    return failure();
  auto number = scaled(b, *sum, *factor);
  return failed(number) ? failure()
                        : quantizedOutput(b, *number, 7, b.dtype(0));
}

/// Unsigned integers of `bits` bits out of bytes, the first in the lowest bits:
/// the last dimension grows 8 / bits times.
static Tensor unpacked(NodeBuilder &b, const Tensor &bytes, int64_t bits) {
  if (bits == 8)
    return bytes;
  int64_t rank = bytes.rank(), count = 8 / bits;
  SmallVector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i) {
    Tensor part = b.pointwise<arith::ShRUIOp>(
        bytes.dtype, bytes, b.splatLike(double(i * bits), bytes));
    part = b.pointwise<arith::AndIOp>(
        bytes.dtype, part, b.splatLike(double((1 << bits) - 1), bytes));
    parts.push_back(b.unsqueeze(part, {rank}));
  }
  Dims dims = bytes.dims;
  dims.back() = b.scalars.mul(dims.back(), b.scalars.index(count));
  return b.reshape(b.concat(parts, rank), dims);
}

/// A times the transpose of a matrix [N, K] of quantised blocks along K: bytes
/// [N, blocks, blockSize * bits / 8], scales [N, blocks] and zero points packed
/// likewise along the blocks of a row, or numbers of A's type.
static LogicalResult buildMatMulNBits(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), packed = b.tensor(1), scales = b.tensor(2);
  int64_t depth = b.intAttr("K"), columns = b.intAttr("N"),
          bits = b.intAttr("bits"), block = b.intAttr("block_size");
  if (bits != 2 && bits != 4 && bits != 8)
    return b.fail("has bits " + Twine(bits) + "; supported are 2, 4 and 8");
  if (b.has(4))
    return b.fail("has g_idx, which is not supported");
  if (block < 1 || block * bits % 8 || depth < 1 || columns < 1)
    return b.fail("has K " + Twine(depth) + ", N " + Twine(columns) +
                  " and block_size " + Twine(block) +
                  ", which do not make packed blocks");
  int64_t blocks = (depth + block - 1) / block;
  Dims perBlock{s.index(columns), s.index(blocks)};
  auto expect = [&](const Tensor &tensor, int64_t count, const Twine &what) {
    return b.requireEqual(s.product(tensor.dims), s.index(count),
                          "has " + what +
                              " of another size than K, N, bits "
                              "and block_size say");
  };
  int64_t blockBytes = block * bits / 8, zeroBytes = (blocks * bits + 7) / 8;
  if (failed(expect(packed, columns * blocks * blockBytes, "weights")) ||
      failed(expect(scales, columns * blocks, "scales")))
    return failure();
  Dims elements = perBlock;
  elements.push_back(s.index(blockBytes));
  Tensor weights = unpacked(b, b.reshape(packed, elements), bits);
  // One a block, then repeated over the block's elements.
  auto perElement = [&](const Tensor &x) {
    return b.broadcast(b.unsqueeze(b.reshape(x, perBlock), {2}), weights.dims);
  };
  Tensor zero = b.splat(double(1 << (bits - 1)), DType::Float, perBlock);
  if (b.has(3)) {
    zero = b.tensor(3);
    if (zero.dtype == DType::UInt8) {
      if (failed(expect(zero, columns * zeroBytes, "zero points")))
        return failure();
      zero = unpacked(
          b, b.reshape(zero, {s.index(columns), s.index(zeroBytes)}), bits);
      zero = b.sliceAxis(zero, 1, s.index(0), s.index(blocks));
    } else if (failed(expect(zero, columns * blocks, "zero points"))) {
      return failure();
    }
    zero = b.cast(zero, DType::Float);
  }
  Tensor numbers = b.mul(b.sub(b.cast(weights, DType::Float), perElement(zero)),
                         perElement(b.cast(scales, DType::Float)));
  numbers = b.reshape(numbers, {s.index(columns), s.index(blocks * block)});
  numbers = b.sliceAxis(numbers, 1, s.index(0), s.index(depth));
  auto result =
      matmul(b, b.cast(x, DType::Float), b.transpose(numbers, {1, 0}));
  if (failed(result))
    return failure();
  if (b.has(5)) {
    Tensor operands[] = {*result, b.cast(b.tensor(5), DType::Float)};
    if (failed(b.broadcastAll(operands)))
      return failure();
    result = b.add(operands[0], operands[1]);
  }
  return b.output(0, b.cast(*result, x.dtype));
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
  t.add({"MatMulIntegerToFloat",
         "A:A B:B a_scale:T b_scale:T a_zero_point:A? b_zero_point:B? bias:T?",
         "Y:T", "A = uint8 int8; B = uint8 int8; T = float float16"},
        buildMatMulIntegerToFloat);
  t.add({"DynamicQuantizeMatMul",
         "A:float B:T b_scale:float b_zero_point:T? bias:float?", "Y:float",
         bytes},
        buildDynamicQuantizeMatMul);
  t.add({"QGemm",
         "A:A a_scale:float a_zero_point:A B:B b_scale:float b_zero_point:B "
         "C:int32? y_scale:float? y_zero_point:Z?",
         "Y:Y",
         "A = uint8 int8; B = uint8 int8; Z = uint8 int8; "
         "Y = float uint8 int8",
         {{"alpha", 1.0f}, {"transA", 0}, {"transB", 0}}},
        buildQGemm);
  t.add({"MatMulNBits",
         "A:T B:uint8 scales:T zero_points:Z? g_idx:int32? bias:T?",
         "Y:T",
         "T = float float16 bfloat16; Z = uint8 float float16 bfloat16",
         {{"K", NoDefault{NoDefault::Int, true}},
          {"N", NoDefault{NoDefault::Int, true}},
          {"accuracy_level", 0},
          {"bits", 4},
          {"block_size", NoDefault{NoDefault::Int, true}},
          {"weight_prepacked", 0}}},
        buildMatMulNBits);
}

} // namespace ampc::onnx_import
