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
#include "compiler/target/cpu/Loops.h"
#include "compiler/target/cpu/MergedDims.h"
#include "compiler/target/cpu/TransposeKernel.h"

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
/// Rows (outer elements) that are done side by side where elements are moved
/// out of order: what depends on the innermost index alone is computed once for
/// all.
constexpr int64_t kSideBySide = 8;

struct PointwiseLoops {
  MergedDims dims;
  int64_t lanes;
  int64_t rows = 1; ///< Outer elements that one iteration does.
  double cost;      ///< Of an element.

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
    : dims(mergeOutputDims(values)), cost(2) {
  amp::KernelOp kernel = values.getKernel();
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
  else if (dims.count() > 1)
    rows = kSideBySide;
}

} // namespace

ParallelRange getPointwiseRange(KernelValues &values, const CpuTarget &target) {
  if (auto transpose = TransposeKernel::match(values))
    return transpose->getRange(values);
  PointwiseLoops loops(values, target);
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  OpFoldResult innermost = loops.innermost(ix);
  Value count = ix.value(
      ix.mul(ix.product(loops.outer(ix)), ix.ceilDiv(innermost, kBlock)));
  // An innermost dimension of unknown size that holds all elements is long.
  double run = loops.dims.count() <= 1
                   ? double(IndexBuilder::known(innermost).value_or(kBlock))
                   : guessedSize(innermost);
  return {count, grainFor(loops.rows *
                          (loops.cost * std::min<double>(run, kBlock) + 8))};
}

LogicalResult emitPointwiseKernel(KernelEmission &emission) {
  if (auto transpose = TransposeKernel::match(emission.values))
    return transpose->emit(emission);
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
  OpFoldResult row = ix.mul(ix.div(item, blocks), ix.constant(loops.rows));
  OpFoldResult start = ix.mul(block, ix.constant(kBlock));
  OpFoldResult end = ix.min(innermost, ix.add(start, ix.constant(kBlock)));
  if (IndexBuilder::isConstant(blocks, 1)) {
    start = ix.constant(0);
    end = innermost;
  }

  using Rows = ArrayRef<SmallVector<Value>>; // Indices of the outer dimensions.
  auto loop = [&](Rows rows, OpFoldResult from, OpFoldResult to,
                  int64_t lanes) {
    return emitLoop(b, loc, from, to, lanes, [&](Value at) -> LogicalResult {
      for (SmallVector<Value> runs : rows) {
        runs.push_back(at);
        SmallVector<Value> indices;
        if (loops.dims.count())
          indices = loops.dims.expand(runs, zero);
        if (failed(storeOutputs(emission, nullptr, indices, nullptr, lanes)))
          return failure();
      }
      return success();
    });
  };
  auto innerLoops = [&](Rows rows) -> LogicalResult {
    // What vectors leave of a row goes by ever shorter ones if its length is
    // known, so that there is code for those alone that are needed.
    const bool isKnown = IndexBuilder::known(end).has_value();
    OpFoldResult from = start;
    for (int64_t lanes = loops.lanes; lanes > 1;
         lanes = isKnown ? lanes / 2 : 1) {
      OpFoldResult by = ix.constant(lanes);
      OpFoldResult to = ix.add(from, ix.mul(ix.div(ix.sub(end, from), by), by));
      if (failed(loop(rows, from, to, lanes)))
        return failure();
      from = to;
    }
    return loop(rows, from, end, 1);
  };
  auto rowAt = [&](OpFoldResult at) { return ix.delinearize(at, outer); };
  if (loops.rows == 1)
    return innerLoops({rowAt(row)});

  OpFoldResult rowCount = atSite.product(outer);
  OpFoldResult rowEnd = ix.add(row, ix.constant(loops.rows));
  auto choice = b.create<scf::IfOp>(
      loc, ix.compare(arith::CmpIPredicate::sle, rowEnd, rowCount),
      /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  SmallVector<SmallVector<Value>> together;
  for (int64_t i = 0; i < loops.rows; ++i)
    together.push_back(rowAt(ix.add(row, ix.constant(i))));
  if (failed(innerLoops(together)))
    return failure();
  b.setInsertionPointToStart(choice.elseBlock());
  auto single =
      b.create<scf::ForOp>(loc, ix.value(row), ix.value(rowCount), one);
  b.setInsertionPointToStart(single.getBody());
  return innerLoops({rowAt(single.getInductionVar())});
}

} // namespace ampc::cpu
