//===- ConvEmitter.cpp - Convolutions over NC... --------------------------===//
//
// Output channels are rows, output pixels are columns, so that vectors run
// along the innermost dimension of the image. The filter supplies the scalars.
// Padding has been made explicit by then (amp-decompose-ops).
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/MergedDims.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

struct ConvLoops {
  StridedGemm gemm;
  int64_t rank; ///< Of the result.
  bool flat;    ///< Columns run over the whole image, not over one row.
  OpFoldResult groupRows;

  SmallVector<Value> indices(OpBuilder &b, Location loc, ValueRange batch,
                             Value row, Value column, Value zero) const {
    IndexBuilder ix(b, loc);
    SmallVector<Value> result{
        batch[0], ix.value(ix.add(ix.mul(OpFoldResult(batch[1]), groupRows),
                                  OpFoldResult(row)))};
    if (flat)
      result.resize(rank - 1, zero);
    else
      result.append(batch.begin() + 2, batch.end());
    result.push_back(column);
    return result;
  }
};

FailureOr<ConvLoops> describe(amp::ConvOp op, KernelValues &values) {
  ConvLoops loops;
  StridedGemm &gemm = loops.gemm;
  gemm.a = contractionBuffer(values, op, op.getFilter());
  gemm.b = contractionBuffer(values, op, op.getInput());
  if (!gemm.a || !gemm.b)
    return failure();
  if (llvm::any_of(op.getPads(), [](int64_t pad) { return pad; }))
    return op.emitOpError(
        "has padding, which must be an amp.pad of its own before CPU code is "
        "emitted (run amp-decompose-ops)");
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto filter = cast<MemRefType>(gemm.a.getType());
  auto input = cast<MemRefType>(gemm.b.getType());
  gemm.accumulator = accumulatorFor(type.getElementType());
  if (failed(verifyAlgorithm(op, op.getAlgorithmAttr(), op.getInput(),
                             op.getFilter(), gemm.accumulator)))
    return failure();

  IndexBuilder ix(values.site(), op.getLoc());
  const int64_t rank = loops.rank = type.getRank(), spatial = rank - 2;
  SmallVector<OpFoldResult> sizes = values.outDims(0);
  OpFoldResult groups = ix.constant(op.getGroups());
  loops.groupRows = ix.div(sizes[1], groups);
  gemm.rows = loops.groupRows;
  gemm.aRowStride = values.stride(gemm.a, 0);
  OpFoldResult channels = values.dim(op.getFilter(), 1);
  gemm.k = {{channels, values.stride(gemm.a, 1), values.stride(gemm.b, 1)}};
  for (int64_t i = 0; i < spatial; ++i)
    gemm.k.push_back({values.dim(op.getFilter(), 2 + i),
                      values.stride(gemm.a, 2 + i),
                      ix.mul(values.stride(gemm.b, 2 + i),
                             ix.constant(op.getDilations()[i]))});
  gemm.batch = {sizes[0], groups};

  // One index may run over the whole image if everything lies densely there.
  loops.flat = true;
  bool dense = true;
  for (int64_t dim = 2; dim + 1 < rank; ++dim) {
    loops.flat &= canMergeOutputDims(values, dim, op.getResult());
    dense &= canMergeDims(input, dim);
  }
  bool pointwise = true;
  for (int64_t i = 0; i < spatial; ++i)
    pointwise &= op.getStrides()[i] == 1 && filter.getDimSize(2 + i) == 1;
  bool staticFilter =
      llvm::none_of(filter.getShape().drop_front(2), ShapedType::isDynamic);
  auto rows = IndexBuilder::known(gemm.rows);
  // Few rows do not pay for gathering pixels of several image rows, unless the
  // pixels are adjacent anyway.
  bool few = rows && *rows < 4;
  loops.flat &= (pointwise && dense) || (staticFilter && !few);
  auto column = [&](int64_t i) {
    return StridedGemm::Column{
        sizes[2 + i],
        ix.mul(values.stride(gemm.b, 2 + i), ix.constant(op.getStrides()[i]))};
  };
  SmallVector<OpFoldResult> rowStrides;
  if (loops.flat && pointwise && dense) {
    OpFoldResult pixels = ix.constant(1);
    for (int64_t i = 0; i < spatial; ++i)
      pixels = ix.mul(pixels, sizes[2 + i]);
    gemm.columns = {{pixels, values.stride(gemm.b, rank - 1)}};
  } else if (loops.flat) {
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
  OpFoldResult groupA = ix.mul(gemm.aRowStride, loops.groupRows);
  OpFoldResult groupB = ix.mul(values.stride(gemm.b, 1), channels);
  gemm.offsets = [=](IndexBuilder &ix, ValueRange batch) {
    OpFoldResult a = ix.mul(OpFoldResult(batch[1]), groupA);
    OpFoldResult b = ix.add(ix.mul(OpFoldResult(batch[0]), imageStride),
                            ix.mul(OpFoldResult(batch[1]), groupB));
    for (auto [index, stride] : llvm::zip(batch.drop_front(2), rowStrides))
      b = ix.add(b, ix.mul(OpFoldResult(index), stride));
    return std::pair(a, b);
  };
  return loops;
}

struct ConvEmitter
    : CpuKernelEmitterInterface::ExternalModel<ConvEmitter, amp::ConvOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    auto loops = describe(cast<amp::ConvOp>(op), values);
    return getGemmRange(loops->gemm, values, target);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::ConvOp>(root);
    auto loops = describe(op, emission.values);
    if (failed(loops))
      return failure();
    Type accumulator = loops->gemm.accumulator;
    Value zero = emission.values.site().create<arith::ConstantIndexOp>(
        emission.loc(), 0);
    auto indices = [&](const GemmBorder::Place &place) {
      return loops->indices(emission.builder, emission.loc(), place.batch,
                            place.row, place.column, zero);
    };
    GemmBorder border;
    border.init = [&](const GemmBorder::Place &place) -> Value {
      // One element for all pixels of a channel.
      Value sum = initialSum(emission, op.getBias(), indices(place)[1],
                             accumulator, 1, nullptr);
      return sum ? fillLanes(emission.builder, emission.loc(), sum, place.lanes)
                 : sum;
    };
    border.store = [&](const GemmBorder::Place &place, Value sum) {
      return storeSum(emission, op.getResult(), indices(place), sum,
                      place.lanes, place.mask);
    };
    return emitStridedGemm(loops->gemm, emission, border);
  }
};

} // namespace

void registerConvEmitter(MLIRContext *context) {
  amp::ConvOp::attachInterface<ConvEmitter>(*context);
}

} // namespace ampc::cpu
