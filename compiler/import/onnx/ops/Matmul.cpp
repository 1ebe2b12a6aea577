//===- Matmul.cpp - Matrix products ---------------------------------------===//

#include "compiler/import/onnx/ops/Matmul.h"

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Ranks.h"

using namespace mlir;

namespace ampc::onnx_import {

FailureOr<Tensor> matmul(NodeBuilder &b, Tensor lhs, Tensor rhs, DType dtype,
                         bool transposeLhs, bool transposeRhs) {
  if (dtype == DType::Undefined)
    dtype = lhs.dtype;
  if (lhs.rank() < 1 || rhs.rank() < 1)
    return b.fail("multiplies a scalar as a matrix");
  // A vector is a row at the left and a column at the right.
  bool isRow = lhs.rank() == 1, isColumn = rhs.rank() == 1;
  if (isRow) {
    lhs = b.unsqueeze(lhs, {0});
    transposeLhs = false;
  }
  if (isColumn) {
    rhs = b.unsqueeze(rhs, {1});
    transposeRhs = false;
  }
  // Sizes counted from the last dimension.
  auto size = [](const Tensor &x, int64_t i) { return x.dims[x.rank() - i]; };
  if (failed(b.requireEqual(size(lhs, transposeLhs ? 2 : 1),
                            size(rhs, transposeRhs ? 1 : 2),
                            "inner sizes of the product differ")))
    return failure();
  auto batch = [](const Tensor &x) {
    return Dims(x.dims.begin(), x.dims.end() - 2);
  };
  auto dims = b.broadcastDims({batch(lhs), batch(rhs)});
  if (failed(dims))
    return failure();
  // The op repeats sizes that are known to be one; others must agree.
  for (Tensor *x : {&lhs, &rhs}) {
    Dims own = batch(*x);
    size_t offset = dims->size() - own.size();
    bool asIs = true;
    for (auto [i, size] : llvm::enumerate(own))
      asIs &= size == (*dims)[offset + i] || constantInt(size) == 1;
    if (asIs)
      continue;
    Dims full = *dims;
    full.append(x->dims.end() - 2, x->dims.end());
    *x = b.broadcast(*x, full);
  }
  dims->push_back(size(lhs, transposeLhs ? 1 : 2));
  dims->push_back(size(rhs, transposeRhs ? 2 : 1));
  Value value = b.create<amp::MatmulOp>(
      b.type(dtype, *dims), lhs.value, rhs.value, Value(), transposeLhs,
      transposeRhs, isUnsigned(lhs.dtype), isUnsigned(rhs.dtype),
      amp::AlgorithmAttr());
  Tensor result{value, dtype, *dims, {}};
  if (isRow || isColumn) {
    Dims kept = result.dims;
    if (isColumn)
      kept.pop_back();
    if (isRow)
      kept.erase(kept.end() - (isColumn ? 1 : 2));
    result = b.reshape(result, kept);
  }
  return result;
}

static LogicalResult buildMatMul(NodeBuilder &b) {
  auto result = matmul(b, b.tensor(0), b.tensor(1));
  return failed(result) ? failure() : b.output(0, *result);
}

/// alpha A B + beta C, with A and B transposed on demand.
FailureOr<Tensor> gemm(NodeBuilder &b) {
  Tensor lhs = b.tensor(0), rhs = b.tensor(1);
  if (lhs.rank() != 2 || rhs.rank() != 2)
    return b.fail("needs matrices, not ranks " + Twine(lhs.rank()) + " and " +
                  Twine(rhs.rank()));
  bool flipLhs = b.intAttr("transA", 0), flipRhs = b.intAttr("transB", 0);
  double alpha = b.floatAttr("alpha", 1), beta = b.floatAttr("beta", 1);
  if (failed(b.requireEqual(lhs.dims[flipLhs ? 0 : 1],
                            rhs.dims[flipRhs ? 1 : 0],
                            "inner sizes of the product differ")))
    return failure();
  Dims dims{lhs.dims[flipLhs ? 1 : 0], rhs.dims[flipRhs ? 0 : 1]};
  std::optional<Tensor> bias;
  if (b.has(2) && beta != 0) {
    bias = b.tensor(2);
    if (bias->rank() > 2)
      return b.reject("adds a tensor of rank " + Twine(bias->rank()));
    auto common = b.broadcastDims({dims, bias->dims});
    if (failed(common))
      return failure();
    if (bias->rank() == 0)
      bias = b.unsqueeze(*bias, {0});
    bool fits = bias->rank() <= 2;
    for (auto [i, size] : llvm::enumerate(llvm::reverse(bias->dims)))
      if (fits && size != dims[1 - i] && constantInt(size) != 1)
        fits = false;
    if (!fits)
      bias = b.broadcast(*bias, dims);
    if (beta != 1)
      bias = b.mul(*bias, b.splatLike(beta, *bias));
  }
  bool startsSum = bias && alpha == 1;
  Value value = b.create<amp::MatmulOp>(
      b.type(lhs.dtype, dims), lhs.value, rhs.value,
      startsSum ? bias->value : Value(), flipLhs, flipRhs,
      isUnsigned(lhs.dtype), isUnsigned(rhs.dtype), amp::AlgorithmAttr());
  Tensor result{value, lhs.dtype, dims, {}};
  if (alpha != 1)
    result = b.mul(result, b.splatLike(alpha, result));
  if (bias && !startsSum)
    result = b.add(result, b.broadcast(*bias, dims));
  return result;
}

static LogicalResult buildGemm(NodeBuilder &b) {
  auto result = gemm(b);
  return failed(result) ? failure() : b.output(0, *result);
}

void registerMatmulOps(OpTable &t) {
  t.add("MatMul", 1, 13, buildMatMul);
  t.add("Gemm", 1, 13, buildGemm);
}

} // namespace ampc::onnx_import
