//===- Unique.cpp - Unique ------------------------------------------------===//
//
// Equal elements, or equal slices along an axis, become neighbours by a stable
// sort; slices are sorted by one position after the other, the last first.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Loops.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Select.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

/// The positions of a list's elements from the smallest to the largest; of
/// equal ones the first comes first.
static Tensor sortOrder(NodeBuilder &b, const Tensor &list) {
  SmallVector<Value> size = b.dynamic(list.dims);
  auto op = b.create<amp::TopKOp>(list.type(), b.type(DType::Int64, list.dims),
                                  list.value, /*axis=*/0,
                                  size.empty() ? Value() : size.front(),
                                  /*largest=*/false, isUnsigned(list.dtype));
  return {op.getIndices(), DType::Int64, list.dims, {}};
}

/// The order in which rows [n, m] are sorted.
static FailureOr<Tensor> sortRows(NodeBuilder &b, const Tensor &rows) {
  ScalarBuilder &s = b.scalars;
  Dims list{rows.dims[0]};
  LoopSpec spec;
  spec.trips = rows.dims[1];
  spec.first = always(b);
  spec.initial = {b.importer.valueOf(b.iota(DType::Int64, 0, list))};
  Scalar last = s.sub(rows.dims[1], s.index(1));
  auto results = buildLoop(
      b, spec,
      [&](Scalar number, ArrayRef<ValueRef> carried) -> FailureOr<Iteration> {
        Tensor order = b.importer.forms.tensor(*carried[0], b.loc());
        Tensor column = b.reshape(
            b.sliceAxis(rows, 1, s.sub(last, number), s.index(1)), list);
        Tensor better = sortOrder(b, b.gather(column, order, 0));
        Iteration iteration;
        iteration.more = always(b);
        iteration.carried = {b.importer.valueOf(b.gather(order, better, 0))};
        return iteration;
      });
  if (failed(results))
    return failure();
  return b.importer.forms.tensor(*results->carried[0], b.loc());
}

static LogicalResult buildUnique(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  int64_t axis = 0;
  if (b.node.hasAttr("axis")) {
    auto given = b.axisAttr("axis", x.rank());
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    x = flatten(b, x);
  }
  Dims list{x.dims[axis]};
  Tensor rows = x, order;
  if (x.rank() > 1) {
    SmallVector<int64_t> permutation{axis};
    for (int64_t i = 0; i < x.rank(); ++i)
      if (i != axis)
        permutation.push_back(i);
    rows = b.transpose(x, permutation);
    Scalar width = s.product(ArrayRef(rows.dims).drop_front());
    rows = b.reshape(rows, {list[0], width});
    auto sorted = sortRows(b, rows);
    if (failed(sorted))
      return failure();
    order = *sorted;
  } else {
    order = sortOrder(b, x);
  }

  // A group begins where the one before differs, and at the first.
  Tensor position = b.iota(DType::Int64, 0, list);
  Tensor before = b.maximum(b.sub(position, b.splatLike(1, position)),
                            b.splatLike(0, position));
  Tensor differs =
      b.compare(CmpIPredicate::ne, CmpFPredicate::UNE, b.gather(rows, order, 0),
                b.gather(rows, b.gather(order, before, 0), 0));
  if (rows.rank() > 1) {
    Tensor any = b.reduce(amp::ReduceKind::Max, b.cast(differs, DType::Int64),
                          {1}, /*keepDims=*/false);
    differs = b.compare(CmpIPredicate::sgt, CmpFPredicate::OGT, any,
                        b.splatLike(0, any));
  }
  Tensor isFirst = b.compare(CmpIPredicate::eq, CmpFPredicate::OEQ, position,
                             b.splatLike(0, position));
  Tensor begins = b.pointwise<arith::OrIOp>(DType::Bool, isFirst, differs);
  Tensor number = runningSum(b, b.cast(begins, DType::Int64));
  number = b.sub(number, b.splatLike(1, number));
  Tensor first = b.gather(order, positionsOfTrue(b, begins), 0);
  Scalar groups = first.dims[0];
  Tensor group = scatterList(b, list[0], order, number);
  Tensor counts =
      scatterList(b, groups, number, b.splatLike(1, number), /*add=*/true);
  if (!b.intAttr("sorted", 1)) {
    // Groups in the order of their first elements.
    Tensor byFirst = sortOrder(b, first);
    first = b.gather(first, byFirst, 0);
    counts = b.gather(counts, byFirst, 0);
    Tensor rank =
        scatterList(b, groups, byFirst, b.iota(DType::Int64, 0, {groups}));
    group = b.gather(rank, group, 0);
  }
  (void)b.output(1, first);
  (void)b.output(2, group);
  (void)b.output(3, counts);
  return b.output(0, b.gather(x, first, axis));
}

void registerUniqueOps(OpTable &t) { t.add("Unique", 11, 28, buildUnique); }

} // namespace ampc::onnx_import
