//===- Unpool.cpp - Windows put back where they came from -----------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Sample.h"
#include "compiler/import/onnx/ops/Window.h"

using namespace mlir;

namespace ampc::onnx_import {

/// Zeros, with `updates` at flat `indices` (both of one shape).
static Tensor scatterFlat(NodeBuilder &b, amp::ScatterKind kind,
                          const Tensor &indices, const Tensor &updates,
                          const Dims &dims) {
  ScalarBuilder &s = b.scalars;
  Tensor zeros = b.splat(0, updates.dtype, {s.product(dims)});
  Dims flat{s.product(updates.dims)};
  Value value = b.create<amp::ScatterElementsOp>(
      zeros.type(), 0, kind, zeros.value, b.reshape(indices, flat).value,
      b.reshape(updates, flat).value);
  return b.reshape(Tensor{value, updates.dtype, zeros.dims, {}}, dims);
}

/// The values that MaxPool took, at the flat indices that it gave. They refer
/// to the size that the pooling attributes imply; an output_shape pads that or
/// crops it.
static LogicalResult buildMaxUnpool(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), indices = b.tensor(1);
  int64_t rank = x.rank() - 2;
  auto kernel = b.node.intsAttr("kernel_shape");
  if (rank < 1 || !kernel || int64_t(kernel->size()) != rank)
    return b.fail("needs a kernel_shape of " + Twine(rank) + " sizes");
  auto strides = spatialAttr(b, "strides", rank, 1);
  auto pads = spatialAttr(b, "pads", 2 * rank, 0);
  if (failed(strides) || failed(pads))
    return failure();
  // Sums of these stay far from overflow.
  constexpr int64_t most = INT32_MAX;
  auto isSize = [](int64_t n) { return n >= 1 && n <= most; };
  if (!llvm::all_of(*kernel, isSize) || !llvm::all_of(*strides, isSize) ||
      llvm::any_of(*pads, [](int64_t n) { return n < -most || n > most; }))
    return b.reject("has a kernel_shape, strides or pads out of range");
  if (indices.rank() != x.rank())
    return b.fail("has indices of rank " + Twine(indices.rank()) +
                  " for a tensor of rank " + Twine(x.rank()));
  for (int64_t i = 0; i < x.rank(); ++i)
    if (failed(b.requireEqual(indices.dims[i], x.dims[i],
                              "indices differ in dimension " + Twine(i))))
      return failure();
  Dims dims{x.dims[0], x.dims[1]};
  for (int64_t i = 0; i < rank; ++i) {
    int64_t rest =
        (*kernel)[i] - (*strides)[i] - (*pads)[i] - (*pads)[rank + i];
    dims.push_back(s.max(
        s.add(s.mul(x.dims[2 + i], s.index((*strides)[i])), s.index(rest)),
        s.index(0)));
  }
  if (failed(b.requireReadable(dims, x.dims)))
    return failure();
  Tensor y = scatterFlat(b, amp::ScatterKind::Replace, indices, x, dims);
  if (b.has(2)) {
    auto shape = b.list(2);
    if (failed(shape))
      return failure();
    if (int64_t(shape->size()) != x.rank())
      return b.fail("has an output_shape of " + Twine(shape->size()) +
                    " sizes for rank " + Twine(x.rank()));
    SmallVector<Scalar> low(x.rank(), s.index(0)), high;
    for (auto [size, from] : llvm::zip(*shape, dims))
      high.push_back(s.sub(size, from));
    y = b.pad(y, 0, low, high);
    y.dims = Dims(*shape);
  }
  return b.output(0, y);
}

/// Adds blocks into the image that they were cut from: the adjoint of taking
/// columns. `x` is [batch, channels * block elements, blocks].
static LogicalResult buildCol2Im(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  auto image = b.list(1), block = b.list(2);
  if (failed(image) || failed(block))
    return failure();
  size_t rank = image->size();
  if (x.rank() != 3 || x.dtype == DType::Bool || rank < 1 ||
      block->size() != rank)
    return b.fail("needs blocks of numbers in rank 3 and as many sizes of a "
                  "block as of the image");
  auto strides = spatialAttr(b, "strides", rank, 1);
  auto dilations = spatialAttr(b, "dilations", rank, 1);
  auto pads = spatialAttr(b, "pads", 2 * rank, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();

  // Blocks in each dimension: as many as strides fit.
  Dims blocks;
  for (size_t i = 0; i < rank; ++i) {
    if ((*strides)[i] < 1 || (*dilations)[i] < 1)
      return b.fail("has a stride or dilation below 1");
    Scalar span =
        s.mul(s.sub((*block)[i], s.index(1)), s.index((*dilations)[i]));
    Scalar room = s.sub(
        s.add((*image)[i], s.index((*pads)[i] + (*pads)[rank + i])), span);
    // Rounds up where the quotient below would round down.
    Scalar last = s.add(s.max(room, s.index(0)), s.index((*strides)[i] - 1));
    blocks.push_back(s.div(last, s.index((*strides)[i])));
  }
  Scalar elements = s.product(*block);
  Scalar channels = s.div(x.dims[1], s.max(elements, s.index(1)));
  if (failed(b.requireEqual(s.mul(channels, elements), x.dims[1],
                            "channels are not whole blocks")) ||
      failed(b.requireEqual(s.product(blocks), x.dims[2],
                            "does not have the blocks that the image takes")))
    return failure();

  // [batch, channels, block..., blocks...].
  Dims split{x.dims[0], channels};
  split.append(*block);
  split.append(blocks);
  Dims shared = split;
  shared[0] = shared[1] = s.index(1);
  Expr values = Expr(b, x).reshape(split);
  std::optional<Expr> index, inside;
  for (size_t i = 0; i < rank; ++i) {
    Dims own(split.size(), s.index(1));
    own[2 + i] = split[2 + i];
    own[2 + rank + i] = split[2 + rank + i];
    Expr at = Expr::position(b, 2 + i, own) * double((*dilations)[i]) +
              Expr::position(b, 2 + rank + i, own) * double((*strides)[i]) -
              double((*pads)[i]);
    Expr in = isInside(at, (*image)[i]).broadcast(shared);
    at = at.broadcast(shared);
    index =
        index
            ? *index * Expr::ofScalar(b, (*image)[i], DType::Int64, shared) + at
            : at;
    inside = inside ? *inside & in : in;
  }
  Expr plane = Expr::position(b, 0, split) *
                   Expr::ofScalar(b, channels, DType::Int64, split) +
               Expr::position(b, 1, split);
  Scalar size = s.product(*image);
  Expr flat = plane * Expr::ofScalar(b, size, DType::Int64, split) +
              select(*inside, *index, 0).broadcast(split);
  // What falls into the padding adds nothing.
  values = select(inside->broadcast(split), values, 0);
  Dims dims{x.dims[0], channels};
  dims.append(*image);
  if (failed(b.requireReadable(*image, split)))
    return failure();
  return b.output(0, scatterFlat(b, amp::ScatterKind::Add, flat, values, dims));
}

void registerUnpoolOps(OpTable &t) {
  t.add("MaxUnpool", 9, 22, buildMaxUnpool);
  t.add("Col2Im", 18, 18, buildCol2Im);
}

} // namespace ampc::onnx_import
