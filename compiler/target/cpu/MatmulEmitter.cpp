//===- MatmulEmitter.cpp - Matrix products --------------------------------===//

#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/MergedDims.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

/// A matrix product as strided loops. Leading dimensions are batch dimensions;
/// those that only the left operand has may join its rows.
struct MatmulLoops {
  StridedGemm gemm;
  int64_t rank;      ///< Of the result.
  int64_t batchRank; ///< Leading dimensions left in the batch.

  /// The indices of a result element, or of what broadcasts to it.
  SmallVector<Value> indices(ValueRange batch, Value row, Value column,
                             Value zero) const {
    SmallVector<Value> result(batch);
    result.resize(rank - 2, zero);
    result.append({row, column});
    return result;
  }
};

FailureOr<MatmulLoops> describe(amp::MatmulOp op, KernelValues &values) {
  MatmulLoops loops;
  StridedGemm &gemm = loops.gemm;
  auto operands = contractionOperands(values, op, op.getAlgorithmAttr(),
                                      op.getLhs(), op.getRhs());
  if (failed(operands))
    return failure();
  gemm.a = operands->lhs;
  gemm.b = operands->rhs;
  gemm.accumulator = operands->accumulator;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto lhs = cast<MemRefType>(gemm.a.getType());
  auto rhs = cast<MemRefType>(gemm.b.getType());
  gemm.unsignedA = op.getUnsignedLhs();
  gemm.unsignedB = op.getUnsignedRhs();

  IndexBuilder ix(values.site(), op.getLoc());
  const int64_t rank = type.getRank(), a = lhs.getRank(), b = rhs.getRank();
  const int64_t rhsBatchRank = op.getRhsBatchRank();
  const bool flipA = op.getTransposeLhs(), flipB = op.getTransposeRhs();
  auto stride = [&](Value buffer, int64_t dim) {
    return values.stride(buffer, dim);
  };
  SmallVector<OpFoldResult> sizes = values.outDims(0);
  OpFoldResult rows = sizes[rank - 2];
  gemm.columns = {{sizes[rank - 1], stride(gemm.b, flipB ? b - 2 : b - 1)}};
  gemm.k = {{values.dim(op.getLhs(), flipA ? a - 2 : a - 1),
             stride(gemm.a, flipA ? a - 2 : a - 1),
             stride(gemm.b, op.getRhsDepthDim())}};
  if (op.getPanels()) {
    if (!isDense(gemm.b))
      return op.emitOpError("has panels that do not lie densely in memory");
    gemm.pairs = op.getPairs();
    gemm.panelColumns = rhs.getDimSize(op.getRhsDepthDim() + 1);
    gemm.panelStride = stride(gemm.b, rhsBatchRank);
    gemm.fewRowsAreLikely = true; // One sample, one step of a sequence.
  }

  // Leading dimensions whose matrices follow each other in the left operand and
  // share the right one are more rows of one product.
  loops.rank = rank;
  loops.batchRank = rank - 2;
  auto repeatsRhs = [&](int64_t dim) {
    int64_t at = dim - (rank - 2 - rhsBatchRank);
    return at < 0 || (rhs.getDimSize(at) == 1 && type.getDimSize(dim) != 1);
  };
  auto biasIsRow = [&] {
    if (!op.getBias())
      return true;
    auto bias = cast<RankedTensorType>(op.getBias().getType());
    return llvm::all_of(bias.getShape().drop_back(),
                        [](int64_t size) { return size == 1; });
  };
  if (!flipA && a == rank && biasIsRow())
    while (loops.batchRank > 0) {
      int64_t dim = loops.batchRank - 1;
      bool inStep = type.getDimSize(dim) == lhs.getDimSize(dim);
      if (!repeatsRhs(dim) || !inStep || !canMergeDims(lhs, dim) ||
          !canMergeOutputDims(values, dim, op.getResult()))
        break;
      rows = ix.mul(rows, sizes[dim]);
      --loops.batchRank;
    }
  gemm.rows = {{rows, stride(gemm.a, flipA ? a - 1 : a - 2)}};
  gemm.batch.assign(sizes.begin(), sizes.begin() + loops.batchRank);

  // Strides of the batch dimensions, zero where an operand repeats.
  SmallVector<std::pair<OpFoldResult, OpFoldResult>> batchStrides;
  for (int64_t dim = 0; dim < loops.batchRank; ++dim) {
    auto strideOf = [&](Value buffer, MemRefType type, int64_t leading) {
      int64_t at = dim - (rank - 2 - leading);
      return at < 0 || type.getDimSize(at) == 1 ? ix.constant(0)
                                                : stride(buffer, at);
    };
    batchStrides.push_back(
        {strideOf(gemm.a, lhs, a - 2), strideOf(gemm.b, rhs, rhsBatchRank)});
  }
  gemm.offsets = [batchStrides](IndexBuilder &ix, ValueRange batch) {
    std::pair<OpFoldResult, OpFoldResult> result(ix.constant(0),
                                                 ix.constant(0));
    for (auto [index, strides] : llvm::zip(batch, batchStrides)) {
      OpFoldResult i = index;
      result.first = ix.add(result.first, ix.mul(i, strides.first));
      result.second = ix.add(result.second, ix.mul(i, strides.second));
    }
    return result;
  };
  return loops;
}

struct MatmulEmitter
    : CpuKernelEmitterInterface::ExternalModel<MatmulEmitter, amp::MatmulOp> {
  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    auto loops = describe(cast<amp::MatmulOp>(op), values);
    return getGemmRange(loops->gemm, values, target);
  }

  SmallVector<amp::ScheduleAttr> getSchedules(Operation *op,
                                              KernelValues &values,
                                              const CpuTarget &target) const {
    auto loops = describe(cast<amp::MatmulOp>(op), values);
    return getGemmSchedules(loops->gemm, values, target);
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::MatmulOp>(root);
    auto loops = describe(op, emission.values);
    if (failed(loops))
      return failure();
    Type accumulator = loops->gemm.accumulator;
    Value zero = emission.values.site().create<arith::ConstantIndexOp>(
        emission.loc(), 0);
    auto indices = [&](const GemmBorder::Place &place) {
      return loops->indices(place.batch, place.row[0], place.column, zero);
    };
    GemmBorder border;
    border.init = [&](const GemmBorder::Place &place) {
      SmallVector<Value> at = indices(place);
      Value bias = op.getBias();
      if (bias) {
        // Broadcast: aligned at the right, repeated where the size is 1.
        auto type = cast<RankedTensorType>(bias.getType());
        at.erase(at.begin(), at.end() - type.getRank());
        for (auto [size, index] : llvm::zip(type.getShape(), at))
          if (size == 1)
            index = zero;
      }
      return initialSum(emission, bias, at, accumulator, place.lanes,
                        place.mask);
    };
    border.store = [&](const GemmBorder::Place &place, Value sum) {
      return storeSum(emission, op.getResult(), indices(place), sum,
                      place.lanes, place.mask);
    };
    return emitStridedGemm(loops->gemm, emission, border);
  }
};

} // namespace

void registerMatmulEmitter(MLIRContext *context) {
  amp::MatmulOp::attachInterface<MatmulEmitter>(*context);
}

} // namespace ampc::cpu
