//===- MicrosoftQuantizedProducts.cpp - onnxruntime's integer products ----===//
//
// Matrix products of the domain com.microsoft with operands of 8 bits or fewer,
// as onnxruntime's ContribOperators.md documents them.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Matmul.h"
#include "compiler/import/onnx/ops/Quantize.h"

using namespace mlir;

namespace ampc::onnx_import {

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

void registerMicrosoftQuantizedProductOps(OpTable &t) {
  static constexpr const char *bytes = "T = uint8 int8";
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
