//===- PlanArena.cpp - Where each buffer of a model lives -----------------===//
//
// Three places: an output buffer for what leaves the function, a slice of the
// arena for what has a size known before the first allocation, and the side
// arena for the rest (sizes that kernels compute, buffers that outlive an
// iteration of their loop).
//
// Live ranges are positions of a pre-order walk. A buffer that a loop uses but
// does not allocate is live until the loop ends.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace amp {
#define GEN_PASS_DEF_PLANARENA
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

/// Bytes an element takes in memory.
static int64_t elementBytes(Type element) {
  if (element.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// Bytes of the buffer that `alloc` asks for; -1, which the runtime refuses,
/// where that is more than 63 bits. Sizes may come out of the model's inputs.
static Value byteSize(OpBuilder &builder, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  int64_t fixed = elementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      fixed *= size;
  if (alloc.getDynamicSizes().empty())
    return builder.create<arith::ConstantIndexOp>(loc, fixed);
  // Not in `index`: the product by a constant one canonicalizes to a sign
  // extension, which that type does not have.
  Type i64 = builder.getI64Type(), index = builder.getIndexType();
  Value bytes = builder.create<arith::ConstantIntOp>(loc, fixed, i64);
  Value zero = builder.create<arith::ConstantIntOp>(loc, 0, i64), fits;
  for (Value size : alloc.getDynamicSizes()) {
    auto product = builder.create<arith::MulSIExtendedOp>(
        loc, bytes, builder.create<arith::IndexCastOp>(loc, i64, size));
    bytes = product.getLow();
    // Without overflow the high half is 0, and the low one has no sign.
    Value low = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                              bytes, zero);
    Value high = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               product.getHigh(), zero);
    Value both = builder.create<arith::AndIOp>(loc, low, high);
    fits = fits ? builder.create<arith::AndIOp>(loc, fits, both) : both;
  }
  Value minusOne = builder.create<arith::ConstantIntOp>(loc, -1, i64);
  return builder.create<arith::IndexCastOp>(
      loc, index, builder.create<arith::SelectOp>(loc, fits, bytes, minusOne));
}

namespace {

/// Positions in a function, and how long values are used.
class Liveness {
public:
  explicit Liveness(func::FuncOp function) : flow(function) {
    number(function.getOperation());
  }

  int32_t start(Operation *op) const { return range.at(op).first; }

  /// The last position at which the memory of `alloc` is used, or nothing if
  /// that may be after the iteration that allocates it.
  std::optional<int32_t> lastUse(memref::AllocOp alloc) const {
    Region *loop = getEnclosingRepetitiveRegion(alloc.getOperation());
    int32_t last = start(alloc);
    for (Value alias : flow.resolve(alloc.getMemref())) {
      if (loop) {
        Region *where = alias.getParentRegion();
        bool carried = isa<BlockArgument>(alias) && where == loop;
        if (carried || !loop->isAncestor(where))
          return std::nullopt;
      }
      for (Operation *user : alias.getUsers()) {
        last = std::max(last, start(user));
        for (Region *r = getEnclosingRepetitiveRegion(user);
             r && r != loop && !r->isAncestor(alloc->getParentRegion());
             r = getEnclosingRepetitiveRegion(r->getParentOp()))
          last = std::max(last, range.at(r->getParentOp()).second);
      }
    }
    return last;
  }

private:
  void number(Operation *op) {
    int32_t first = next++;
    if (!isa<KernelOp>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Operation &nested : block)
            number(&nested);
    range[op] = {first, next - 1};
  }

  BufferViewFlowAnalysis flow;
  DenseMap<Operation *, std::pair<int32_t, int32_t>> range;
  int32_t next = 0;
};

struct PlanArena : public amp::impl::PlanArenaBase<PlanArena> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("must have one block when its memory is planned");
      return signalPassFailure();
    }
    placeOutputs(function);
    placeRest(function);
  }

private:
  //===--- Outputs ---------------------------------------------------------===

  /// Returned buffers become the caller's; the function returns nothing.
  void placeOutputs(func::FuncOp function) {
    auto ret = cast<func::ReturnOp>(function.front().getTerminator());
    for (auto [index, value] : llvm::enumerate(ret.getOperands()))
      if (!placeInOutput(index, value))
        copyToOutput(ret, index, value);
    ret.getOperandsMutable().clear();
    // Attributes of results describe the model's outputs: they stay, under a
    // name of the function's own.
    OpBuilder builder(function);
    SmallVector<Attribute> outputs;
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      NamedAttrList attrs(function.getResultAttrDict(i));
      attrs.set("type", TypeAttr::get(function.getResultTypes()[i]));
      outputs.push_back(attrs.getDictionary(&getContext()));
    }
    function.removeResAttrsAttr();
    function.setFunctionType(builder.getFunctionType(
        function.getFunctionType().getInputs(), TypeRange()));
    function->setAttr("amp.outputs", builder.getArrayAttr(outputs));
  }

  /// If `value` is all of a buffer that this function allocates, in whatever
  /// shape, makes that buffer output `index`.
  bool placeInOutput(int32_t index, Value value) {
    std::optional<SmallVector<OpFoldResult>> sizes = sizesOf(value);
    Value source = value;
    while (Operation *op = source.getDefiningOp()) {
      auto identity = [](Value v) {
        auto type = dyn_cast<MemRefType>(v.getType());
        return type && type.getLayout().isIdentity();
      };
      if (!isa<memref::ReinterpretCastOp, memref::CastOp>(op) ||
          !identity(op->getOperand(0)) || !identity(source))
        break;
      source = op->getOperand(0);
    }
    auto alloc = source.getDefiningOp<memref::AllocOp>();
    if (!alloc || !sizes || !alloc.getType().getLayout().isIdentity() ||
        alloc->getParentOp() != getOperation())
      return false;
    SmallVector<Value> dims;
    OpBuilder builder(alloc);
    for (OpFoldResult size : *sizes) {
      Value dim =
          getValueOrCreateConstantIndexOp(builder, alloc.getLoc(), size);
      Operation *op = dim.getDefiningOp();
      if (op &&
          !(op->getBlock() == alloc->getBlock() && op->isBeforeInBlock(alloc)))
        return false;
      dims.push_back(dim);
    }
    Value output = builder.create<OutputOp>(
        alloc.getLoc(), alloc.getType(), index, dims, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(output);
    alloc.erase();
    return true;
  }

  /// The sizes of a buffer, where its definition tells.
  static std::optional<SmallVector<OpFoldResult>> sizesOf(Value value) {
    Builder builder(value.getContext());
    if (auto alloc = value.getDefiningOp<memref::AllocOp>())
      return alloc.getMixedSizes();
    if (auto cast = value.getDefiningOp<memref::ReinterpretCastOp>())
      return cast.getMixedSizes();
    if (auto cast = value.getDefiningOp<memref::CastOp>())
      return sizesOf(cast.getSource());
    return std::nullopt;
  }

  static void copyToOutput(func::ReturnOp ret, int32_t index, Value value) {
    OpBuilder builder(ret);
    // The location of the producer names the output better than the return's.
    Location loc = value.getLoc();
    auto type = cast<MemRefType>(value.getType());
    SmallVector<Value> dims, dynamic;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      dims.push_back(builder.createOrFold<memref::DimOp>(loc, value, i));
      if (type.isDynamicDim(i))
        dynamic.push_back(dims.back());
    }
    auto dense = MemRefType::get(type.getShape(), type.getElementType());
    Value output = builder.create<OutputOp>(loc, dense, index, dims, dynamic);
    builder.create<memref::CopyOp>(loc, value, output);
  }

  //===--- The arena -------------------------------------------------------===

  void placeRest(func::FuncOp function) {
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    if (allocs.empty())
      return;
    Liveness liveness(function);
    // Where the arena is laid out: sizes known here can be slices of it.
    Operation *entry =
        function.front().findAncestorOpInBlock(*allocs.front().getOperation());

    SmallVector<memref::AllocOp> slices, side;
    SmallVector<int32_t> first, last;
    for (memref::AllocOp alloc : allocs) {
      std::optional<int32_t> end = liveness.lastUse(alloc);
      bool known = llvm::all_of(alloc.getDynamicSizes(), [&](Value size) {
        return isBefore(size, entry);
      });
      if (!end || !known || !alloc.getType().getLayout().isIdentity()) {
        side.push_back(alloc);
        continue;
      }
      slices.push_back(alloc);
      first.push_back(liveness.start(alloc));
      last.push_back(*end);
    }

    if (!slices.empty()) {
      OpBuilder builder(entry);
      Location loc = function.getLoc();
      SmallVector<Value> sizes;
      for (memref::AllocOp alloc : slices)
        sizes.push_back(byteSize(builder, alloc));
      SmallVector<Type> types(slices.size(), builder.getIndexType());
      auto bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
      auto arena =
          builder.create<ArenaOp>(loc, bytes, types, 0, sizes, first, last);
      for (auto [alloc, offset] : llvm::zip(slices, arena.getOffsets())) {
        builder.setInsertionPoint(alloc);
        Value slice = builder.create<memref::ViewOp>(
            alloc.getLoc(), alloc.getType(), arena.getBase(), offset,
            alloc.getDynamicSizes());
        alloc.replaceAllUsesWith(slice);
        alloc.erase();
      }
    }
    for (memref::AllocOp alloc : side) {
      OpBuilder builder(alloc);
      Value buffer = builder.create<SideAllocOp>(
          alloc.getLoc(), alloc.getType(), alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(buffer);
      alloc.erase();
    }
  }

  /// Whether `value` is defined before `op` in the block of `op`.
  static bool isBefore(Value value, Operation *op) {
    Operation *def = value.getDefiningOp();
    return value.getParentBlock() == op->getBlock() &&
           (!def || def->isBeforeInBlock(op));
  }
};

} // namespace
