//===- PointwiseKernel.cpp - Kernels without a root -----------------------===//
//
// The elements of the outputs are evaluated on demand in one loop nest: the
// outer dimensions and blocks of the innermost one are the parallel range, the
// innermost dimension is walked in vectors and then, for the rest, one by one.
// Dimensions that everything involved walks alike are merged first, so that
// most kernels run over one long dimension whatever their rank.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/ElementEvaluator.h"
#include "compiler/target/cpu/IndexBuilder.h"
#include "compiler/target/cpu/KernelEmitter.h"
#include "compiler/target/cpu/MergedDims.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

int64_t grainFor(double costPerIteration) {
  // About 10 us of one core, twenty times what waking a thread costs.
  constexpr double kWorthAThread = 40000;
  return std::max(1.0, kWorthAThread / std::max(costPerIteration, 1.0));
}

double guessedSize(OpFoldResult size) {
  return IndexBuilder::known(size).value_or(kGuessedSize);
}

LogicalResult storeOutputs(KernelEmission &emission, Value root,
                           ArrayRef<Value> indices, Value element,
                           int64_t lanes, Value mask) {
  ElementEvaluator evaluator(emission.values, emission.builder, lanes, mask);
  if (root)
    evaluator.bind(root, indices, element);
  // All is read before anything is written.
  SmallVector<Value> elements;
  for (Value value : emission.kernel().getYield().getValues()) {
    elements.push_back(evaluator.at(value, indices));
    if (!elements.back())
      return failure();
  }
  for (auto [index, stored] : llvm::enumerate(elements))
    storeElements(emission.builder, emission.loc(), stored,
                  emission.values.out(index), indices, mask);
  return success();
}

namespace {

/// Elements of the innermost dimension that one iteration does at most.
constexpr int64_t kBlock = 2048;

struct PointwiseLoops {
  MergedDims dims;
  int64_t lanes;
  double cost; ///< Of an element.

  PointwiseLoops(KernelValues &values, const CpuTarget &target);

  OpFoldResult innermost(IndexBuilder &ix) const {
    return dims.count() ? ix.product(dims.sizesOf(dims.count() - 1))
                        : ix.constant(1);
  }
  SmallVector<OpFoldResult> outer(IndexBuilder &ix) const {
    SmallVector<OpFoldResult> sizes;
    for (size_t run = 0; run + 1 < dims.count(); ++run)
      sizes.push_back(ix.product(dims.sizesOf(run)));
    return sizes;
  }
};

PointwiseLoops::PointwiseLoops(KernelValues &values, const CpuTarget &target)
    : dims(values.outDims(0)), cost(2) {
  amp::KernelOp kernel = values.getKernel();
  auto rank = cast<MemRefType>(values.out(0).getType()).getRank();
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (canMergeOutputDims(values, dim))
      dims.merge(dim);
  // Lanes for the widest arithmetic; 64-bit elements take two registers.
  unsigned bits = 8;
  bool inOrder = true;
  auto widen = [&](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      return;
    Type type = tensor.getElementType();
    bits = std::max(bits, type.isIndex() ? 32u : type.getIntOrFloatBitWidth());
    // Narrow floats are computed with in f32.
    if (isa<FloatType>(type))
      bits = std::max(bits, 32u);
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    widen(argument);
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    for (Value result : op.getResults())
      widen(result);
    if (auto elemental = dyn_cast<amp::ElementalOpInterface>(op))
      inOrder &= elemental.keepsInnermost();
    auto precision = dyn_cast<amp::PrecisionOpInterface>(op);
    bool transcendental = precision && precision.getErrorClass() ==
                                           amp::ErrorClass::Transcendental;
    cost += transcendental ? 8 : 1;
  }
  lanes = inOrder ? target.lanes(std::min(bits, 32u)) : 1;
  if (inOrder)
    cost /= lanes;
}

} // namespace

ParallelRange getPointwiseRange(KernelValues &values, const CpuTarget &target) {
  PointwiseLoops loops(values, target);
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  OpFoldResult innermost = loops.innermost(ix);
  Value count = ix.value(
      ix.mul(ix.product(loops.outer(ix)), ix.ceilDiv(innermost, kBlock)));
  // An innermost dimension of unknown size that holds all elements is long.
  double run = loops.dims.count() <= 1
                   ? double(IndexBuilder::known(innermost).value_or(kBlock))
                   : guessedSize(innermost);
  return {count, grainFor(loops.cost * std::min<double>(run, kBlock) + 8)};
}

LogicalResult emitPointwiseKernel(KernelEmission &emission) {
  PointwiseLoops loops(emission.values, emission.target);
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  IndexBuilder atSite(emission.values.site(), loc), ix(b, loc);
  OpFoldResult innermost = loops.innermost(atSite);
  SmallVector<OpFoldResult> outer = loops.outer(atSite);
  OpFoldResult blocks = atSite.ceilDiv(innermost, kBlock);
  Value zero = atSite.value(atSite.constant(0)),
        one = atSite.value(atSite.constant(1));

  OpBuilder::InsertionGuard guard(b);
  auto items = b.create<scf::ForOp>(loc, emission.lo, emission.hi, one);
  b.setInsertionPointToStart(items.getBody());
  OpFoldResult item = items.getInductionVar();
  OpFoldResult block = ix.rem(item, blocks);
  SmallVector<Value> runs = ix.delinearize(ix.div(item, blocks), outer);
  OpFoldResult start = ix.mul(block, ix.constant(kBlock));
  OpFoldResult end = ix.min(innermost, ix.add(start, ix.constant(kBlock)));
  if (IndexBuilder::isConstant(blocks, 1)) {
    start = ix.constant(0);
    end = innermost;
  }

  auto loop = [&](OpFoldResult from, OpFoldResult to, int64_t lanes) {
    if (from == to)
      return success();
    OpBuilder::InsertionGuard guard(b);
    auto inner = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                      ix.value(ix.constant(lanes)));
    b.setInsertionPointToStart(inner.getBody());
    SmallVector<Value> all(runs);
    all.push_back(inner.getInductionVar());
    SmallVector<Value> indices;
    if (loops.dims.count())
      indices = loops.dims.expand(all, zero);
    return storeOutputs(emission, nullptr, indices, nullptr, lanes);
  };
  OpFoldResult lanes = ix.constant(loops.lanes);
  OpFoldResult vectors =
      ix.add(start, ix.mul(ix.div(ix.sub(end, start), lanes), lanes));
  if (loops.lanes > 1 && failed(loop(start, vectors, loops.lanes)))
    return failure();
  return loop(loops.lanes > 1 ? vectors : start, end, 1);
}

} // namespace ampc::cpu
