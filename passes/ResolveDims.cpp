//===- ResolveDims.cpp - Sizes of computed tensors ------------------------===//

#include "passes/ResolveDims.h"

using namespace mlir;

void amp::resolveDims(Operation *root) {
  root->walk([&](tensor::DimOp op) {
    std::optional<int64_t> index = op.getConstantIndex();
    if (!index || isa<BlockArgument>(op.getSource()))
      return;
    OpBuilder builder(op);
    Value size = getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        dimOf(builder, op.getLoc(), op.getSource(), *index));
    if (size != op.getResult()) {
      op.replaceAllUsesWith(size);
      op.erase();
    }
  });
}
