//===- RotaryEmbedding.cpp - Positions as rotations -----------------------===//

#include "compiler/import/onnx/ops/RotaryEmbedding.h"

#include "compiler/import/onnx/Expr.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Norm.h"

using namespace mlir;

namespace ampc::onnx_import {

FailureOr<Tensor> rotate(NodeBuilder &b, const Tensor &x,
                         const Tensor &positions, const Tensor &cosTable,
                         const Tensor &sinTable, bool interleaved) {
  ScalarBuilder &s = b.scalars;
  if (cosTable.rank() != 2 || sinTable.rank() != 2)
    return b.fail("needs tables of rank 2");
  Scalar half = cosTable.dims[1], rotated = s.mul(half, s.index(2));
  if (failed(b.require(s.compare(arith::CmpIPredicate::sle, rotated, x.dims[3]),
                       "turns more numbers than a head has")) ||
      failed(b.requireReadable(cosTable.dims[0], positions.dims)))
    return failure();
  Dims turned{x.dims[0], x.dims[1], x.dims[2], half};
  auto rows = [&](const Tensor &table) {
    Tensor found = b.cast(b.gather(table, positions, 0), x.dtype);
    return Expr(b, b.unsqueeze(found, {2})).broadcast(turned);
  };
  Expr cos = rows(cosTable), sin = rows(sinTable);
  Tensor first = b.sliceAxis(x, 3, s.index(0), rotated);
  auto pick = [&](int64_t i) {
    if (!interleaved)
      return Expr(b, b.sliceAxis(first, 3, i ? half : s.index(0), half));
    Dims pairs = turned;
    pairs.push_back(s.index(2));
    Tensor apart = b.reshape(first, pairs);
    return Expr(b, b.sliceAxis(apart, 4, s.index(i), s.index(1)))
        .reshape(turned);
  };
  Expr u = pick(0), v = pick(1);
  Expr re = u * cos - v * sin, im = u * sin + v * cos;
  Tensor y =
      interleaved
          ? b.reshape(b.concat({b.unsqueeze(re, {4}), b.unsqueeze(im, {4})}, 4),
                      first.dims)
          : b.concat({re, im}, 3);
  Scalar rest = s.sub(x.dims[3], rotated);
  if (constantInt(rest) != 0)
    y = b.concat({y, b.sliceAxis(x, 3, rotated, rest)}, 3);
  y.dims = x.dims;
  return y;
}

/// com.microsoft's form. Positions are one start for all, or one each.
static LogicalResult buildRotaryEmbedding(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0), cosTable = b.tensor(2);
  Expr positions = Expr(b, b.tensor(1)).to(DType::Int64);
  if (b.intAttr("is_packed_batching"))
    return b.fail("packs batches, which is not supported");
  if ((x.rank() != 3 && x.rank() != 4) || cosTable.rank() != 2)
    return b.fail("needs an input of rank 3 or 4 and tables of rank 2");
  Scalar rotated = s.mul(cosTable.dims[1], s.index(2));
  int64_t given = b.intAttr("rotary_embedding_dim");
  if (given && failed(b.requireEqual(s.index(given), rotated,
                                     "the tables have half as many columns as "
                                     "rotary_embedding_dim")))
    return failure();
  bool isFlat = x.rank() == 3;
  Dims original = x.dims;
  if (isFlat) {
    int64_t heads = b.intAttr("num_heads");
    Scalar size = heads ? s.div(x.dims[2], s.index(heads)) : rotated;
    Scalar count = heads ? s.index(heads) : s.div(x.dims[2], size);
    if (failed(b.requireEqual(s.mul(size, count), x.dims[2],
                              "heads do not divide the hidden size")))
      return failure();
    x = b.reshape(x, {x.dims[0], x.dims[1], count, size});
  } else {
    x = b.transpose(x, {0, 2, 1, 3});
  }
  Dims grid{x.dims[0], x.dims[1]};
  if (positions.tensor.rank() == 1) {
    positions = positions.broadcast(grid) + Expr::position(b, 1, grid);
  } else {
    auto each = spreadTo(b, positions, grid);
    if (failed(each))
      return failure();
    positions = {b, *each};
  }
  auto y =
      rotate(b, x, positions, cosTable, b.tensor(3), b.intAttr("interleaved"));
  if (failed(y))
    return failure();
  return b.output(0, isFlat ? b.reshape(*y, original)
                            : b.transpose(*y, {0, 2, 1, 3}));
}

void registerRotaryEmbeddingOps(OpTable &t) {
  t.add({"RotaryEmbedding",
         "input:T position_ids:int64 cos_cache:T sin_cache:T",
         "output:T",
         "T = float float16 double bfloat16",
         {{"interleaved", 0},
          {"num_heads", 0},
          {"rotary_embedding_dim", 0},
          {"is_packed_batching", 0},
          {"scale", 1.0f}}},
        buildRotaryEmbedding);
}

} // namespace ampc::onnx_import
