//===- RowLoops.cpp - The loops of reductions over rows -------------------===//

#include "compiler/target/cpu/RowLoops.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/ElementEvaluator.h"
#include "compiler/target/cpu/Loops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

/// Neighbouring rows that an iteration of the parallel loop does where vectors
/// run across rows.
static constexpr int64_t kRowBlock = 128;

RowLoops::RowLoops(KernelValues &values, const CpuTarget &target, Options given)
    : values(values), options(std::move(given)),
      dims(values.dims(options.source)) {
  auto type = cast<RankedTensorType>(options.source.getType());
  const int64_t rank = type.getRank();
  auto isReduced = [&](int64_t dim) {
    return llvm::is_contained(options.axes, dim);
  };
  // Position among the result's dimensions.
  auto resultDim = [&](int64_t dim) {
    return options.keepsShape
               ? dim
               : dim - llvm::count_if(options.axes,
                                      [&](int64_t axis) { return axis < dim; });
  };
  for (int64_t dim = 0; dim + 1 < rank; ++dim) {
    if (isReduced(dim) != isReduced(dim + 1) ||
        !canMergeDims(values, options.source, dim))
      continue;
    if ((options.keepsShape || !isReduced(dim)) &&
        !canMergeOutputDims(values, resultDim(dim), options.result))
      continue;
    bool beside = llvm::all_of(options.perElement, [&](Value tensor) {
      auto per = cast<RankedTensorType>(tensor.getType());
      int64_t at = dim - (rank - per.getRank());
      return at < 0 || canMergeDims(values, tensor, at);
    });
    if (beside)
      dims.merge(dim);
  }
  for (size_t run = 0; run < dims.count(); ++run)
    (isReduced(dims.last(run)) ? reduced : kept).push_back(run);
  vectorLanes = std::min<int64_t>(
      target.lanes(rowType(type.getElementType()).getIntOrFloatBitWidth()),
      kRowLanes);
  const size_t last = dims.count() - 1;
  along = !options.sequential && reduced.size() == 1 && reduced[0] == last;
  // A lone column is no vector.
  across = !options.scalarRows && !kept.empty() && kept.back() == last &&
           type.getShape().back() != 1;
  if (!along && !across)
    vectorLanes = 1;
}

SmallVector<OpFoldResult> RowLoops::sizesOf(ArrayRef<size_t> runs,
                                            IndexBuilder &ix) const {
  SmallVector<OpFoldResult> sizes;
  for (size_t run : runs)
    sizes.push_back(ix.product(dims.sizesOf(run)));
  return sizes;
}

ParallelRange RowLoops::range() {
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  SmallVector<OpFoldResult> sizes = sizesOf(kept, ix);
  double cost = options.costPerElement / vectorLanes;
  for (OpFoldResult size : sizesOf(reduced, ix))
    cost *= guessedSize(size);
  if (across) {
    cost *= std::min<double>(guessedSize(sizes.back()), kRowBlock);
    sizes.back() = ix.ceilDiv(sizes.back(), kRowBlock);
  }
  return {ix.value(ix.product(sizes)), grainFor(cost + 16)};
}

LogicalResult RowLoops::emit(KernelEmission &emission,
                             llvm::function_ref<LogicalResult(Row &)> body) {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  IndexBuilder ix(b, loc), site(values.site(), loc);
  SmallVector<OpFoldResult> sizes = sizesOf(kept, site);
  OpFoldResult extent = site.product(sizesOf(reduced, site));
  OpFoldResult innermost = site.constant(1);
  if (across) {
    innermost = sizes.back();
    sizes.back() = site.ceilDiv(innermost, kRowBlock);
  }
  auto forLoop = [&](OpFoldResult from, OpFoldResult to, int64_t step,
                     llvm::function_ref<LogicalResult(Value)> inner) {
    return emitLoop(b, loc, from, to, step, inner);
  };
  return forLoop(emission.lo, emission.hi, 1, [&](Value item) {
    Row::Values runs = ix.delinearize(OpFoldResult(item), sizes);
    if (!across) {
      Row row(*this, emission, runs, 1, extent);
      return body(row);
    }
    OpFoldResult start =
        ix.mul(OpFoldResult(runs.back()), ix.constant(kRowBlock));
    OpFoldResult end = ix.min(innermost, ix.add(start, ix.constant(kRowBlock)));
    if (IndexBuilder::isConstant(sizes.back(), 1)) {
      start = ix.constant(0);
      end = innermost;
    }
    auto rows = [&](int64_t lanes) {
      return [&, lanes](Value at) {
        Row::Values here(runs);
        here.back() = at;
        Row row(*this, emission, here, lanes, extent);
        return body(row);
      };
    };
    OpFoldResult by = ix.constant(vectorLanes);
    OpFoldResult most =
        ix.add(start, ix.mul(ix.div(ix.sub(end, start), by), by));
    if (failed(forLoop(start, most, vectorLanes, rows(vectorLanes))))
      return failure();
    return vectorLanes > 1 ? forLoop(most, end, 1, rows(1)) : success();
  });
}

//===----------------------------------------------------------------------===//
// Row
//===----------------------------------------------------------------------===//

Row::Row(RowLoops &loops, KernelEmission &emission, Values keptRuns,
         int64_t rowLanes, OpFoldResult extent)
    : b(emission.builder), loc(emission.loc()), loops(loops),
      emission(emission), ix(b, loc), keptRuns(keptRuns), rowLanes(rowLanes),
      extent(extent) {}

Row::Values Row::keptIndices() {
  Value zero = ix.value(ix.constant(0));
  Values runs(loops.dims.count(), zero);
  for (auto [run, index] : llvm::zip(loops.kept, keptRuns))
    runs[run] = index;
  Values all = loops.dims.expand(runs, zero), result;
  for (auto [dim, index] : llvm::enumerate(all))
    if (!llvm::is_contained(loops.options.axes, int64_t(dim)))
      result.push_back(index);
  return result;
}

Row::Values Row::indicesAt(Value position) {
  IndexBuilder site(loops.values.site(), loc);
  Values runs(loops.dims.count());
  for (auto [run, index] : llvm::zip(loops.kept, keptRuns))
    runs[run] = index;
  Values coordinates = ix.delinearize(OpFoldResult(position),
                                      loops.sizesOf(loops.reduced, site));
  for (auto [run, index] : llvm::zip(loops.reduced, coordinates))
    runs[run] = index;
  return loops.dims.expand(runs, ix.value(ix.constant(0)));
}

Value Row::spread(Value value, int64_t lanes) {
  return isa<VectorType>(value.getType()) ? value
                                          : fillLanes(b, loc, value, lanes);
}

Value Row::element(Value tensor, ArrayRef<Value> indices, int64_t lanes) {
  ElementEvaluator evaluator(loops.values, b, lanes);
  Value value = evaluator.at(tensor, indices);
  return value ? toRowType(b, loc, value) : value;
}

LogicalResult Row::forEach(VisitFn visit) {
  const int64_t step = loops.along ? loops.vectorLanes : 1;
  auto loop = [&](OpFoldResult from, OpFoldResult to, int64_t lanes) {
    return emitLoop(b, loc, from, to, lanes, [&](Value at) {
      return visit(indicesAt(at), loops.along ? lanes : rowLanes);
    });
  };
  OpFoldResult by = ix.constant(step);
  OpFoldResult most = ix.mul(ix.div(extent, by), by);
  if (failed(loop(ix.constant(0), most, step)))
    return failure();
  return step > 1 ? loop(most, extent, 1) : success();
}

Row::Values Row::fold(ArrayRef<Value> initial, StepFn step, bool reverse,
                      int64_t start) {
  OpBuilder::InsertionGuard guard(b);
  auto loop =
      b.create<scf::ForOp>(loc, ix.value(ix.constant(start)), ix.value(extent),
                           ix.value(ix.constant(1)), initial);
  b.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  if (reverse)
    position = ix.value(
        ix.sub(ix.sub(extent, ix.constant(1)), OpFoldResult(position)));
  Values state(loop.getRegionIterArgs());
  Values next = step(indicesAt(position), position, state);
  if (next.size() != state.size())
    return {};
  // Loops without a state have their terminator already.
  if (!next.empty())
    b.create<scf::YieldOp>(loc, next);
  return Values(loop.getResults());
}

Value Row::scratch(const Combiner &combiner, int64_t elements) {
  return loops.values.site().create<memref::AllocaOp>(
      loc, MemRefType::get({elements}, combiner.type), b.getI64IntegerAttr(64));
}

Row::Values Row::reduce(ArrayRef<Combiner> combiners, ElementFn element) {
  return loops.along ? reduceAlong(combiners, element)
                     : reduceInLanes(combiners, element);
}

/// Vectors run along the row: the 16 lanes are those of one or more vectors.
Row::Values Row::reduceAlong(ArrayRef<Combiner> combiners, ElementFn element) {
  const int64_t lanes = loops.vectorLanes, vectors = kRowLanes / lanes;
  Values sums; // Vector by vector, combiner by combiner.
  for (int64_t v = 0; v < vectors; ++v)
    for (const Combiner &c : combiners)
      sums.push_back(c.neutral(b, loc, lanes));
  auto combineAll = [&](Value base, ValueRange before) -> Values {
    Values after;
    for (int64_t v = 0; v < vectors; ++v) {
      Value at = ix.value(ix.add(OpFoldResult(base), ix.constant(v * lanes)));
      Values elements = element(indicesAt(at), lanes);
      if (elements.size() != combiners.size())
        return {};
      for (auto [i, c] : llvm::enumerate(combiners))
        after.push_back(
            c.combine(b, loc, before[v * combiners.size() + i], elements[i]));
    }
    return after;
  };
  OpFoldResult by = ix.constant(kRowLanes);
  OpFoldResult most = ix.mul(ix.div(extent, by), by);
  if (!IndexBuilder::isConstant(most, 0)) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<scf::ForOp>(loc, ix.value(ix.constant(0)),
                                     ix.value(most), ix.value(by), sums);
    b.setInsertionPointToStart(loop.getBody());
    Values after = combineAll(loop.getInductionVar(), loop.getRegionIterArgs());
    if (after.empty())
      return {};
    b.create<scf::YieldOp>(loc, after);
    sums = Values(loop.getResults());
  }

  // The rest goes to the lanes one by one, in memory.
  auto known = IndexBuilder::known(extent);
  if (!known || *known % kRowLanes) {
    Values memory;
    for (auto [i, c] : llvm::enumerate(combiners)) {
      memory.push_back(scratch(c, kRowLanes));
      for (int64_t v = 0; v < vectors; ++v)
        storeElements(b, loc, sums[v * combiners.size() + i], memory.back(),
                      ix.value(ix.constant(v * lanes)));
    }
    {
      OpBuilder::InsertionGuard guard(b);
      auto loop = b.create<scf::ForOp>(loc, ix.value(most), ix.value(extent),
                                       ix.value(ix.constant(1)));
      b.setInsertionPointToStart(loop.getBody());
      Value at = loop.getInductionVar();
      Value lane = ix.value(ix.sub(OpFoldResult(at), most));
      Values elements = element(indicesAt(at), 1);
      if (elements.size() != combiners.size())
        return {};
      for (auto [i, c] : llvm::enumerate(combiners)) {
        Value sum = b.create<memref::LoadOp>(loc, memory[i], lane);
        b.create<memref::StoreOp>(loc, c.combine(b, loc, sum, elements[i]),
                                  memory[i], lane);
      }
    }
    for (auto [i, c] : llvm::enumerate(combiners))
      for (int64_t v = 0; v < vectors; ++v)
        sums[v * combiners.size() + i] = loadElements(
            b, loc, memory[i], ix.value(ix.constant(v * lanes)), c.type, lanes);
  }

  // The tree: first between vectors, then within the one that is left.
  Values results;
  for (auto [i, c] : llvm::enumerate(combiners)) {
    Values tree;
    for (int64_t v = 0; v < vectors; ++v)
      tree.push_back(sums[v * combiners.size() + i]);
    for (size_t half = tree.size() / 2; half; half /= 2)
      for (size_t v = 0; v < half; ++v)
        tree[v] = c.combine(b, loc, tree[v], tree[v + half]);
    Value sum = tree[0];
    for (int64_t half = lanes / 2; half; half /= 2) {
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < half; ++lane) {
        low.push_back(lane);
        high.push_back(lane + half);
      }
      Value x = b.create<vector::ShuffleOp>(loc, sum, sum, low);
      Value y = b.create<vector::ShuffleOp>(loc, sum, sum, high);
      sum = c.combine(b, loc, x, y);
    }
    results.push_back(isa<VectorType>(sum.getType())
                          ? Value(b.create<vector::ExtractOp>(loc, sum, 0))
                          : sum);
  }
  return results;
}

/// Several rows at a time, or one whose elements are not adjacent: each of the
/// 16 lanes is a value in memory, or there is a single one where order is free.
Row::Values Row::reduceInLanes(ArrayRef<Combiner> combiners,
                               ElementFn element) {
  Values initial, memory(combiners.size());
  for (auto [i, c] : llvm::enumerate(combiners)) {
    Value neutral = c.neutral(b, loc, rowLanes);
    if (!c.isOrdered()) {
      initial.push_back(neutral);
      continue;
    }
    memory[i] = scratch(c, kRowLanes * rowLanes);
    for (int64_t lane = 0; lane < kRowLanes; ++lane)
      storeElements(b, loc, neutral, memory[i],
                    ix.value(ix.constant(lane * rowLanes)));
  }
  bool failedInside = false;
  Values state = fold(
      initial,
      [&](ArrayRef<Value> indices, Value position,
          ArrayRef<Value> before) -> Values {
        Values elements = element(indices, rowLanes), after;
        failedInside = elements.size() != combiners.size();
        if (failedInside)
          return {};
        for (auto [i, c] : llvm::enumerate(combiners)) {
          if (!c.isOrdered()) {
            after.push_back(
                c.combine(b, loc, before[after.size()], elements[i]));
            continue;
          }
          Value lane = ix.value(
              ix.mul(ix.rem(OpFoldResult(position), ix.constant(kRowLanes)),
                     ix.constant(rowLanes)));
          Value sum = loadElements(b, loc, memory[i], lane, c.type, rowLanes);
          storeElements(b, loc, c.combine(b, loc, sum, elements[i]), memory[i],
                        lane);
        }
        return after;
      });
  if (failedInside)
    return {};
  Values results;
  size_t next = 0;
  for (auto [i, c] : llvm::enumerate(combiners)) {
    if (!c.isOrdered()) {
      results.push_back(state[next++]);
      continue;
    }
    Values tree;
    for (int64_t lane = 0; lane < kRowLanes; ++lane)
      tree.push_back(loadElements(b, loc, memory[i],
                                  ix.value(ix.constant(lane * rowLanes)),
                                  c.type, rowLanes));
    for (size_t half = kRowLanes / 2; half; half /= 2)
      for (size_t lane = 0; lane < half; ++lane)
        tree[lane] = c.combine(b, loc, tree[lane], tree[lane + half]);
    results.push_back(tree[0]);
  }
  return results;
}

} // namespace ampc::cpu
