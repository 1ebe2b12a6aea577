//===- PlaceSlices.cpp - Concats and pads write into slices ---------------===//
//
// amp.concat becomes one buffer into which each operand is inserted, a constant
// amp.pad a buffer with a filled border around its operand. Where the operand
// is computed by a kernel and used nowhere else, the kernel writes into the
// slice itself and nothing is copied: its init is the slice, which
// bufferization recognizes as the one that its result is inserted into.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/SizeEquality.h"
#include "passes/Passes.h"
#include "passes/PlacedSlices.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"

namespace amp {
#define GEN_PASS_DEF_PLACESLICES
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

bool amp::isPlacedSlice(Operation *op) {
  if (isa<ConcatOp>(op))
    return true;
  auto pad = dyn_cast<PadOp>(op);
  return pad && pad.getGrows() && pad.getMode() == PadMode::Constant &&
         llvm::all_of(pad.getInterior(), [](int64_t i) { return i == 0; });
}

namespace {

/// An operand and where it goes inside the larger buffer.
struct Piece {
  Value source;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// The kernel that computes `source` into a buffer of its own for this one use,
/// or null.
KernelOp soleProducer(Value source) {
  auto kernel = source.getDefiningOp<KernelOp>();
  if (!kernel || !source.hasOneUse())
    return {};
  Value init = kernel.getOuts()[cast<OpResult>(source).getResultNumber()];
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  return empty && empty->hasOneUse() ? kernel : KernelOp();
}

struct PlaceSlices : public amp::impl::PlaceSlicesBase<PlaceSlices> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          hoistScalars(block);
      return WalkResult::advance();
    });
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isPlacedSlice(op) && !op->getParentOfType<KernelOp>())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Value placed = isa<ConcatOp>(op) ? place(builder, cast<ConcatOp>(op))
                                       : place(builder, cast<PadOp>(op));
      op->getResult(0).replaceAllUsesWith(placed);
      op->erase();
    }
  }

  /// Moves arithmetic on scalars, and sizes of block arguments, as far up as it
  /// can go, so that sizes are known before the kernels that need them.
  static void hoistScalars(Block &block) {
    Operation *front = &block.front();
    for (Operation &op :
         llvm::make_early_inc_range(block.without_terminator())) {
      if (op.getNumRegions() || !isPure(&op) || &op == front ||
          llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
        continue;
      Operation *after = nullptr;
      for (Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer->getBlock() == &block &&
            (!after || after->isBeforeInBlock(producer)))
          after = producer;
      if (after)
        op.moveAfter(after);
      else
        op.moveBefore(&block.front());
    }
  }

  static Value empty(OpBuilder &builder, Location loc, Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    auto sizes = dimsOf(builder, loc, like);
    return builder.create<tensor::EmptyOp>(
        loc, type, dynamicDims(builder, loc, type, sizes));
  }

  static Piece piece(OpBuilder &builder, Value source,
                     ArrayRef<OpFoldResult> offsets) {
    Piece piece;
    piece.source = source;
    piece.offsets.assign(offsets.begin(), offsets.end());
    piece.sizes = dimsOf(builder, source.getLoc(), source);
    piece.strides.assign(offsets.size(), builder.getIndexAttr(1));
    return piece;
  }

  static OpFoldResult sum(OpBuilder &builder, Location loc, OpFoldResult a,
                          OpFoldResult b) {
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return builder.getIndexAttr(*x + *y);
    return builder.createOrFold<arith::AddIOp>(
        loc, getValueOrCreateConstantIndexOp(builder, loc, a),
        getValueOrCreateConstantIndexOp(builder, loc, b));
  }

  /// Whether all that `piece` needs is there before `op`.
  static bool knownBefore(const Piece &piece, Value buffer, Operation *op) {
    DominanceInfo dominance;
    auto known = [&](OpFoldResult size) {
      auto value = dyn_cast<Value>(size);
      return !value || dominance.properlyDominates(value, op);
    };
    return dominance.properlyDominates(buffer, op) &&
           llvm::all_of(piece.offsets, known) &&
           llvm::all_of(piece.sizes, known);
  }

  /// Inserts `piece` into `buffer`, in place where its kernel allows.
  static Value insert(OpBuilder &builder, Location loc, const Piece &piece,
                      Value buffer) {
    OpBuilder::InsertionGuard guard(builder);
    KernelOp kernel = soleProducer(piece.source);
    if (kernel && kernel->getBlock() == builder.getInsertionBlock() &&
        knownBefore(piece, buffer, kernel)) {
      builder.setInsertionPoint(kernel);
      auto slice = builder.create<tensor::ExtractSliceOp>(
          loc, cast<RankedTensorType>(piece.source.getType()), buffer,
          piece.offsets, piece.sizes, piece.strides);
      unsigned number = cast<OpResult>(piece.source).getResultNumber();
      Operation *init = kernel.getOuts()[number].getDefiningOp();
      kernel.getOutsMutable()[number].assign(slice);
      init->erase();
      builder.setInsertionPointAfter(kernel);
    }
    return builder.create<tensor::InsertSliceOp>(
        loc, piece.source, buffer, piece.offsets, piece.sizes, piece.strides);
  }

  Value place(OpBuilder &builder, ConcatOp concat) {
    Location loc = concat.getLoc();
    int64_t axis = concat.getAxis();
    auto rank = cast<RankedTensorType>(concat.getResult().getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
    SmallVector<Piece> pieces;
    Operation *first = concat;
    for (Value source : concat.getSources()) {
      pieces.push_back(piece(builder, source, offsets));
      offsets[axis] =
          sum(builder, loc, offsets[axis], pieces.back().sizes[axis]);
      if (KernelOp kernel = soleProducer(source);
          kernel && kernel->getBlock() == concat->getBlock() &&
          kernel->isBeforeInBlock(first))
        first = kernel;
    }
    Value buffer = empty(builder, loc, concat.getResult());
    hoistScalars(*concat->getBlock());
    // The buffer must exist before the first kernel that writes into it.
    DominanceInfo dominance;
    if (llvm::all_of(buffer.getDefiningOp()->getOperands(), [&](Value size) {
          return dominance.properlyDominates(size, first);
        }))
      buffer.getDefiningOp()->moveBefore(first);
    // Kernels in the order they run, then what has to be copied.
    llvm::stable_sort(pieces, [&](const Piece &a, const Piece &b) {
      KernelOp x = soleProducer(a.source), y = soleProducer(b.source);
      return x && (!y || (x != y && x->isBeforeInBlock(y)));
    });
    for (const Piece &piece : pieces)
      buffer = insert(builder, loc, piece, buffer);
    return buffer;
  }

  Value place(OpBuilder &builder, PadOp pad) {
    Location loc = pad.getLoc();
    Piece at = piece(builder, pad.getSource(), pad.getMixedLow());
    Value buffer = empty(builder, loc, pad.getResult());
    SmallVector<Piece> border = borderOf(builder, pad, at);
    hoistScalars(*pad->getBlock());
    OpBuilder::InsertionGuard guard(builder);
    KernelOp kernel = soleProducer(pad.getSource());
    Operation *init = buffer.getDefiningOp();
    DominanceInfo dominance;
    if (kernel && kernel->getBlock() == pad->getBlock() &&
        dominance.properlyDominates(pad.getValue(), kernel) &&
        llvm::all_of(init->getOperands(), [&](Value size) {
          return dominance.properlyDominates(size, kernel);
        })) {
      init->moveBefore(kernel);
      if (llvm::all_of(border, [&](const Piece &slab) {
            return knownBefore(slab, buffer, kernel);
          }))
        builder.setInsertionPoint(kernel);
    }
    for (const Piece &slab : border)
      buffer = fill(builder, loc, pad.getValue(), slab, buffer);
    builder.setInsertionPoint(pad);
    return insert(builder, loc, at, buffer);
  }

  /// The parts of a pad's result around the operand `at`, which do not overlap:
  /// those of a dimension reach over all of the dimensions after it.
  static SmallVector<Piece> borderOf(OpBuilder &builder, PadOp pad,
                                     const Piece &at) {
    Location loc = pad.getLoc();
    SmallVector<OpFoldResult> whole = dimsOf(builder, loc, pad.getResult());
    SmallVector<Piece> border;
    Piece slab = at;
    slab.offsets.assign(whole.size(), builder.getIndexAttr(0));
    slab.sizes = whole;
    for (size_t dim = 0; dim < whole.size(); ++dim) {
      OpFoldResult low = at.offsets[dim],
                   end = sum(builder, loc, low, at.sizes[dim]);
      slab.sizes[dim] = low;
      if (getConstantIntValue(low) != 0)
        border.push_back(slab);
      slab.offsets[dim] = end;
      slab.sizes[dim] = difference(builder, loc, whole[dim], end);
      if (getConstantIntValue(slab.sizes[dim]) != 0)
        border.push_back(slab);
      slab.offsets[dim] = low;
      slab.sizes[dim] = at.sizes[dim];
    }
    return border;
  }

  static OpFoldResult difference(OpBuilder &builder, Location loc,
                                 OpFoldResult a, OpFoldResult b) {
    if (areEqualSizes(a, b))
      return builder.getIndexAttr(0);
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return builder.getIndexAttr(*x - *y);
    return builder.createOrFold<arith::SubIOp>(
        loc, getValueOrCreateConstantIndexOp(builder, loc, a),
        getValueOrCreateConstantIndexOp(builder, loc, b));
  }

  /// A kernel that stores `value` all over a slab of `buffer`.
  static Value fill(OpBuilder &builder, Location loc, Value value,
                    const Piece &slab, Value buffer) {
    Value slice = builder.create<tensor::ExtractSliceOp>(
        loc, buffer, slab.offsets, slab.sizes, slab.strides);
    auto type = cast<RankedTensorType>(slice.getType());
    SmallVector<Value> ins{value};
    llvm::append_range(ins, dynamicDims(builder, loc, type, slab.sizes));
    auto kernel = builder.create<KernelOp>(loc, type, ins, slice);
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(&kernel.getBody());
      for (Value in : ins)
        body->addArgument(in.getType(), loc);
      Value splat = builder.create<SplatOp>(loc, type, body->getArgument(0),
                                            body->getArguments().drop_front());
      builder.create<YieldOp>(loc, splat);
    }
    return builder.create<tensor::InsertSliceOp>(loc, kernel.getResult(0),
                                                 buffer, slab.offsets,
                                                 slab.sizes, slab.strides);
  }
};

} // namespace
