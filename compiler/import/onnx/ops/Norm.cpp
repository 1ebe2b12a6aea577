//===- Norm.cpp - Normalizations ------------------------------------------===//

#include "compiler/import/onnx/ops/Norm.h"

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Ranks.h"

using namespace mlir;

namespace ampc::onnx_import {

Tensor alongChannels(NodeBuilder &b, const Tensor &x, int64_t rank) {
  return b.unsqueeze(x, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
}

FailureOr<Tensor> spreadTo(NodeBuilder &b, const Tensor &x, const Dims &dims) {
  if (x.rank() > int64_t(dims.size()))
    return b.fail("has an operand of rank " + Twine(x.rank()) +
                  " that does not fit");
  auto under = ArrayRef(dims).take_back(x.rank());
  for (auto [own, size] : llvm::zip(x.dims, under))
    if (constantInt(own) != 1 &&
        failed(b.requireEqual(own, size, "has an operand that does not fit")))
      return failure();
  return b.broadcast(x, dims);
}

static Tensor layerNorm(NodeBuilder &b, amp::NormKind kind, const Tensor &x,
                        Value scale, Value bias, int64_t axis, double epsilon) {
  Value value =
      b.create<amp::LayerNormOp>(x.type(), kind, x.value, scale, bias, axis,
                                 APFloat(static_cast<float>(epsilon)));
  return {value, x.dtype, x.dims, {}};
}

/// Each channel of each sample is one row.
static LogicalResult buildInstanceNorm(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), scale = b.tensor(1), bias = b.tensor(2);
  if (x.rank() < 3)
    return b.fail("needs rank 3 at least, not " + Twine(x.rank()));
  if (failed(requireRank(b, 1, 1)) || failed(requireRank(b, 2, 1)))
    return failure();
  ArrayRef<Scalar> dims = x.dims;
  Tensor rows =
      b.reshape(x, {s.mul(dims[0], dims[1]), s.product(dims.drop_front(2))});
  rows = layerNorm(b, amp::NormKind::Layer, rows, {}, {}, 1,
                   b.floatAttr("epsilon", 1e-5));
  Tensor y = b.reshape(rows, x.dims);
  for (const Tensor &vector : {scale, bias})
    if (failed(b.requireEqual(vector.dims[0], dims[1],
                              "has one scale and bias for each channel")))
      return failure();
  scale.dims[0] = bias.dims[0] = dims[1];
  y = b.mul(y, b.broadcast(alongChannels(b, scale, x.rank()), x.dims));
  y = b.add(y, b.broadcast(alongChannels(b, bias, x.rank()), x.dims));
  return b.output(0, y);
}

FailureOr<Tensor> normalizeRows(NodeBuilder &b, amp::NormKind kind,
                                const Tensor &x,
                                const std::optional<Tensor> &scale,
                                const std::optional<Tensor> &bias, int64_t axis,
                                double epsilon) {
  if (x.dtype == DType::Double)
    return b.fail("keeps statistics in another type than float");
  Dims rows(x.dims.begin() + axis, x.dims.end());
  auto spread = [&](const std::optional<Tensor> &vector) -> FailureOr<Value> {
    if (!vector)
      return Value();
    if (vector->dtype != x.dtype)
      return b.fail("has a scale or bias of another type");
    auto repeated = spreadTo(b, *vector, rows);
    return failed(repeated) ? FailureOr<Value>(failure())
                            : FailureOr<Value>(repeated->value);
  };
  auto scaleValue = spread(scale), biasValue = spread(bias);
  if (failed(scaleValue) || failed(biasValue))
    return failure();
  return layerNorm(b, kind, x, *scaleValue, *biasValue, axis, epsilon);
}

/// LayerNormalization and RMSNormalization as one op, if only the result is
/// wanted and the statistics are f32; other forms use the function body.
template <amp::NormKind kind>
static LogicalResult buildLayerNorm(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto axis = b.axisAttr("axis", x.rank(), -1);
  if (failed(axis))
    return failure();
  if (b.wants(1) || b.wants(2))
    return b.fail("gives its statistics, which is not supported");
  if (b.intAttr("stash_type", 1) != 1)
    return b.fail("keeps statistics in another type than float");
  auto vector = [&](unsigned i) {
    return b.has(i) ? std::optional(b.tensor(i)) : std::nullopt;
  };
  auto y = normalizeRows(b, kind, x, vector(1), vector(2), *axis,
                         b.floatAttr("epsilon", 1e-5));
  return failed(y) ? failure() : b.output(0, *y);
}

/// x / (bias + alpha / size * sum of squares over `size` channels) ^ beta.
static LogicalResult buildLRN(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  int64_t size = b.intAttr("size", 1);
  if (x.rank() < 3 || size < 1 || size > INT32_MAX)
    return b.fail("needs rank 3 at least and a size of 1 to 2^31 - 1");
  ArrayRef<Scalar> dims = x.dims;
  Dims rows{dims[0], s.index(1), dims[1], s.product(dims.drop_front(2))};
  Tensor squares = b.reshape(b.mul(x, x), rows);
  SmallVector<int64_t> kernel{size, 1}, ones{1, 1};
  SmallVector<int64_t> pads{(size - 1) / 2, 0, size - 1 - (size - 1) / 2, 0};
  Tensor sum{b.create<amp::PoolOp>(b.type(x.dtype, rows), amp::PoolKind::Sum,
                                   squares.value, kernel, ones, ones, pads,
                                   false, false, false),
             x.dtype,
             rows,
             {}};
  sum = b.reshape(sum, x.dims);
  Tensor base = b.add(
      b.mul(sum, b.splatLike(b.floatAttr("alpha", 1e-4) / double(size), x)),
      b.splatLike(b.floatAttr("bias", 1), x));
  Tensor power = b.pointwise<math::PowFOp>(
      x.dtype, base, b.splatLike(b.floatAttr("beta", 0.75), x));
  return b.output(0, b.div(x, power));
}

/// x divided by its 1- or 2-norm along an axis; where that is zero, zero.
static LogicalResult buildLpNorm(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto axis = b.axisAttr("axis", x.rank(), -1);
  int64_t p = b.intAttr("p", 2);
  if (failed(axis))
    return failure();
  if (p != 1 && p != 2)
    return b.fail("has p " + Twine(p) + "; it is 1 or 2");
  Tensor terms = p == 1 ? b.pointwise<math::AbsFOp>(x.dtype, x) : b.mul(x, x);
  Tensor norm = b.reduce(amp::ReduceKind::Sum, terms, {*axis}, true);
  if (p == 2)
    norm = b.sqrt(norm);
  Tensor zero = b.splatLike(0, norm);
  Tensor isZero = b.compare(arith::CmpIPredicate::eq, arith::CmpFPredicate::OEQ,
                            norm, zero);
  norm = b.select(isZero, b.splatLike(1, norm), norm);
  return b.output(0, b.div(x, b.broadcast(norm, x.dims)));
}

void registerNormOps(OpTable &t) {
  t.add("InstanceNormalization", 1, 22, buildInstanceNorm);
  t.add("LayerNormalization", 17, 17, buildLayerNorm<amp::NormKind::Layer>);
  t.add("RMSNormalization", 23, 23, buildLayerNorm<amp::NormKind::RMS>);
  // onnxruntime has these in the standard's domain.
  static constexpr const char *types =
      "T = float float16 double bfloat16; U = float double; "
      "V = float float16 double bfloat16";
  std::vector<SchemaAttribute> attributes{
      {"axis", -1}, {"epsilon", 1e-5f}, {"stash_type", 1}};
  t.add({"LayerNormalization", "X:T Scale:V B:V?", "Y:V Mean:U? InvStdDev:U?",
         types, attributes, R"({
           Y, Mean, InvStdDev = LayerNormalization<axis: int = @axis,
             epsilon: float = @epsilon, stash_type: int = @stash_type>(
             X, Scale, B)
         })",
         ""},
        buildLayerNorm<amp::NormKind::Layer>);
  t.add({"SimplifiedLayerNormalization", "X:T scale:V", "Y:V inv_std_var:U?",
         types, attributes, nullptr, ""},
        buildLayerNorm<amp::NormKind::RMS>);
  t.add("LRN", 1, 13, buildLRN);
  t.add("LpNormalization", 1, 22, buildLpNorm);
}

} // namespace ampc::onnx_import
