//===- FusedProducts.cpp - Products with what surrounds them --------------===//
//
// Ops of com.microsoft that onnxruntime's optimizer makes of a product and the
// transpositions, factors and activations next to it.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Conv.h"
#include "compiler/import/onnx/ops/Matmul.h"

using namespace mlir;

namespace ampc::onnx_import {

/// The activation that the attribute `activation` names; none if there is none.
/// `parameter` gives its parameters by position.
static FailureOr<Tensor>
activate(NodeBuilder &b, const Tensor &tensor,
         llvm::function_ref<double(unsigned i, double missing)> parameter) {
  std::string kind = b.stringAttr("activation");
  Expr x(b, tensor);
  auto positiveOr = [&](const Expr &other) {
    return select(x > 0, x, other).tensor;
  };
  if (kind.empty())
    return tensor;
  if (kind == "Relu")
    return max(x, 0).tensor;
  if (kind == "Sigmoid")
    return sigmoid(x).tensor;
  if (kind == "Tanh")
    return tanh(x).tensor;
  if (kind == "LeakyRelu")
    return positiveOr(x * parameter(0, 0.01));
  if (kind == "Clip")
    return min(max(x, parameter(0, std::numeric_limits<float>::lowest())),
               parameter(1, std::numeric_limits<float>::max()))
        .tensor;
  if (kind == "HardSigmoid")
    return min(max(x * parameter(0, 0.2) + parameter(1, 0.5), 0), 1).tensor;
  if (kind == "Elu")
    return positiveOr(x.unary<math::ExpM1Op>() * parameter(0, 1));
  if (kind == "ThresholdedRelu")
    return select(x > parameter(0, 1), x, 0).tensor;
  if (kind == "Softplus")
    return (max(x, 0) + exp(-abs(x)).unary<math::Log1pOp>()).tensor;
  if (kind == "Softsign")
    return (x / (abs(x) + 1)).tensor;
  return b.fail("has activation '" + kind + "', which is not supported");
}

/// Dimensions [d, batch..., k] as [batch..., d, k].
static Tensor batchFirst(NodeBuilder &b, const Tensor &x) {
  SmallVector<int64_t> order;
  for (int64_t i = 1; i < x.rank() - 1; ++i)
    order.push_back(i);
  order.push_back(0);
  order.push_back(x.rank() - 1);
  return b.transpose(x, order);
}

static LogicalResult buildFusedMatMul(NodeBuilder &b) {
  Tensor lhs = b.tensor(0), rhs = b.tensor(1);
  for (auto [x, name] : {std::pair(&lhs, "transBatchA"), {&rhs, "transBatchB"}})
    if (b.intAttr(name) && x->rank() > 2)
      *x = batchFirst(b, *x);
  auto product = matmul(b, lhs, rhs, DType::Undefined,
                        b.intAttr("transA") && lhs.rank() > 1,
                        b.intAttr("transB") && rhs.rank() > 1);
  if (failed(product))
    return failure();
  double alpha = b.floatAttr("alpha", 1);
  if (alpha != 1)
    product = b.mul(*product, b.splatLike(alpha, *product));
  return b.output(0, *product);
}

static LogicalResult buildFusedGemm(NodeBuilder &b) {
  auto product = gemm(b);
  if (failed(product))
    return failure();
  auto y = activate(b, *product, [&](unsigned i, double missing) {
    static constexpr StringRef names[] = {"activation_alpha", "activation_beta",
                                          "activation_gamma"};
    return b.floatAttr(names[i], missing);
  });
  return failed(y) ? failure() : b.output(0, *y);
}

/// A convolution, plus Z if there is one, then the activation.
static LogicalResult buildFusedConv(NodeBuilder &b) {
  auto sum = conv(b, b.tensor(0), b.tensor(1), b.optionalTensor(2));
  if (failed(sum))
    return failure();
  if (b.has(3)) {
    Tensor z = b.tensor(3);
    auto dims = b.broadcastDims({sum->dims, z.dims});
    if (failed(dims))
      return failure();
    sum = b.add(b.broadcast(*sum, *dims), b.broadcast(z, *dims));
  }
  auto given = b.node.floatsAttr("activation_params");
  auto y = activate(b, *sum, [&](unsigned i, double missing) {
    return given && i < given->size() ? (*given)[i] : missing;
  });
  return failed(y) ? failure() : b.output(0, *y);
}

void registerFusedProductsOps(OpTable &t) {
  static constexpr const char *floats = "T = float float16 double bfloat16";
  t.add({"FusedMatMul",
         "A:T B:T",
         "Y:T",
         floats,
         {{"alpha", 1.0f},
          {"transA", 0},
          {"transB", 0},
          {"transBatchA", 0},
          {"transBatchB", 0}}},
        buildFusedMatMul);
  t.add({"FusedGemm",
         "A:T B:T C:T?",
         "Y:T",
         floats,
         {{"transA", 0},
          {"transB", 0},
          {"alpha", 1.0f},
          {"beta", 1.0f},
          {"activation", NoDefault{NoDefault::String}},
          {"activation_alpha", NoDefault{NoDefault::Float}},
          {"activation_beta", NoDefault{NoDefault::Float}},
          {"activation_gamma", NoDefault{NoDefault::Float}}}},
        buildFusedGemm);
  std::vector<SchemaAttribute> window{
      {"auto_pad", std::string("NOTSET")},
      {"kernel_shape", NoDefault{NoDefault::Ints}},
      {"dilations", NoDefault{NoDefault::Ints}},
      {"strides", NoDefault{NoDefault::Ints}},
      {"pads", NoDefault{NoDefault::Ints}},
      {"group", 1}};
  // Channels are last in the filter too.
  t.add({"NhwcConv", "X:T W:T B:T?", "Y:T", floats, window, R"({
           x = Transpose<perm = [0, 3, 1, 2]>(X)
           w = Transpose<perm = [0, 3, 1, 2]>(W)
           y = Conv<auto_pad: string = @auto_pad,
             kernel_shape: ints = @kernel_shape, dilations: ints = @dilations,
             strides: ints = @strides, pads: ints = @pads, group: int = @group>(
             x, w, B)
           Y = Transpose<perm = [0, 2, 3, 1]>(y)
         })"});
  window.push_back({"activation", NoDefault{NoDefault::String}});
  window.push_back({"activation_params", NoDefault{NoDefault::Floats}});
  t.add({"FusedConv", "X:T W:T B:T? Z:T?", "Y:T", floats, window},
        buildFusedConv);
}

} // namespace ampc::onnx_import
