//===- PackFilters.cpp - Cut filters into panels --------------------------===//
//
// A convolution with channels last multiplies by a few columns of its filter at
// a time, all output channels of a panel. In panels these are read in order.
// The filter is rearranged by ops of its own, which the driver computes at
// compile time for weights.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/Passes.h"

namespace amp {
#define GEN_PASS_DEF_PACKFILTERS
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

struct PackFilters : public amp::impl::PackFiltersBase<PackFilters> {
  using PackFiltersBase::PackFiltersBase;

  void runOnOperation() override {
    getOperation()->walk([&](ConvOp op) {
      auto filter = cast<RankedTensorType>(op.getFilter().getType());
      if (op.getChannelsLast() && !op.getPanels() && !op.isDepthwise() &&
          filter.hasStaticShape() && filter.getNumElements())
        pack(op, filter);
    });
  }

  void pack(ConvOp op, RankedTensorType type) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value filter = op.getFilter();
    auto reshape = [&](ArrayRef<int64_t> shape) {
      filter = builder.create<ReshapeOp>(loc, type.clone(shape), filter,
                                         ValueRange());
    };
    // Sums are formed in 32 bits at least.
    Type element = type.getElementType();
    int64_t bits = std::max(32u, element.getIntOrFloatBitWidth());
    int64_t lanes = std::max<int64_t>(8 * vectorBytes / bits, 1);
    int64_t groups = op.getGroups();
    int64_t columns = op.getOutChannels() / groups;
    // Few columns take shorter vectors, so that padding stays less than
    // doubling: what is larger is not computed at compile time.
    while (lanes > 4 && 2 * columns <= lanes)
      lanes /= 2;
    int64_t width = lanes * panelVectors(llvm::divideCeil(columns, lanes));
    int64_t panels = llvm::divideCeil(columns, width), padded = panels * width;
    int64_t steps = type.getNumElements() / (groups * columns);
    reshape({steps, groups, columns});
    if (padded != columns) {
      Value zero = builder.create<arith::ConstantOp>(
          loc, element, builder.getZeroAttr(element));
      filter = builder.create<PadOp>(
          loc, type.clone({steps, groups, padded}), filter, zero, ValueRange(),
          ValueRange(), ArrayRef<int64_t>{0, 0, 0}, ArrayRef<int64_t>{0, 0, 0},
          PadMode::Constant, /*grows=*/true);
    }
    reshape({steps, groups, panels, width});
    filter = builder.create<TransposeOp>(
        loc, type.clone({groups, panels, steps, width}), filter,
        ArrayRef<int64_t>{1, 2, 0, 3});
    SmallVector<int64_t> shape{groups * panels};
    llvm::append_range(shape, type.getShape().drop_back());
    shape.push_back(width);
    reshape(shape);
    op.getFilterMutable().assign(filter);
    op.setPanels(true);
  }
};

} // namespace
