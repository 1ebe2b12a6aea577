//===- ConvChannelsFirst.cpp - Convolutions over NC... --------------------===//

#include "compiler/target/cpu/ConvLoops.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/MergedDims.h"

using namespace mlir;

namespace ampc::cpu {

FailureOr<ConvLoops> describeChannelsFirst(amp::ConvOp op,
                                           KernelValues &values) {
  ConvLoops loops;
  loops.channelDim = 1;
  StridedGemm &gemm = loops.gemm;
  auto operands = contractionOperands(values, op, op.getAlgorithmAttr(),
                                      op.getInput(), op.getFilter());
  if (failed(operands))
    return failure();
  gemm.a = operands->rhs;
  gemm.b = operands->lhs;
  gemm.accumulator = operands->accumulator;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto filter = cast<MemRefType>(gemm.a.getType());
  auto input = cast<MemRefType>(gemm.b.getType());

  IndexBuilder ix(values.site(), op.getLoc());
  Value zero = ix.value(ix.constant(0));
  const int64_t rank = type.getRank(), spatial = rank - 2;
  SmallVector<OpFoldResult> sizes = values.outDims(0);
  OpFoldResult groups = ix.constant(op.getGroups());
  OpFoldResult groupRows = ix.div(sizes[1], groups);
  OpFoldResult filterStride = values.stride(gemm.a, 0);
  gemm.rows = {{groupRows, filterStride}};
  OpFoldResult channels = values.dim(op.getFilter(), 1);
  for (int64_t i = 0; i < spatial; ++i)
    gemm.k.push_back({values.dim(op.getFilter(), 2 + i),
                      values.stride(gemm.a, 2 + i),
                      ix.mul(values.stride(gemm.b, 2 + i),
                             ix.constant(op.getDilations()[i]))});
  gemm.k.push_back(
      {channels, values.stride(gemm.a, 1), values.stride(gemm.b, 1)});
  gemm.batch = {sizes[0], groups};

  // One index may run over the whole image if everything lies densely there.
  bool flat = true; // Columns run over the whole image, not over one row.
  bool dense = true;
  for (int64_t dim = 2; dim + 1 < rank; ++dim) {
    flat &= canMergeOutputDims(values, dim, op.getResult());
    dense &= canMergeDims(input, dim);
  }
  bool pointwise = true;
  for (int64_t i = 0; i < spatial; ++i)
    pointwise &= op.getStrides()[i] == 1 && filter.getDimSize(2 + i) == 1;
  bool staticFilter =
      llvm::none_of(filter.getShape().drop_front(2), ShapedType::isDynamic);
  auto rows = IndexBuilder::known(groupRows);
  // Few rows do not pay for gathering pixels of several image rows, unless the
  // pixels are adjacent anyway.
  bool few = rows && *rows < 4;
  flat &= (pointwise && dense) || (staticFilter && !few);
  auto column = [&](int64_t i) {
    return StridedGemm::Column{
        sizes[2 + i],
        ix.mul(values.stride(gemm.b, 2 + i), ix.constant(op.getStrides()[i]))};
  };
  SmallVector<OpFoldResult> rowStrides;
  if (flat && pointwise && dense) {
    OpFoldResult pixels = ix.constant(1);
    for (int64_t i = 0; i < spatial; ++i)
      pixels = ix.mul(pixels, sizes[2 + i]);
    gemm.columns = {{pixels, values.stride(gemm.b, rank - 1)}};
  } else if (flat) {
    for (int64_t i = 0; i < spatial; ++i)
      gemm.columns.push_back(column(i));
  } else {
    gemm.columns = {column(spatial - 1)};
    for (int64_t i = 0; i + 1 < spatial; ++i) {
      gemm.innerBatch.push_back(sizes[2 + i]);
      rowStrides.push_back(column(i).bStride);
    }
  }

  OpFoldResult imageStride = values.stride(gemm.b, 0);
  OpFoldResult groupA = ix.mul(filterStride, groupRows);
  OpFoldResult groupB = ix.mul(values.stride(gemm.b, 1), channels);
  gemm.offsets = [=](IndexBuilder &ix, ValueRange batch) {
    OpFoldResult a = ix.mul(OpFoldResult(batch[1]), groupA);
    OpFoldResult b = ix.add(ix.mul(OpFoldResult(batch[0]), imageStride),
                            ix.mul(OpFoldResult(batch[1]), groupB));
    for (auto [index, stride] : llvm::zip(batch.drop_front(2), rowStrides))
      b = ix.add(b, ix.mul(OpFoldResult(index), stride));
    return std::pair(a, b);
  };
  loops.indices = [=](IndexBuilder &ix, const GemmBorder::Place &place) {
    SmallVector<Value> result{
        place.batch[0],
        ix.value(ix.add(ix.mul(OpFoldResult(place.batch[1]), groupRows),
                        OpFoldResult(place.row[0])))};
    if (flat)
      result.resize(rank - 1, zero);
    else
      result.append(place.batch.begin() + 2, place.batch.end());
    result.push_back(place.column);
    return result;
  };
  return loops;
}

} // namespace ampc::cpu
