//===- WindowLoops.cpp - Loops over windows of an image -------------------===//

#include "compiler/target/cpu/WindowLoops.h"

#include "compiler/target/cpu/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

using Index = OpFoldResult;

std::pair<Index, Index> WindowLoops::inside(IndexBuilder &ix, size_t i,
                                            Index at, Index size) const {
  Index zero = ix.constant(0);
  Index start =
      ix.sub(ix.mul(at, ix.constant(strides[i])), ix.constant(pads[i]));
  // start + k * dilation >= 0 and < size.
  Index first = ix.ceilDiv(ix.max(zero, ix.sub(zero, start)), dilations[i]);
  Index last =
      ix.min(ix.constant(kernel[i]),
             ix.ceilDiv(ix.max(zero, ix.sub(size, start)), dilations[i]));
  return {first, last};
}

Index WindowLoops::sourceIndex(IndexBuilder &ix, size_t i, Index at,
                               Index position) const {
  return ix.add(
      ix.sub(ix.mul(at, ix.constant(strides[i])), ix.constant(pads[i])),
      ix.mul(position, ix.constant(dilations[i])));
}

std::pair<Index, Index> WindowLoops::interior(IndexBuilder &ix, size_t i,
                                              Index outputSize,
                                              Index size) const {
  Index first =
      ix.min(ix.constant(llvm::divideCeil(pads[i], strides[i])), outputSize);
  Index reach = ix.max(
      ix.constant(0),
      ix.add(size, ix.constant(pads[i] - dilations[i] * (kernel[i] - 1))));
  Index last = ix.min(outputSize, ix.ceilDiv(reach, strides[i]));
  return {first, ix.max(first, last)};
}

/// Images, channels if these are not innermost, and, where there are several
/// spatial dimensions, the outermost of them.
static SmallVector<Index> parallelSizes(KernelValues &values,
                                        const WindowLoops &loops) {
  SmallVector<Index> sizes = values.outDims(0);
  sizes.truncate(loops.firstSpatial + (loops.rank() > 1));
  return sizes;
}

ParallelRange WindowLoops::range(KernelValues &values, double cost) const {
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  for (int64_t size : kernel)
    cost *= size;
  SmallVector<Index> sizes = values.outDims(0),
                     parallel = parallelSizes(values, *this);
  for (Index size : ArrayRef(sizes).drop_front(parallel.size()))
    cost *= guessedSize(size);
  return {ix.value(ix.product(parallel)), grainFor(cost + 16)};
}

LogicalResult WindowLoops::forEachOutput(
    KernelEmission &emission, int64_t lanes,
    llvm::function_ref<LogicalResult(ArrayRef<Value>, int64_t)> body) const {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  KernelValues &values = emission.values;
  IndexBuilder ix(b, loc), site(values.site(), loc);
  SmallVector<Index> sizes = values.outDims(0);
  SmallVector<Index> parallel = parallelSizes(values, *this);
  Index outputs = sizes.back();
  // Where vectors may run.
  Index first = site.constant(0), last = outputs;
  if (!channelsLast())
    std::tie(first, last) =
        interior(site, rank() - 1, outputs, values.dim(source, 1 + rank()));
  auto forLoop = [&](Index from, Index to, int64_t step,
                     llvm::function_ref<LogicalResult(Value)> inner) {
    return emitLoop(b, loc, from, to, step, inner);
  };
  Values indices;
  std::function<LogicalResult()> row = [&]() -> LogicalResult {
    size_t dim = indices.size();
    if (dim + 1 < sizes.size())
      return forLoop(site.constant(0), sizes[dim], 1, [&](Value i) {
        indices.push_back(i);
        LogicalResult done = row();
        indices.pop_back();
        return done;
      });
    auto columns = [&](Index from, Index to, int64_t width) {
      return forLoop(from, to, width, [&](Value i) {
        indices.push_back(i);
        LogicalResult done = body(indices, width);
        indices.pop_back();
        return done;
      });
    };
    if (lanes == 1)
      return columns(site.constant(0), outputs, 1);
    Index by = site.constant(lanes);
    Index vectors =
        site.add(first, site.mul(site.div(site.sub(last, first), by), by));
    return success(succeeded(columns(site.constant(0), first, 1)) &&
                   succeeded(columns(first, vectors, lanes)) &&
                   succeeded(columns(vectors, outputs, 1)));
  };
  return forLoop(emission.lo, emission.hi, 1, [&](Value item) {
    indices = ix.delinearize(Index(item), parallel);
    return row();
  });
}

WindowLoops::Values WindowLoops::fold(
    KernelEmission &emission, ArrayRef<Value> indices, int64_t lanes,
    Values state,
    llvm::function_ref<Values(ArrayRef<Value>, Values)> step) const {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  IndexBuilder ix(b, loc);
  Values at(indices.take_front(firstSpatial));
  std::function<Values(Values)> level = [&](Values state) -> Values {
    size_t i = at.size() - firstSpatial;
    if (i == rank()) {
      Values source(at);
      source.append(indices.begin() + firstSpatial + i, indices.end());
      return step(source, state);
    }
    Index first = ix.constant(0), last = ix.constant(kernel[i]);
    bool innermost = i + 1 == rank();
    bool bounded = !innermost || sharesBounds(lanes);
    if (bounded)
      std::tie(first, last) =
          inside(ix, i, Index(indices[firstSpatial + i]),
                 emission.values.dim(source, firstSpatial + i));
    auto visit = [&](Index position, Values state) {
      at.push_back(ix.value(
          sourceIndex(ix, i, Index(indices[firstSpatial + i]), position)));
      Values next = level(state);
      at.pop_back();
      return next;
    };
    if (!bounded && kernel[i] <= 16) {
      for (int64_t k = 0; k < kernel[i] && !state.empty(); ++k)
        state = visit(ix.constant(k), state);
      return state;
    }
    OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<scf::ForOp>(loc, ix.value(first), ix.value(last),
                                     ix.value(ix.constant(1)), state);
    b.setInsertionPointToStart(loop.getBody());
    Values next =
        visit(Index(loop.getInductionVar()), Values(loop.getRegionIterArgs()));
    if (next.empty())
      return {};
    b.create<scf::YieldOp>(loc, next);
    return Values(loop.getResults());
  };
  return level(state);
}

} // namespace ampc::cpu
