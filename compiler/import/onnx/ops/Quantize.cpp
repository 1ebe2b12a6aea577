//===- Quantize.cpp - What quantised ops are made of ----------------------===//

#include "compiler/import/onnx/ops/Quantize.h"

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Matmul.h"

using namespace mlir;

namespace ampc::onnx_import {

Tensor withoutRank(NodeBuilder &b, const Tensor &parameter) {
  bool isOne = llvm::all_of(parameter.dims,
                            [](Scalar size) { return constantInt(size) == 1; });
  return isOne ? b.reshape(parameter, {}) : parameter;
}

FailureOr<Tensor> spread(NodeBuilder &b, Tensor parameter, const Dims &dims,
                         int64_t axis, int64_t blockSize) {
  ScalarBuilder &s = b.scalars;
  int64_t rank = dims.size();
  if (!blockSize)
    parameter = withoutRank(b, parameter);
  if (parameter.rank() == 0)
    return b.broadcast(parameter, dims);
  auto at = b.normalizeAxis(axis, rank);
  if (failed(at))
    return failure();
  if (!blockSize) {
    if (parameter.rank() != 1)
      return b.fail("has a scale or zero point of rank " +
                    Twine(parameter.rank()) + " but no block_size");
    if (failed(b.requireEqual(parameter.dims[0], dims[*at],
                              "has not one scale and zero point for each index "
                              "of its axis")))
      return failure();
    Dims column(rank, s.index(1));
    column[*at] = dims[*at];
    return b.broadcast(b.reshape(parameter, column), dims);
  }
  if (blockSize < 0)
    return b.fail("has block_size " + Twine(blockSize));
  if (parameter.rank() != rank)
    return b.fail("has a scale or zero point of rank " +
                  Twine(parameter.rank()) + " for blocks of rank " +
                  Twine(rank));
  Scalar size = s.index(blockSize);
  for (int64_t i = 0; i < rank; ++i)
    if (failed(b.requireEqual(parameter.dims[i],
                              i == *at ? s.ceilDiv(dims[i], size) : dims[i],
                              "has not one scale and zero point for each "
                              "block")))
      return failure();
  Tensor blocks = b.unsqueeze(parameter, {*at + 1});
  Dims repeated = blocks.dims, merged = parameter.dims;
  repeated[*at + 1] = size;
  merged[*at] = s.mul(merged[*at], size);
  Tensor whole = b.reshape(b.broadcast(blocks, repeated), merged);
  return b.sliceAxis(whole, *at, s.index(0), dims[*at]);
}

static std::pair<double, double> rangeOf(DType dtype) {
  double values = std::ldexp(1.0, int(bitWidth(dtype)));
  if (isUnsigned(dtype))
    return {0, values - 1};
  return {-values / 2, values / 2 - 1};
}

Tensor quantize(NodeBuilder &b, Tensor ratio, std::optional<Tensor> zeroPoint,
                DType to, bool saturate) {
  if (!isInteger(to)) {
    // Zero points of 8-bit floats are zeros.
    if (zeroPoint && bitWidth(to) < 8)
      ratio = b.add(ratio, b.cast(*zeroPoint, ratio.dtype));
    return b.cast(ratio, to, saturate);
  }
  if (ratio.dtype != DType::Double)
    ratio = b.cast(ratio, DType::Float);
  Tensor number =
      b.cast(b.pointwise<math::RoundEvenOp>(ratio.dtype, ratio), DType::Int32);
  auto clamp = [&](double least, double most) {
    number = b.maximum(number, b.splatLike(least, number));
    number = b.minimum(number, b.splatLike(most, number));
  };
  auto [least, most] = rangeOf(to);
  if (zeroPoint) {
    // Twice the reach of any type: what is beyond saturates all the same, and
    // the sum does not overflow.
    clamp(-0x20000, 0x20000);
    number = b.add(number, b.cast(*zeroPoint, DType::Int32));
  }
  clamp(least, most);
  return b.cast(number, to);
}

Tensor dequantize(NodeBuilder &b, Tensor x, Tensor scale,
                  std::optional<Tensor> zeroPoint) {
  if (isInteger(x.dtype) && zeroPoint)
    x = b.sub(b.cast(x, DType::Int32), b.cast(*zeroPoint, DType::Int32));
  return b.mul(b.cast(x, DType::Float), b.cast(scale, DType::Float));
}

DynamicallyQuantized quantizeDynamically(NodeBuilder &b, const Tensor &x) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Tensor zero = b.splat(0, DType::Float, {});
  auto extreme = [&](amp::ReduceKind kind) {
    return b.reduce(kind, x, axes, /*keepDims=*/false);
  };
  Tensor most = b.maximum(extreme(amp::ReduceKind::Max), zero),
         least = b.minimum(extreme(amp::ReduceKind::Min), zero);
  Tensor scale = b.div(b.sub(most, least), b.splat(255, DType::Float, {}));
  // Where all elements are zero, any scale serves: their ratio must be zero.
  Tensor isZero = b.compare(arith::CmpIPredicate::eq, arith::CmpFPredicate::OEQ,
                            scale, zero);
  Tensor divisor = b.select(isZero, b.splat(1, DType::Float, {}), scale);
  Tensor zeroPoint = quantize(b, b.div(b.sub(zero, least), divisor),
                              std::nullopt, DType::UInt8);
  Tensor ratio = b.div(x, b.broadcast(divisor, x.dims));
  return {quantize(b, ratio, b.broadcast(zeroPoint, x.dims), DType::UInt8),
          scale, zeroPoint};
}

FailureOr<Tensor> dequantizedInput(NodeBuilder &b, unsigned first) {
  Tensor x = b.tensor(first);
  auto scale = spread(b, b.tensor(first + 1), x.dims, 0);
  std::optional<Tensor> zeroPoint = b.optionalTensor(first + 2);
  if (failed(scale))
    return failure();
  if (zeroPoint) {
    auto all = spread(b, *zeroPoint, x.dims, 0);
    if (failed(all))
      return failure();
    zeroPoint = *all;
  }
  return dequantize(b, x, *scale, zeroPoint);
}

LogicalResult quantizedOutput(NodeBuilder &b, const Tensor &x, unsigned first,
                              DType missing) {
  auto scale = spread(b, b.cast(b.tensor(first), DType::Float), x.dims, 0);
  if (failed(scale))
    return failure();
  std::optional<Tensor> zeroPoint = b.optionalTensor(first + 1);
  DType to = zeroPoint ? zeroPoint->dtype : missing;
  if (zeroPoint) {
    auto all = spread(b, *zeroPoint, x.dims, 0);
    if (failed(all))
      return failure();
    zeroPoint = *all;
  }
  return b.output(0, quantize(b, b.div(x, *scale), zeroPoint, to));
}

Tensor asColumn(NodeBuilder &b, const Tensor &parameter) {
  Tensor plain = withoutRank(b, parameter);
  return plain.rank() == 1 ? b.unsqueeze(plain, {1}) : plain;
}

FailureOr<Tensor> centered(NodeBuilder &b, const Tensor &x,
                           std::optional<Tensor> zeroPoint,
                           ArrayRef<int64_t> axes) {
  Tensor wide = b.cast(x, DType::Int16);
  if (!zeroPoint)
    return wide;
  Tensor zero = withoutRank(b, *zeroPoint);
  if (zero.rank() == 1 && !axes.empty())
    zero = b.unsqueeze(zero, axes);
  auto dims = b.broadcastDims({wide.dims, zero.dims});
  if (failed(dims))
    return failure();
  if (int64_t(dims->size()) != x.rank())
    return b.fail("has a zero point of rank " + Twine(zeroPoint->rank()) +
                  " for a tensor of rank " + Twine(x.rank()));
  return b.sub(b.broadcast(wide, *dims),
               b.broadcast(b.cast(zero, DType::Int16), *dims));
}

FailureOr<Tensor> integerProduct(NodeBuilder &b, const Tensor &lhs,
                                 const Tensor &rhs,
                                 std::optional<Tensor> lhsZero,
                                 std::optional<Tensor> rhsZero) {
  // A zero point of rows is a column, [M, 1]; one of columns is a row as it is.
  auto left = centered(b, lhs, lhsZero, {1});
  auto right = centered(b, rhs, rhsZero, {});
  if (failed(left) || failed(right))
    return failure();
  return matmul(b, *left, *right, DType::Int32);
}

FailureOr<Tensor> scaled(NodeBuilder &b, const Tensor &x, const Tensor &scale) {
  Tensor operands[] = {b.cast(x, DType::Float), b.cast(scale, DType::Float)};
  if (failed(b.broadcastAll(operands)))
    return failure();
  return b.mul(operands[0], operands[1]);
}

//===----------------------------------------------------------------------===//
// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear
//===----------------------------------------------------------------------===//

static LogicalResult buildQuantizeLinear(NodeBuilder &b) {
  Tensor x = b.tensor(0), scale = b.tensor(1);
  int64_t axis = b.intAttr("axis", 1), block = b.intAttr("block_size", 0);
  std::optional<Tensor> zeroPoint = b.optionalTensor(2);
  auto to = static_cast<DType>(b.intAttr("output_dtype", 0));
  if (zeroPoint)
    to = zeroPoint->dtype;
  else if (to == DType::Undefined)
    to = DType::UInt8;
  // The division is in the type that is asked for, else in that of the scale.
  auto precision = static_cast<DType>(b.intAttr("precision", 0));
  if (precision == DType::Undefined)
    precision = isFloat(scale.dtype) ? scale.dtype : DType::Float;
  auto divisor = spread(b, b.cast(scale, precision), x.dims, axis, block);
  if (failed(divisor))
    return failure();
  if (zeroPoint) {
    auto all = spread(b, *zeroPoint, x.dims, axis, block);
    if (failed(all))
      return failure();
    zeroPoint = *all;
  }
  Tensor ratio = b.div(b.cast(x, precision), *divisor);
  return b.output(0,
                  quantize(b, ratio, zeroPoint, to, b.intAttr("saturate", 1)));
}

static LogicalResult buildDequantizeLinear(NodeBuilder &b) {
  Tensor x = b.tensor(0), scale = b.tensor(1);
  int64_t axis = b.intAttr("axis", 1), block = b.intAttr("block_size", 0);
  auto to = static_cast<DType>(b.intAttr("output_dtype", 0));
  if (to == DType::Undefined)
    to = scale.dtype;
  auto factor = spread(b, scale, x.dims, axis, block);
  if (failed(factor))
    return failure();
  std::optional<Tensor> zeroPoint = b.optionalTensor(2);
  if (zeroPoint) {
    auto all = spread(b, *zeroPoint, x.dims, axis, block);
    if (failed(all))
      return failure();
    zeroPoint = *all;
  }
  return b.output(0, b.cast(dequantize(b, x, *factor, zeroPoint), to));
}

static LogicalResult buildDynamicQuantizeLinear(NodeBuilder &b) {
  DynamicallyQuantized result = quantizeDynamically(b, b.tensor(0));
  (void)b.output(1, result.scale);
  (void)b.output(2, result.zeroPoint);
  return b.output(0, result.elements);
}

void registerQuantizeOps(OpTable &t) {
  t.add("DynamicQuantizeLinear", 11, 11, buildDynamicQuantizeLinear);
  t.add("QuantizeLinear", 10, 28, buildQuantizeLinear);
  t.add("DequantizeLinear", 10, 28, buildDequantizeLinear);
  // onnxruntime's own take 16 and 4 bits, before the standard's did.
  t.add({"QuantizeLinear",
         "x:T1 y_scale:T1 y_zero_point:T2?",
         "y:T2",
         "T1 = float16 float; T2 = int8 uint8 int16 uint16 int4 uint4",
         {{"axis", NoDefault{NoDefault::Int}}}},
        buildQuantizeLinear);
  t.add({"DequantizeLinear",
         "x:T1 x_scale:T2 x_zero_point:T1?",
         "y:T2",
         "T1 = int8 uint8 int16 uint16 int32 int4 uint4; T2 = float16 float",
         {{"axis", NoDefault{NoDefault::Int}}}},
        buildDequantizeLinear);
}

} // namespace ampc::onnx_import
