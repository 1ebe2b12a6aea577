//===- QuantizedProducts.cpp - Matrix products of 8-bit integers ----------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Conv.h"
#include "compiler/import/onnx/ops/Quantize.h"

using namespace mlir;

namespace ampc::onnx_import {

static LogicalResult buildMatMulInteger(NodeBuilder &b) {
  auto result = integerProduct(b, b.tensor(0), b.tensor(1),
                               b.optionalTensor(2), b.optionalTensor(3));
  return failed(result) ? failure() : b.output(0, *result);
}

/// The quantised output from an int32 sum and the factor that makes it a number
/// in units of the output's scale.
static LogicalResult requantize(NodeBuilder &b, const Tensor &sum,
                                const Tensor &factor,
                                std::optional<Tensor> zeroPoint,
                                DType missing) {
  auto ratio = scaled(b, sum, factor);
  if (failed(ratio))
    return failure();
  DType to = zeroPoint ? zeroPoint->dtype : missing;
  if (zeroPoint) {
    Tensor zero = asColumn(b, *zeroPoint);
    auto dims = b.broadcastDims({ratio->dims, zero.dims});
    if (failed(dims))
      return failure();
    zeroPoint = b.broadcast(zero, *dims);
    ratio = b.broadcast(*ratio, *dims);
  }
  return b.output(0, quantize(b, *ratio, zeroPoint, to));
}

/// lhs * rhs / result of three scales that broadcast to each other, in f32.
static FailureOr<Tensor> factorOf(NodeBuilder &b, const Tensor &lhs,
                                  const Tensor &rhs, const Tensor &result) {
  Tensor scales[] = {b.cast(lhs, DType::Float), b.cast(rhs, DType::Float),
                     b.cast(result, DType::Float)};
  if (failed(b.broadcastAll(scales)))
    return failure();
  return b.div(b.mul(scales[0], scales[1]), scales[2]);
}

static LogicalResult buildQLinearMatMul(NodeBuilder &b) {
  auto sum = integerProduct(b, b.tensor(0), b.tensor(3), b.optionalTensor(2),
                            b.optionalTensor(5));
  auto factor = factorOf(b, asColumn(b, b.tensor(1)),
                         withoutRank(b, b.tensor(4)), asColumn(b, b.tensor(6)));
  if (failed(sum) || failed(factor))
    return failure();
  return requantize(b, *sum, *factor, b.optionalTensor(7), b.dtype(0));
}

static SmallVector<int64_t> allButFirst(const Tensor &x) {
  return llvm::to_vector(llvm::seq<int64_t>(1, x.rank()));
}

/// The int32 sums of a convolution of 8-bit integers. A zero point of the
/// filter is for all or for each output channel.
static FailureOr<Tensor> integerConv(NodeBuilder &b, const Tensor &x,
                                     const Tensor &filter,
                                     std::optional<Tensor> zero,
                                     std::optional<Tensor> filterZero,
                                     std::optional<Tensor> bias) {
  auto input = centered(b, x, zero, {});
  auto weights = centered(b, filter, filterZero, allButFirst(filter));
  if (failed(input) || failed(weights))
    return failure();
  return conv(b, *input, *weights, bias, DType::Int32);
}

static LogicalResult buildConvInteger(NodeBuilder &b) {
  auto result = integerConv(b, b.tensor(0), b.tensor(1), b.optionalTensor(2),
                            b.optionalTensor(3), std::nullopt);
  return failed(result) ? failure() : b.output(0, *result);
}

static LogicalResult buildQLinearConv(NodeBuilder &b) {
  Tensor x = b.tensor(0), filter = b.tensor(3);
  auto sum = integerConv(b, x, filter, b.optionalTensor(2),
                         b.optionalTensor(5), b.optionalTensor(8));
  if (failed(sum))
    return failure();
  Tensor filterScale = withoutRank(b, b.tensor(4));
  // One for each output channel: dimension 1 of the result.
  if (filterScale.rank() == 1)
    filterScale = b.unsqueeze(
        filterScale, llvm::to_vector(llvm::seq<int64_t>(1, x.rank() - 1)));
  auto factor = factorOf(b, withoutRank(b, b.tensor(1)), filterScale,
                         withoutRank(b, b.tensor(6)));
  if (failed(factor))
    return failure();
  return requantize(b, *sum, *factor, b.optionalTensor(7), x.dtype);
}

void registerQuantizedProductOps(OpTable &t) {
  t.add("MatMulInteger", 10, 10, buildMatMulInteger);
  t.add("ConvInteger", 10, 10, buildConvInteger);
  t.add("QLinearMatMul", 10, 21, buildQLinearMatMul);
  t.add("QLinearConv", 10, 10, buildQLinearConv);
}

} // namespace ampc::onnx_import
