//===- Sample.cpp - Reading images at computed positions ------------------===//

#include "compiler/import/onnx/ops/Sample.h"

using namespace mlir;

namespace ampc::onnx_import {

Image::Image(NodeBuilder &b, Tensor rows, Expr at, Dims spatial, int64_t groups)
    : b(b), rows(std::move(rows)), at(std::move(at)),
      spatial(std::move(spatial)), readDims(this->at.dims()), groups(groups) {
  readDims.push_back(this->rows.dims.back());
}

FailureOr<Image> Image::of(NodeBuilder &b, const Tensor &pixels, const Expr &at,
                           int64_t groups) {
  ScalarBuilder &s = b.scalars;
  if (failed(b.requireReadable(pixels.dims, at.dims())))
    return failure();
  SmallVector<int64_t> channelsLast{0};
  for (int64_t i = 2; i < pixels.rank(); ++i)
    channelsLast.push_back(i);
  channelsLast.push_back(1);
  Dims spatial(pixels.dims.begin() + 2, pixels.dims.end());
  Scalar count = s.mul(pixels.dims[0], s.product(spatial));
  Dims rows{s.mul(count, s.index(groups)),
            s.div(pixels.dims[1], s.index(groups))};
  Tensor last = b.transpose(pixels, channelsLast);
  return Image(b, b.reshape(last, rows), at, spatial, groups);
}

Expr Image::read(ArrayRef<Expr> coordinates) const {
  const Dims &dims = at.dims();
  // Rows lie as [batch, spatial..., group].
  Expr index = groups == 1 ? at : at / double(groups);
  for (auto [x, size] : llvm::zip(coordinates, spatial))
    index = index * Expr::ofScalar(b, size, DType::Int64, dims) + x;
  if (groups != 1)
    index = index * double(groups) + at % double(groups);
  return {b, b.gather(rows, index, 0)};
}

Expr alongPositions(const Expr &x, const Dims &dims) {
  return Expr(*x.b, x.b->unsqueeze(x, {x.tensor.rank()})).broadcast(dims);
}

SmallVector<Tap> linearTaps(const Expr &x) {
  Expr low = floor(x), index = low.to(DType::Int64), rest = x - low;
  return {Tap{index, 1 - rest}, Tap{index + 1, rest}};
}

void forEachCombination(
    ArrayRef<SmallVector<Tap>> taps,
    llvm::function_ref<void(ArrayRef<Expr>, const Expr &)> visit) {
  SmallVector<size_t> chosen(taps.size(), 0);
  while (true) {
    SmallVector<Expr> indices;
    for (auto [i, options] : llvm::zip(chosen, taps))
      indices.push_back(options[i].index);
    Expr weight = taps[0][chosen[0]].weight;
    for (size_t d = 1; d < taps.size(); ++d)
      weight = weight * taps[d][chosen[d]].weight;
    visit(indices, weight);
    size_t d = taps.size();
    while (d > 0 && ++chosen[d - 1] == taps[d - 1].size())
      chosen[--d] = 0;
    if (d == 0)
      return;
  }
}

Expr interpolate(ArrayRef<SmallVector<Tap>> taps,
                 llvm::function_ref<Expr(ArrayRef<Expr>)> read) {
  std::optional<Expr> sum;
  forEachCombination(taps, [&](ArrayRef<Expr> indices, const Expr &weight) {
    Expr pixel = read(indices).to(weight.dtype());
    Expr term = pixel * alongPositions(weight, pixel.dims());
    sum = sum ? *sum + term : term;
  });
  return *sum;
}

Expr isInside(ArrayRef<Expr> coordinates, ArrayRef<Scalar> sizes) {
  std::optional<Expr> all;
  for (auto [x, size] : llvm::zip(coordinates, sizes)) {
    Expr end = Expr::ofScalar(*x.b, size, DType::Int64, x.dims());
    Expr inside = (x >= 0) & (x < end);
    all = all ? *all & inside : inside;
  }
  return *all;
}

} // namespace ampc::onnx_import
