//===- Quantize.h - What quantised ops are made of --------------*- C++ -*-===//
//
// A quantised tensor is integers q with a scale s and a zero point z, for the
// numbers s (q - z). Sums of products are formed in 32-bit integers, exactly.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_OPS_QUANTIZE_H
#define AMPC_IMPORT_ONNX_OPS_QUANTIZE_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// A scale or zero point for each element of a tensor with sizes `dims`: from
/// one for all, one for each index of `axis`, or one for each block of
/// `blockSize` (if not 0) elements along `axis`.
mlir::FailureOr<Tensor> spread(NodeBuilder &b, Tensor parameter,
                               const Dims &dims, int64_t axis,
                               int64_t blockSize = 0);

/// Rounds to nearest even, adds `zeroPoint` (of the shape of `ratio`, if any)
/// and saturates to `to`. NaN gives the zero point. To floats: as a cast with
/// `saturate`.
Tensor quantize(NodeBuilder &b, Tensor ratio, std::optional<Tensor> zeroPoint,
                DType to, bool saturate = true);

/// `scale` times (`x` - `zeroPoint`), all of one shape, in f32.
Tensor dequantize(NodeBuilder &b, Tensor x, Tensor scale,
                  std::optional<Tensor> zeroPoint);

/// A tensor quantised to uint8 over the range of its elements and zero, as
/// DynamicQuantizeLinear does; scale (f32) and zero point have rank 0.
struct DynamicallyQuantized {
  Tensor elements, scale, zeroPoint;
};
DynamicallyQuantized quantizeDynamically(NodeBuilder &b, const Tensor &x);

/// Inputs `first`, `first` + 1 and `first` + 2 are a tensor, its scale and its
/// zero point (which may be missing), one for all elements: the numbers in f32.
mlir::FailureOr<Tensor> dequantizedInput(NodeBuilder &b, unsigned first);

/// Output 0 from numbers in f32, with scale and zero point in inputs `first`
/// and `first` + 1. Without a zero point the type is `missing`.
mlir::LogicalResult quantizedOutput(NodeBuilder &b, const Tensor &x,
                                    unsigned first, DType missing);

/// `x` minus its zero point as i16, which holds the difference of any two 8-bit
/// integers. The zero point broadcasts to `x` once dimensions of size one are
/// inserted at `axes`, unless it is one for all.
mlir::FailureOr<Tensor> centered(NodeBuilder &b, const Tensor &x,
                                 std::optional<Tensor> zeroPoint,
                                 llvm::ArrayRef<int64_t> axes);

/// The product of two matrices of 8-bit integers as int32. Zero points are for
/// all, for each row of `lhs` ([M] or [..., M, 1]) or for each column of `rhs`.
mlir::FailureOr<Tensor> integerProduct(NodeBuilder &b, const Tensor &lhs,
                                       const Tensor &rhs,
                                       std::optional<Tensor> lhsZero,
                                       std::optional<Tensor> rhsZero);

/// Broadcasts a scale of rows or of columns and multiplies `x`, in f32.
mlir::FailureOr<Tensor> scaled(NodeBuilder &b, const Tensor &x,
                               const Tensor &scale);

/// A scale or zero point of rows of a matrix as a column, one for all as it is.
Tensor asColumn(NodeBuilder &b, const Tensor &parameter);

/// A tensor with one element, of any rank, as one of rank 0; else itself.
Tensor withoutRank(NodeBuilder &b, const Tensor &parameter);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_QUANTIZE_H
