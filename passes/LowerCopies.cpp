//===- LowerCopies.cpp - Copies of buffers are kernels --------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace amp {
#define GEN_PASS_DEF_LOWERCOPIES
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

/// `buffer` with every size that is static in `shape` static in its type.
static Value withShape(OpBuilder &builder, Location loc, Value buffer,
                       ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(buffer.getType());
  MemRefType wanted = MemRefType::Builder(type).setShape(shape);
  if (wanted == type)
    return buffer;
  return builder.create<memref::CastOp>(loc, wanted, buffer);
}

namespace {
struct LowerCopies : public amp::impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    getOperation()->walk([](memref::CopyOp copy) {
      // A kernel that wrote into its slice of a concat leaves such.
      if (copy.getSource() == copy.getTarget())
        return copy.erase();
      OpBuilder builder(copy);
      Location loc = copy.getLoc();
      auto from = cast<MemRefType>(copy.getSource().getType()),
           to = cast<MemRefType>(copy.getTarget().getType());
      SmallVector<int64_t> shape(from.getShape());
      for (auto [mine, other] : llvm::zip(shape, to.getShape()))
        if (ShapedType::isDynamic(mine))
          mine = other;
      Value source = withShape(builder, loc, copy.getSource(), shape),
            target = withShape(builder, loc, copy.getTarget(), shape);

      auto kernel = builder.create<KernelOp>(loc, TypeRange(), source, target);
      Block *body = builder.createBlock(&kernel.getBody());
      Value value = body->addArgument(
          RankedTensorType::get(shape, from.getElementType()), loc);
      builder.create<YieldOp>(loc, value);
      copy.erase();
    });
  }
};
} // namespace
