//===- Determinant.cpp - Determinants of matrices -------------------------===//

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"

using namespace mlir;

namespace ampc::onnx_import {

/// The largest matrix that elimination is written out for.
constexpr int64_t kLargest = 64;

/// One step of Gaussian elimination with partial pivoting, on matrices
/// [batch, n, n]: multiplies `product` [batch] by the signed pivot and leaves
/// the rest [batch, n - 1, n - 1].
static Expr eliminate(NodeBuilder &b, const Expr &matrix, Expr &product) {
  ScalarBuilder &s = b.scalars;
  Dims dims = matrix.dims();
  Scalar one = s.index(1), rest = s.sub(dims[1], one);
  Dims row{dims[0], one, dims[2]}, column{dims[0], dims[1], one},
      single{dims[0], one, one}, vector{dims[0]};
  Expr first(b, b.sliceAxis(matrix, 2, s.index(0), one));
  Tensor where{b.create<amp::ArgReduceOp>(
                   b.type(DType::Int64, vector), amp::ReduceKind::Max,
                   abs(first).reshape({dims[0], dims[1]}).tensor.value, 1,
                   /*last=*/false, /*unsigned_source=*/false),
               DType::Int64,
               vector,
               {}};
  Expr at = Expr(b, where).reshape(single);
  auto pick = [&](const Dims &of) {
    return Expr(b, {b.create<amp::GatherElementsOp>(
                        b.type(matrix.dtype(), of), 1, matrix.tensor.value,
                        at.broadcast(of).tensor.value),
                    matrix.dtype(),
                    of,
                    {}});
  };
  Expr pivotRow = pick(row);
  Expr top(b, b.sliceAxis(matrix, 1, s.index(0), one));
  // The first row takes the pivot row's place.
  Expr isPivot = Expr::position(b, 1, dims) == at.broadcast(dims);
  Expr swapped = select(isPivot, top.broadcast(dims), matrix);
  Expr pivot(b, b.sliceAxis(pivotRow, 2, s.index(0), one));
  Expr sign = select(at == 0, pivot, -pivot);
  product = product * sign.reshape(vector);

  auto below = [&](const Expr &x) {
    return Expr(b, b.sliceAxis(x, 1, one, rest));
  };
  auto right = [&](const Expr &x) {
    return Expr(b, b.sliceAxis(x, 2, one, rest));
  };
  Expr left(b, b.sliceAxis(below(swapped), 2, s.index(0), one));
  // Where the pivot is zero so is the determinant, whatever is left.
  Expr divisor = select(pivot == 0, 1, pivot);
  Expr factor = left / divisor.broadcast(left.dims());
  Expr remaining = right(below(swapped));
  return remaining - factor.broadcast(remaining.dims()) *
                         right(pivotRow).broadcast(remaining.dims());
}

static LogicalResult buildDet(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  if (x.rank() < 2)
    return b.fail("needs rank 2 at least");
  auto size = constantInt(x.dims.back());
  if (!size)
    size = constantInt(x.dims[x.rank() - 2]);
  if (!size)
    return b.fail("has matrices of unknown size; give it by --dim");
  for (Scalar dim : ArrayRef(x.dims).take_back(2))
    if (failed(b.requireEqual(dim, s.index(*size), "has square matrices")))
      return failure();
  if (*size > kLargest)
    return b.fail("has matrices of size " + Twine(*size) + "; supported are " +
                  Twine(kLargest) + " at most");
  Dims outer(x.dims.begin(), x.dims.end() - 2);
  Scalar n = s.index(*size), batch = s.product(outer);
  Expr matrix = Expr(b, x).to(formulaType(x.dtype)).reshape({batch, n, n});
  Expr product(b, b.splat(1, matrix.dtype(), {batch}));
  for (int64_t left = *size; left > 1; --left)
    matrix = eliminate(b, matrix, product);
  if (*size > 0)
    product = product * matrix.reshape({batch});
  return b.output(0, product.to(x.dtype).reshape(outer));
}

void registerDeterminantOps(OpTable &t) { t.add("Det", 11, 22, buildDet); }

} // namespace ampc::onnx_import
