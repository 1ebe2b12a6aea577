//===- MicrosoftFused.cpp - Pointwise ops of com.microsoft ----------------===//
//
// What onnxruntime's optimizer writes, as its ContribOperators.md documents it.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;

namespace ampc::onnx_import {

/// GELU's approximation by tanh, of the sum with a bias if there is one.
static LogicalResult buildFastGelu(NodeBuilder &b) {
  SmallVector<Tensor> terms{b.tensor(0)};
  if (b.has(1))
    terms.push_back(b.tensor(1));
  if (failed(b.broadcastAll(terms)))
    return failure();
  Tensor x = terms.size() > 1 ? b.add(terms[0], terms[1]) : terms[0];
  Value value = b.create<amp::GeluOp>(x.type(), x.value, /*tanh=*/true);
  return b.output(0, Tensor{value, x.dtype, x.dims, {}});
}

static LogicalResult buildQuickGelu(NodeBuilder &b) {
  Expr x(b, b.tensor(0));
  return b.output(0, x * sigmoid(x * b.floatAttr("alpha", 1.702)));
}

/// The softmax of a sum, over all dimensions from the axis on.
static LogicalResult buildBiasSoftmax(NodeBuilder &b) {
  Tensor x = b.tensor(0), bias = b.tensor(1);
  auto axis = b.axisAttr("axis", x.rank(), 1);
  auto dims = b.broadcastDims({x.dims, bias.dims});
  if (failed(axis) || failed(dims))
    return failure();
  if (!b.scalars.same(*dims, x.dims))
    return b.fail("has a bias that does not fit");
  x = b.add(x, b.broadcast(bias, x.dims));
  ArrayRef<Scalar> sizes = x.dims;
  Dims rows(sizes.take_front(*axis));
  rows.push_back(b.scalars.product(sizes.drop_front(*axis)));
  Tensor flat = b.reshape(x, rows);
  Value value =
      b.create<amp::SoftmaxOp>(flat.type(), flat.value, *axis, /*log=*/false);
  return b.output(0, b.reshape(Tensor{value, x.dtype, rows, {}}, x.dims));
}

void registerMicrosoftFusedOps(OpTable &t) {
  static constexpr const char *floats = "T = float float16 double bfloat16";
  t.add({"BiasGelu", "A:T B:T", "C:T", floats, {}, R"({
           sum = Add(A, B)
           C = Gelu(sum)
         })"});
  t.add({"Gelu", "X:T", "Y:T", floats, {}, "{ Y = Gelu(X) }"});
  t.add({"FastGelu", "X:T bias:T?", "Y:T", floats}, buildFastGelu);
  t.add({"QuickGelu", "X:T", "Y:T", floats, {{"alpha", 1.702f}}},
        buildQuickGelu);
  t.add(
      {"BiasSoftmax",
       "data:T bias:T",
       "output:T",
       floats,
       {{"axis", 1}, {"is_inner_broadcast", NoDefault{NoDefault::Int, true}}}},
      buildBiasSoftmax);
  t.add({"BiasAdd", "X:T bias:T skip:T", "Y:T", floats, {}, R"({
           sum = Add(X, bias)
           Y = Add(sum, skip)
         })"});
  t.add({"BiasSplitGelu", "X:T bias:T", "Y:T", floats, {}, R"({
           sum = Add(X, bias)
           left, right = Split<axis = -1, num_outputs = 2>(sum)
           factor = Gelu(right)
           Y = Mul(left, factor)
         })"});
  t.add({"Trilu",
         "X:T k:int64?",
         "Y:T",
         "T = float float16 double bfloat16 int64 int32 bool",
         {{"upper", 1}},
         "{ Y = Trilu<upper: int = @upper>(X, k) }"});
  t.add({"GridSample",
         "X:T Grid:T",
         "Y:T",
         "T = float float16 double",
         {{"mode", std::string("bilinear")},
          {"padding_mode", std::string("zeros")},
          {"align_corners", 0}},
         R"({
           Y = GridSample<mode: string = @mode,
             padding_mode: string = @padding_mode,
             align_corners: int = @align_corners>(X, Grid)
         })"});
}

} // namespace ampc::onnx_import
