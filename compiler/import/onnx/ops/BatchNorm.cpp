//===- BatchNorm.cpp - Batch normalization --------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Weights.h"
#include "compiler/import/onnx/ops/Norm.h"

#include "mlir/IR/AsmState.h"

#include <cmath>

using namespace mlir;

namespace ampc::onnx_import {

/// The elements of constant f32 vectors, or nothing.
static std::optional<ArrayRef<float>> floatsOf(const Tensor &x) {
  if (!x.constant || x.dtype != DType::Float)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(x.constant);
      dense && dense.isSplat() && dense.getNumElements() != 1)
    return std::nullopt;
  ArrayRef<char> bytes = rawBytes(x.constant);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float))
    return std::nullopt;
  return ArrayRef<float>(reinterpret_cast<const float *>(bytes.data()),
                         bytes.size() / sizeof(float));
}

static Tensor floatVector(NodeBuilder &b, ArrayRef<float> values, int64_t rank,
                          StringRef name) {
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = values.size();
  auto type = RankedTensorType::get(shape, Float32Type::get(b.context()));
  auto blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(
      ArrayRef<char>(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(float)),
      alignof(float));
  return b.constant(Weights::constant(type, std::move(blob), name),
                    DType::Float, name);
}

/// The statistics of the batch are those of all dimensions but the channels;
/// they replace the running ones here and move them for later runs.
static LogicalResult trainBatchNorm(NodeBuilder &b, ArrayRef<Tensor> vectors) {
  Expr x(b, b.tensor(0));
  // Statistics may be wider than the data, and are at least f32 here.
  DType wide =
      formulaType(x.dtype() == DType::Double ? x.dtype() : vectors[2].dtype);
  x = x.to(wide);
  int64_t rank = x.tensor.rank();
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i)
    if (i != 1)
      axes.push_back(i);
  Dims channels{rank > 1 ? x.dims()[1] : b.scalars.index(1)};
  auto spread = [&](const Expr &vector) {
    Tensor column = rank > 1 ? alongChannels(b, vector, rank) : vector.tensor;
    return Expr(b, column).broadcast(x.dims());
  };
  auto meanOf = [&](const Expr &values) {
    return Expr(b, b.mean(values, axes, /*keepDims=*/false)).reshape(channels);
  };
  Expr mean = meanOf(x), centred = x - spread(mean);
  Expr variance = meanOf(centred * centred);
  auto operand = [&](unsigned i) {
    return Expr(b, vectors[i]).to(wide).reshape(channels);
  };
  Expr factor = operand(0) / sqrt(variance + b.floatAttr("epsilon", 1e-5));
  Expr y = centred * spread(factor) + spread(operand(1));
  (void)b.output(0, y.to(b.dtype(0)));
  double momentum = b.floatAttr("momentum", 0.9);
  auto moved = [&](unsigned i, const Expr &now) {
    return (operand(i) * momentum + now * (1 - momentum)).to(vectors[i].dtype);
  };
  (void)b.output(1, moved(2, mean));
  (void)b.output(2, moved(3, variance));
  // Up to opset 9 there are the statistics of the batch too.
  (void)b.output(3, mean.to(vectors[2].dtype));
  return b.output(4, variance.to(vectors[3].dtype));
}

/// x * s + t with s = scale / sqrt(var + epsilon), t = bias - mean * s. Where
/// the statistics are constants, s and t are computed here.
static LogicalResult buildBatchNorm(NodeBuilder &b) {
  if (!b.intAttr("spatial", 1))
    return b.fail("has statistics for each pixel (spatial = 0), which is not "
                  "supported");
  Tensor x = b.tensor(0), scale = b.tensor(1), bias = b.tensor(2),
         mean = b.tensor(3), variance = b.tensor(4);
  double epsilon = b.floatAttr("epsilon", 1e-5);
  if (x.rank() < 1)
    return b.fail("needs a batch dimension");
  int64_t rank = std::max<int64_t>(x.rank(), 2);
  Scalar channels = x.rank() > 1 ? x.dims[1] : b.scalars.index(1);
  for (const Tensor &vector : {scale, bias, mean, variance})
    if (vector.rank() != 1 ||
        failed(b.requireEqual(vector.dims[0], channels,
                              "has one statistic for each channel")))
      return failure();
  // Up to opset 13, whoever asks for statistics trains.
  bool trains = b.node.version < 14 && b.wants(1);
  if (trains || b.intAttr("training_mode", 0))
    return trainBatchNorm(b, {scale, bias, mean, variance});

  Tensor factor, offset;
  auto g = floatsOf(scale), c = floatsOf(bias), m = floatsOf(mean),
       v = floatsOf(variance);
  if (x.dtype == DType::Float && g && c && m && v) {
    SmallVector<float> s, t;
    for (auto [gi, ci, mi, vi] : llvm::zip(*g, *c, *m, *v)) {
      s.push_back(static_cast<float>(gi / std::sqrt(double(vi) + epsilon)));
      t.push_back(static_cast<float>(ci - double(mi) * s.back()));
    }
    factor = floatVector(b, s, rank, b.node.outputNames[0] + ".scale");
    offset = floatVector(b, t, rank, b.node.outputNames[0] + ".shift");
  } else {
    // Statistics may be wider than the data.
    Tensor root = b.sqrt(b.add(variance, b.splatLike(epsilon, variance)));
    factor = b.div(b.cast(scale, root.dtype), root);
    offset = b.sub(b.cast(bias, root.dtype), b.mul(mean, factor));
    factor = alongChannels(b, factor, rank);
    offset = alongChannels(b, offset, rank);
  }
  DType wide = factor.dtype;
  if (x.rank() == 1) {
    factor = b.reshape(factor, {b.scalars.index(1)});
    offset = b.reshape(offset, {b.scalars.index(1)});
  }
  Tensor y = b.mul(b.cast(x, wide), b.broadcast(factor, x.dims));
  return b.output(0, b.cast(b.add(y, b.broadcast(offset, x.dims)), x.dtype));
}

void registerBatchNormOps(OpTable &t) {
  t.add("BatchNormalization", 1, 15, buildBatchNorm);
}

} // namespace ampc::onnx_import
