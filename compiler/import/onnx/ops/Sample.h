//===- Sample.h - Reading images at computed positions ----------*- C++ -*-===//
//
// What GridSample, DeformConv and the region ops share: an image
// [batch, channels, spatial...] is read at positions that are tensors, and
// values between pixels are sums of taps.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_OPS_SAMPLE_H
#define AMPC_IMPORT_ONNX_OPS_SAMPLE_H

#include "compiler/import/onnx/Expr.h"

namespace ampc::onnx_import {

/// Pixels as rows of channels: one position's index serves all its channels,
/// and they are read side by side.
class Image {
public:
  /// Prepares reads of `pixels` at positions of shape `at.dims()`, which say
  /// the batch index of each. A run that would read an image without pixels
  /// ends with an error. With `groups`, positions differ by group of channels,
  /// and `at` counts batch * groups + group.
  static mlir::FailureOr<Image> of(NodeBuilder &b, const Tensor &pixels,
                                   const Expr &at, int64_t groups = 1);

  /// The pixels [positions..., channels] at int64 coordinates, one tensor a
  /// spatial dimension, each of the positions' shape. What is out of bounds
  /// gives any pixel.
  Expr read(llvm::ArrayRef<Expr> coordinates) const;

  /// The shape of what is read.
  const Dims &dims() const { return readDims; }

private:
  Image(NodeBuilder &b, Tensor rows, Expr at, Dims spatial, int64_t groups);

  NodeBuilder &b;
  Tensor rows;
  Expr at;
  Dims spatial;
  Dims readDims;
  int64_t groups;
};

/// A tensor [positions...] repeated for each channel, as [positions...,
/// channels].
Expr alongPositions(const Expr &x, const Dims &dims);

/// One pixel of those that a value between pixels is made of, in one dimension.
struct Tap {
  Expr index, weight;
};

/// The two taps of linear interpolation at `x`: floor(x) and the next.
llvm::SmallVector<Tap> linearTaps(const Expr &x);

/// All combinations of one tap a dimension, with the product of their weights.
void forEachCombination(
    llvm::ArrayRef<llvm::SmallVector<Tap>> taps,
    llvm::function_ref<void(llvm::ArrayRef<Expr> indices, const Expr &weight)>
        visit);

/// The sum over all combinations of taps of weight times `read` of the indices.
Expr interpolate(llvm::ArrayRef<llvm::SmallVector<Tap>> taps,
                 llvm::function_ref<Expr(llvm::ArrayRef<Expr>)> read);

/// Whether coordinates lie inside an image of these sizes.
Expr isInside(llvm::ArrayRef<Expr> coordinates, llvm::ArrayRef<Scalar> sizes);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_OPS_SAMPLE_H
