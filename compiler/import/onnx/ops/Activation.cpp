//===- Activation.cpp - Activation functions ------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/PointBuilder.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

static LogicalResult buildRelu(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  return b.output(0, b.maximum(x, b.splatLike(0, x)));
}

static LogicalResult buildSigmoid(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  return b.output(0, b.pointwise<amp::SigmoidOp>(x.dtype, x));
}

/// x where positive, else slope * x.
static Tensor leaky(NodeBuilder &b, const Tensor &x, const Tensor &slope) {
  Tensor negative =
      b.compare(CmpIPredicate::slt, CmpFPredicate::OLT, x, b.splatLike(0, x));
  return b.select(negative, b.mul(x, slope), x);
}

static LogicalResult buildLeakyRelu(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  return b.output(0, leaky(b, x, b.splatLike(b.floatAttr("alpha", 0.01), x)));
}

static LogicalResult buildPRelu(NodeBuilder &b) {
  Tensor x = b.tensor(0), slope = b.tensor(1);
  // Until opset 6, slopes were those of channels.
  if (b.node.version < 7 && slope.rank() == 1 && x.rank() > 2)
    slope = b.unsqueeze(slope,
                        llvm::to_vector(llvm::seq(int64_t(1), x.rank() - 1)));
  auto dims = b.broadcastDims({x.dims, slope.dims});
  if (failed(dims))
    return failure();
  return b.output(0,
                  leaky(b, b.broadcast(x, *dims), b.broadcast(slope, *dims)));
}

static LogicalResult buildHardSigmoid(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  Tensor line = b.add(b.mul(x, b.splatLike(b.floatAttr("alpha", 0.2), x)),
                      b.splatLike(b.floatAttr("beta", 0.5), x));
  line = b.minimum(b.maximum(line, b.splatLike(0, x)), b.splatLike(1, x));
  return b.output(0, line);
}

static LogicalResult buildGelu(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  bool tanh = b.stringAttr("approximate", "none") == "tanh";
  Value value = b.create<amp::GeluOp>(x.type(), x.value, tanh);
  return b.output(0, Tensor{value, x.dtype, x.dims, {}});
}

/// log(1 + exp(x)), written so that neither end overflows or loses digits.
static LogicalResult buildSoftplus(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  Tensor decay = b.pointwise<math::ExpOp>(
      x.dtype, b.pointwise<arith::NegFOp>(
                   x.dtype, b.pointwise<math::AbsFOp>(x.dtype, x)));
  Tensor rest = b.pointwise<math::Log1pOp>(x.dtype, decay);
  return b.output(0, b.add(b.maximum(x, b.splatLike(0, x)), rest));
}

/// Moves what lies outside [-lambd, lambd] by bias toward zero; the rest is
/// zero.
static LogicalResult buildShrink(NodeBuilder &b) {
  DType dtype = b.dtype(0);
  double bound = b.floatAttr("lambd", 0.5), bias = b.floatAttr("bias", 0);
  return buildPointwise(b, dtype, false, [&](PointBuilder &p, ValueRange x) {
    auto shifted = [&](double by) {
      return p.byType<arith::AddFOp, arith::AddIOp>(
          dtype, {x[0], p.constant(by, dtype)});
    };
    Value above =
        p.compare(CmpIPredicate::sgt, dtype, x[0], p.constant(bound, dtype));
    Value result = p.select(above, shifted(-bias), p.constant(0, dtype));
    Value below =
        p.compare(CmpIPredicate::slt, dtype, x[0], p.constant(-bound, dtype));
    return p.select(below, shifted(bias), result);
  });
}

void registerActivationOps(OpTable &t) {
  t.add("Relu", 1, 14, buildRelu);
  t.add("Sigmoid", 1, 13, buildSigmoid);
  t.add("LeakyRelu", 1, 16, buildLeakyRelu);
  t.add("PRelu", 1, 16, buildPRelu);
  t.add("HardSigmoid", 1, 22, buildHardSigmoid);
  t.add("Gelu", 20, 20, buildGelu);
  t.add("Shrink", 9, 9, buildShrink);
  t.add("Softplus", 1, 22, buildSoftplus);
}

} // namespace ampc::onnx_import
