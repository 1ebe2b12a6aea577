//===- ConvChannelsLast.cpp - Convolutions over N...C ---------------------===//

#include "compiler/target/cpu/ConvLoops.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/MergedDims.h"

using namespace mlir;

namespace ampc::cpu {

/// The image, which may lie in memory in another order than the operand's.
namespace {
struct Image {
  Value tensor;
  SmallVector<int64_t> order; ///< Dimensions of `tensor`, those of the operand.

  explicit Image(Value operand) : tensor(operand) {
    if (auto transpose = operand.getDefiningOp<amp::TransposeOp>()) {
      tensor = transpose.getSource();
      order = llvm::to_vector(transpose.getPermutation());
      return;
    }
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    order = llvm::to_vector(llvm::seq<int64_t>(rank));
  }
  bool isInOrder() const { return llvm::is_sorted(order); }
};
} // namespace

/// Images and spatial dimensions of the result, those merged whose elements one
/// index can walk in the input too.
static MergedDims mergePixels(amp::ConvOp op, KernelValues &values,
                              MemRefType input, const Image &image) {
  SmallVector<OpFoldResult> sizes = values.outDims(0);
  sizes.pop_back();
  MergedDims pixels(sizes);
  if (!image.isInOrder())
    return pixels;
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  // Spatial dimension `i` of the result is that of the input.
  auto isKept = [&](int64_t i) {
    return op.getStrides()[i] == 1 &&
           filter.getDimSize(op.getFilterSpatialDim(i)) == 1;
  };
  for (int64_t dim = 0; dim + 1 < int64_t(sizes.size()); ++dim)
    if (isKept(dim) && (dim == 0 || op.getStrides()[dim - 1] == 1) &&
        canMergeDims(input, dim) &&
        canMergeOutputDims(values, dim, op.getResult()))
      pixels.merge(dim);
  return pixels;
}

FailureOr<ConvLoops> describeChannelsLast(amp::ConvOp op,
                                          KernelValues &values) {
  if (!op.getPanels())
    return op.emitOpError("has a filter that is not in panels (run "
                          "amp-pack-panels)");
  ConvLoops loops;
  StridedGemm &gemm = loops.gemm;
  const Image image(op.getInput());
  auto operands = contractionOperands(values, op, op.getAlgorithmAttr(),
                                      image.tensor, op.getFilter());
  if (failed(operands))
    return failure();
  gemm.a = operands->lhs;
  gemm.b = operands->rhs;
  gemm.accumulator = operands->accumulator;
  if (!isDense(gemm.b))
    return op.emitOpError("has panels that do not lie densely in memory");
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());

  IndexBuilder ix(values.site(), op.getLoc());
  const int64_t rank = type.getRank(), spatial = rank - 2;
  loops.channelDim = rank - 1;
  auto stride = [&](int64_t dim) {
    return values.stride(gemm.a, image.order[dim]);
  };
  MergedDims pixels =
      mergePixels(op, values, cast<MemRefType>(gemm.a.getType()), image);
  for (size_t run = 0; run < pixels.count(); ++run) {
    int64_t dim = pixels.last(run);
    OpFoldResult step = stride(dim);
    if (dim > 0)
      step = ix.mul(step, ix.constant(op.getStrides()[dim - 1]));
    gemm.rows.push_back({ix.product(pixels.sizesOf(run)), step});
  }
  for (int64_t i = 0; i < spatial; ++i)
    gemm.k.push_back(
        {values.dim(op.getFilter(), op.getFilterSpatialDim(i)),
         ix.mul(stride(op.getSpatialDim(i)), ix.constant(op.getDilations()[i])),
         ix.constant(0)});
  OpFoldResult channels = values.dim(op.getFilter(), op.getFilterChannelDim()),
               channelStride = stride(rank - 1);
  gemm.k.push_back({channels, channelStride, ix.constant(0)});

  const int64_t groups = op.getGroups();
  int64_t groupColumns = op.getOutChannels() / groups;
  gemm.batch = {ix.constant(groups)};
  gemm.columns = {{ix.constant(groupColumns), ix.constant(1)}};
  gemm.panelColumns = filter.getShape().back();
  gemm.panelStride = values.stride(gemm.b, 0);
  OpFoldResult groupA = ix.mul(channels, channelStride),
               groupB = ix.mul(gemm.panelStride,
                               ix.constant(llvm::divideCeil(
                                   groupColumns, gemm.panelColumns)));
  gemm.offsets = [=](IndexBuilder &ix, ValueRange batch) {
    OpFoldResult group = batch[0];
    return std::pair(ix.mul(group, groupA), ix.mul(group, groupB));
  };
  Value zero = ix.value(ix.constant(0));
  loops.indices = [=](IndexBuilder &ix, const GemmBorder::Place &place) {
    SmallVector<Value> result = pixels.expand(place.row, zero);
    OpFoldResult first =
        ix.mul(OpFoldResult(place.batch[0]), ix.constant(groupColumns));
    if (groups == 1)
      first = ix.constant(0);
    result.push_back(ix.value(ix.add(first, OpFoldResult(place.column))));
    return result;
  };
  return loops;
}

} // namespace ampc::cpu
