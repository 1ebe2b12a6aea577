//===- PlaceSlices.cpp - Concats and pads write into slices ---------------===//
//
// amp.concat becomes one buffer into which each operand is inserted, a constant
// amp.pad a filled buffer with its operand inside. Where the operand is
// computed by a kernel and used nowhere else, the kernel writes into the slice
// itself and nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
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

/// Where a value goes inside a larger buffer.
struct Place {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

struct PlaceSlices : public amp::impl::PlaceSlicesBase<PlaceSlices> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isPlacedSlice(op) && !op->getParentOfType<KernelOp>())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      if (auto concat = dyn_cast<ConcatOp>(op))
        place(builder, concat);
      else
        place(builder, cast<PadOp>(op));
      op->erase();
    }
  }

  static Value empty(OpBuilder &builder, Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    Location loc = like.getLoc();
    auto sizes = dimsOf(builder, loc, like);
    return builder.create<tensor::EmptyOp>(
        loc, type, dynamicDims(builder, loc, type, sizes));
  }

  static Place placeAt(OpBuilder &builder, Value source,
                       ArrayRef<OpFoldResult> offsets) {
    Place place;
    place.offsets.assign(offsets.begin(), offsets.end());
    place.sizes = dimsOf(builder, source.getLoc(), source);
    place.strides.assign(offsets.size(), builder.getIndexAttr(1));
    return place;
  }

  void place(OpBuilder &builder, ConcatOp concat) {
    Location loc = concat.getLoc();
    int64_t axis = concat.getAxis();
    Value buffer = empty(builder, concat.getResult());
    auto rank = cast<RankedTensorType>(buffer.getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
    for (Value source : concat.getSources()) {
      Place at = placeAt(builder, source, offsets);
      buffer = builder.create<tensor::InsertSliceOp>(
          loc, source, buffer, at.offsets, at.sizes, at.strides);
      offsets[axis] = sum(builder, loc, offsets[axis], at.sizes[axis]);
    }
    concat.getResult().replaceAllUsesWith(buffer);
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

  void place(OpBuilder &builder, PadOp pad) {
    Location loc = pad.getLoc();
    Value buffer = empty(builder, pad.getResult());
    auto fill = builder.create<KernelOp>(loc, buffer.getType(),
                                         ValueRange(pad.getValue()), buffer);
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(&fill.getBody());
      Value value = body->addArgument(pad.getValue().getType(), loc);
      auto type = cast<RankedTensorType>(buffer.getType());
      SmallVector<Value> dims;
      for (Value dim : buffer.getDefiningOp<tensor::EmptyOp>().getDynamicSizes()) {
        fill.getInsMutable().append(dim);
        dims.push_back(body->addArgument(dim.getType(), loc));
      }
      Value splat = builder.create<SplatOp>(loc, type, value, dims);
      builder.create<YieldOp>(loc, splat);
    }
    Place at = placeAt(builder, pad.getSource(), pad.getMixedLow());
    Value placed = builder.create<tensor::InsertSliceOp>(
        loc, pad.getSource(), fill.getResult(0), at.offsets, at.sizes,
        at.strides);
    pad.getResult().replaceAllUsesWith(placed);
  }
};

} // namespace
