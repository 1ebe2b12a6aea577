//===- PackPanels.cpp - Cut right operands into panels --------------------===//
//
// Contractions multiply by a few columns of their right operand at a time: a
// convolution's output channels, a product's columns. In panels these are read
// in order. The operand is rearranged by ops of its own, which the driver
// computes at compile time for weights.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/WeightLayout.h"
#include "passes/Passes.h"
#include "passes/WeightSources.h"

namespace amp {
#define GEN_PASS_DEF_PACKPANELS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

/// Vectors of columns that a panel has for `vectors` in all: two or three are
/// as good as each other, a single one left over is not.
int64_t panelVectors(int64_t vectors) {
  if (vectors <= 3)
    return vectors;
  return vectors % 2 && vectors % 3 != 1 ? 3 : 2;
}

Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return builder.create<ReshapeOp>(loc, type.clone(shape), value, ValueRange());
}

struct PackPanels : public amp::impl::PackPanelsBase<PackPanels> {
  using PackPanelsBase::PackPanelsBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto conv = dyn_cast<ConvOp>(op))
        packConvolution(conv);
      else if (auto matmul = dyn_cast<MatmulOp>(op))
        packProduct(matmul);
    });
  }

  void packConvolution(ConvOp op);
  void packProduct(MatmulOp op);
  Value inPanels(OpBuilder &builder, Location loc, Value matrices);
  bool takesPairs(AlgorithmAttr algorithm, Type lhs, Type rhs) const;
};

/// What dot-product instructions take at a time.
constexpr int64_t kPairColumns = 16, kPairSteps = 32;

/// `[b, k, n]`, k and n filled up with zeros to multiples of `steps` and
/// `columns`.
Value padded(OpBuilder &builder, Location loc, Value matrices, int64_t steps,
             int64_t columns) {
  auto type = cast<RankedTensorType>(matrices.getType());
  Type element = type.getElementType();
  SmallVector<int64_t> shape{
      type.getDimSize(0), int64_t(llvm::alignTo(type.getDimSize(1), steps)),
      int64_t(llvm::alignTo(type.getDimSize(2), columns))};
  if (type.getShape() == ArrayRef(shape))
    return matrices;
  Value zero = builder.create<arith::ConstantOp>(loc, element,
                                                 builder.getZeroAttr(element));
  return builder.create<PadOp>(
      loc, type.clone(shape), matrices, zero, ValueRange(), ValueRange(),
      ArrayRef<int64_t>{0, 0, 0}, ArrayRef<int64_t>{0, 0, 0}, PadMode::Constant,
      /*grows=*/true);
}

/// `[b, k, n]` as `[b, panels, k / 2, columns, 2]`, or with the first two
/// exchanged.
Value inPairs(OpBuilder &builder, Location loc, Value matrices,
              bool panelsFirst) {
  matrices = padded(builder, loc, matrices, kPairSteps, kPairColumns);
  auto type = cast<RankedTensorType>(matrices.getType());
  const int64_t batch = type.getDimSize(0), pairs = type.getDimSize(1) / 2,
                panels = type.getDimSize(2) / kPairColumns;
  matrices =
      reshape(builder, loc, matrices, {batch, pairs, 2, panels, kPairColumns});
  SmallVector<int64_t> shape{batch, panels, pairs, kPairColumns, 2},
      order{0, 3, 1, 4, 2};
  if (panelsFirst) {
    std::swap(shape[0], shape[1]);
    std::swap(order[0], order[1]);
  }
  return builder.create<TransposeOp>(loc, type.clone(shape), matrices, order);
}

/// Whether a contraction adds products of pairs of bf16 numbers.
bool PackPanels::takesPairs(AlgorithmAttr algorithm, Type lhs, Type rhs) const {
  return dotPairs && algorithm && algorithm.getMultiply() == Format::BF16 &&
         algorithm.getAccumulate() == Format::F32 &&
         algorithm.getPasses() == 1 &&
         (getElementTypeOrSelf(lhs).isBF16() ||
          getElementTypeOrSelf(lhs).isF32()) &&
         getElementTypeOrSelf(rhs).isBF16();
}

/// `[b, k, n]` as `[b, panels, k, columns]`.
Value PackPanels::inPanels(OpBuilder &builder, Location loc, Value matrices) {
  auto type = cast<RankedTensorType>(matrices.getType());
  const int64_t batch = type.getDimSize(0), steps = type.getDimSize(1),
                columns = type.getDimSize(2);
  // Sums are formed in 32 bits at least.
  Type element = type.getElementType();
  int64_t bits = std::max(32u, element.getIntOrFloatBitWidth());
  int64_t lanes = std::max<int64_t>(8 * vectorBytes / bits, 1);
  // Few columns take shorter vectors, so that padding stays less than doubling:
  // what is larger is not computed at compile time.
  while (lanes > 4 && 2 * columns <= lanes)
    lanes /= 2;
  int64_t width = lanes * panelVectors(llvm::divideCeil(columns, lanes));
  int64_t panels = llvm::divideCeil(columns, width);
  matrices = padded(builder, loc, matrices, 1, width);
  matrices = reshape(builder, loc, matrices, {batch, steps, panels, width});
  return builder.create<TransposeOp>(loc,
                                     type.clone({batch, panels, steps, width}),
                                     matrices, ArrayRef<int64_t>{0, 2, 1, 3});
}

void PackPanels::packConvolution(ConvOp op) {
  auto type = cast<RankedTensorType>(op.getFilter().getType());
  if (!op.getChannelsLast() || op.getPanels() || op.isDepthwise() ||
      !type.hasStaticShape() || !type.getNumElements())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t groups = op.getGroups();
  int64_t columns = op.getOutChannels() / groups;
  int64_t steps = type.getNumElements() / (groups * columns);
  const int64_t rank = type.getRank();
  const int64_t channels = type.getDimSize(rank - 2);
  // Of fewer channels almost all would be padding.
  if (groups == 1 && channels >= kPairSteps / 4 &&
      takesPairs(op.getAlgorithmAttr(), op.getInput().getType(), type)) {
    Value filter = reshape(builder, loc, op.getFilter(),
                           {steps / channels, channels, columns});
    filter = inPairs(builder, loc, filter, /*panelsFirst=*/true);
    ArrayRef<int64_t> packed =
        cast<RankedTensorType>(filter.getType()).getShape();
    SmallVector<int64_t> shape{packed[0]};
    llvm::append_range(shape, type.getShape().drop_back(2));
    llvm::append_range(shape, packed.drop_front(2));
    op.getFilterMutable().assign(reshape(builder, loc, filter, shape));
    op.setPanels(true);
    op.setPairs(true);
    return;
  }
  Value filter =
      reshape(builder, loc, op.getFilter(), {steps, groups, columns});
  filter =
      builder.create<TransposeOp>(loc, type.clone({groups, steps, columns}),
                                  filter, ArrayRef<int64_t>{1, 0, 2});
  filter = inPanels(builder, loc, filter);
  ArrayRef<int64_t> packed =
      cast<RankedTensorType>(filter.getType()).getShape();
  SmallVector<int64_t> shape{groups * packed[1]};
  llvm::append_range(shape, type.getShape().drop_back());
  shape.push_back(packed[3]);
  op.getFilterMutable().assign(reshape(builder, loc, filter, shape));
  op.setPanels(true);
}

/// Only weights: others would be rearranged at each run, which kernels do
/// better by themselves, a panel at a time.
void PackPanels::packProduct(MatmulOp op) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  if (op.getPanels() || !type.hasStaticShape() || !type.getNumElements())
    return;
  std::optional<uint64_t> source = weightSourceBytes(op.getRhs());
  int64_t columns =
      cast<RankedTensorType>(op.getResult().getType()).getShape().back();
  // A single column has rows in its vectors. Quantised weights stay as they
  // are, and so do those that would take several times a lot of memory to
  // rearrange at compile time.
  constexpr uint64_t large = 1 << 30;
  if (weightBytes(type) > large)
    return;
  if (!source || weightBytes(type) > *source || columns < 2)
    return;
  // Where the weight is, which may be outside of a loop.
  Operation *producer = op.getRhs().getDefiningOp();
  OpBuilder builder(producer->getContext());
  builder.setInsertionPointAfter(producer);
  Location loc = op.getLoc();
  const int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  int64_t batch = 1;
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    batch *= shape[dim];
  Value rhs = reshape(builder, loc, op.getRhs(),
                      {batch, shape[rank - 2], shape[rank - 1]});
  if (op.getTransposeRhs())
    rhs = builder.create<TransposeOp>(
        loc, type.clone({batch, shape[rank - 1], shape[rank - 2]}), rhs,
        ArrayRef<int64_t>{0, 2, 1});
  const bool pairs =
      takesPairs(op.getAlgorithmAttr(), op.getLhs().getType(), type) &&
      !op.getTransposeLhs();
  rhs = pairs ? inPairs(builder, loc, rhs, /*panelsFirst=*/false)
              : inPanels(builder, loc, rhs);
  SmallVector<int64_t> packed(shape.begin(), shape.end() - 2);
  llvm::append_range(
      packed, cast<RankedTensorType>(rhs.getType()).getShape().drop_front());
  op.getRhsMutable().assign(reshape(builder, loc, rhs, packed));
  op.setTransposeRhs(false);
  op.setPanels(true);
  op.setPairs(pairs);
}

} // namespace
