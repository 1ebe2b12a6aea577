//===- Movement.cpp - Transpositions, tiles and masks ---------------------===//

#include "compiler/import/onnx/ops/Movement.h"

#include "compiler/import/onnx/OpTable.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

static LogicalResult buildTranspose(NodeBuilder &b) {
  int64_t rank = b.rank(0);
  SmallVector<int64_t> permutation;
  if (auto given = b.node.intsAttr("perm")) {
    permutation = *given;
    auto axes = b.normalizeAxes(permutation, rank);
    if (failed(axes) || int64_t(axes->size()) != rank)
      return b.fail("perm is no permutation of " + Twine(rank) + " dimensions");
    permutation = *axes;
  } else {
    for (int64_t i = rank - 1; i >= 0; --i)
      permutation.push_back(i);
  }
  if (rank <= 1)
    return b.output(0, b.node.inputs[0]);
  return b.output(0, b.transpose(b.tensor(0), permutation));
}

static LogicalResult buildTile(NodeBuilder &b) {
  auto repeats = b.list(1);
  if (failed(repeats))
    return failure();
  Tensor x = b.tensor(0);
  if (int64_t(repeats->size()) != x.rank())
    return b.fail("has " + Twine(repeats->size()) + " repeats for rank " +
                  Twine(x.rank()));
  Dims dims;
  for (auto [size, times] : llvm::zip(x.dims, *repeats))
    dims.push_back(b.scalars.mul(size, times));
  if (dims == x.dims)
    return b.output(0, x);
  Value value =
      b.create<amp::TileOp>(b.type(x.dtype, dims), x.value, b.dynamic(dims));
  return b.output(0, Tensor{value, x.dtype, dims, {}});
}

/// [b, c, h, w] with blocks moved between c and h, w: a reshape to rank 6, a
/// permutation and a reshape back.
static LogicalResult moveBlocks(NodeBuilder &b, ArrayRef<Scalar> split,
                                ArrayRef<int64_t> permutation,
                                ArrayRef<Scalar> joined) {
  Tensor x = b.reshape(b.tensor(0), Dims(split));
  return b.output(0, b.reshape(b.transpose(x, permutation), Dims(joined)));
}

static LogicalResult buildDepthToSpace(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  if (b.rank(0) != 4)
    return b.fail("needs rank 4, not " + Twine(b.rank(0)));
  const Dims &d = b.dims(0);
  int64_t size = b.intAttr("blocksize");
  if (size < 1)
    return b.fail("has blocksize " + Twine(size));
  Scalar block = s.index(size), square = s.index(size * size);
  Scalar depth = s.div(d[1], square);
  if (failed(b.requireEqual(s.mul(depth, square), d[1],
                            "channels are not whole blocks")))
    return failure();
  Dims joined{d[0], depth, s.mul(d[2], block), s.mul(d[3], block)};
  if (b.stringAttr("mode", "DCR") == "CRD")
    return moveBlocks(b, {d[0], depth, block, block, d[2], d[3]},
                      {0, 1, 4, 2, 5, 3}, joined);
  return moveBlocks(b, {d[0], block, block, depth, d[2], d[3]},
                    {0, 3, 4, 1, 5, 2}, joined);
}

static LogicalResult buildSpaceToDepth(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  if (b.rank(0) != 4)
    return b.fail("needs rank 4, not " + Twine(b.rank(0)));
  const Dims &d = b.dims(0);
  int64_t size = b.intAttr("blocksize");
  if (size < 1)
    return b.fail("has blocksize " + Twine(size));
  Scalar block = s.index(size), square = s.index(size * size);
  Scalar h = s.div(d[2], block), w = s.div(d[3], block);
  if (failed(b.requireEqual(s.mul(h, block), d[2],
                            "height is not whole blocks")) ||
      failed(
          b.requireEqual(s.mul(w, block), d[3], "width is not whole blocks")))
    return failure();
  Dims split{d[0], d[1], h, block, w, block};
  Dims joined{d[0], s.mul(d[1], square), h, w};
  if (b.stringAttr("mode", "DCR") == "CRD")
    return moveBlocks(b, split, {0, 1, 3, 5, 2, 4}, joined);
  return moveBlocks(b, split, {0, 3, 5, 1, 2, 4}, joined);
}

/// Keeps elements on and above (or below) a diagonal of the last two
/// dimensions.
static LogicalResult buildTrilu(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  if (x.rank() < 2)
    return b.fail("needs rank 2 at least");
  Scalar diagonal = b.scalars.index(0);
  if (b.has(1)) {
    auto k = b.list(1);
    if (failed(k))
      return failure();
    if (k->size() != 1)
      return b.fail("has " + Twine(k->size()) + " values for k");
    // Farther away is as far as the corner.
    Scalar rows = x.dims[x.rank() - 2], columns = x.dims.back();
    diagonal = b.scalars.max(b.scalars.min(k->front(), columns),
                             b.scalars.sub(b.scalars.index(0), rows));
  }
  Tensor row = b.iota(DType::Int64, x.rank() - 2, x.dims),
         column = b.iota(DType::Int64, x.rank() - 1, x.dims);
  Tensor shift = b.broadcast(b.scalarTensor(diagonal, DType::Int64), x.dims);
  bool upper = b.intAttr("upper", 1);
  Tensor keep = b.compare(upper ? CmpIPredicate::sge : CmpIPredicate::sle,
                          CmpFPredicate::OGE, column, b.add(row, shift));
  return b.output(0, b.select(keep, x, b.splatLike(0, x)));
}

Tensor reverseSequence(NodeBuilder &b, const Tensor &x, Tensor lengths,
                       int64_t batch, int64_t time) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != batch)
      others.push_back(i);
  lengths.dims[0] = x.dims[batch];
  lengths = b.broadcast(b.unsqueeze(lengths, others), x.dims);
  Tensor position = b.iota(DType::Int64, time, x.dims);
  Tensor inside =
      b.compare(CmpIPredicate::slt, CmpFPredicate::OLT, position, lengths);
  Tensor mirrored = b.sub(b.sub(lengths, b.splatLike(1, lengths)), position);
  Tensor from = b.select(inside, mirrored, position);
  Value value = b.create<amp::GatherElementsOp>(b.type(x.dtype, x.dims), time,
                                                x.value, from.value);
  return {value, x.dtype, x.dims, {}};
}

static LogicalResult buildReverseSequence(NodeBuilder &b) {
  Tensor x = b.tensor(0);
  auto batch = b.axisAttr("batch_axis", x.rank(), 1);
  auto time = b.axisAttr("time_axis", x.rank(), 0);
  if (failed(batch) || failed(time))
    return failure();
  Tensor lengths = b.cast(b.tensor(1), DType::Int64);
  if (lengths.rank() != 1 ||
      failed(b.requireEqual(lengths.dims[0], x.dims[*batch],
                            "has one length for each batch")))
    return failure();
  return b.output(0, reverseSequence(b, x, lengths, *batch, *time));
}

void registerMovementOps(OpTable &t) {
  t.add("Transpose", 1, 25, buildTranspose);
  t.add("Tile", 6, 13, buildTile);
  t.add("DepthToSpace", 1, 28, buildDepthToSpace);
  t.add("SpaceToDepth", 1, 28, buildSpaceToDepth);
  t.add("Trilu", 14, 14, buildTrilu);
  t.add("ReverseSequence", 10, 28, buildReverseSequence);
}

} // namespace ampc::onnx_import
