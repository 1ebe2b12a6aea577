//===- TransposeKernel.cpp - Kernels that turn dimensions -----------------===//

#include "compiler/target/cpu/TransposeKernel.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Loops.h"
#include "compiler/target/cpu/RegisterTranspose.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ampc::cpu {

/// Rows and columns of an item: a cache line of rows, and of columns as many as
/// there are lines that stay in the first cache.
constexpr int64_t kRows = 16, kColumns = 256;

TransposeKernel::TransposeKernel(amp::TransposeOp op, KernelValues &values)
    : op(op), dims(mergeOutputDims(values)) {
  const int64_t rank = op.getPermutation().size();
  int64_t rowDim =
      llvm::find(op.getPermutation(), rank - 1) - op.getPermutation().begin();
  for (rowRun = 0; dims.last(rowRun) < rowDim;)
    ++rowRun;
  // Eight of 32 bits: more would not fit what few channels there often are.
  lanes =
      getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() > 32 ? 4 : 8;
}

std::optional<TransposeKernel> TransposeKernel::match(KernelValues &values) {
  amp::TransposeOp transpose;
  amp::KernelOp kernel = values.getKernel();
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto elemental = dyn_cast<amp::ElementalOpInterface>(op);
    if (!elemental || elemental.keepsInnermost())
      continue;
    if (transpose || !isa<amp::TransposeOp>(op))
      return std::nullopt;
    transpose = cast<amp::TransposeOp>(op);
  }
  if (!transpose)
    return std::nullopt;
  auto source = dyn_cast<BlockArgument>(transpose.getSource());
  Type element = getElementTypeOrSelf(transpose.getType());
  if (!source || !element.isIntOrFloat() || element.isInteger(1))
    return std::nullopt;
  auto buffer = cast<MemRefType>(values.in(source).getType());
  auto [strides, offset] = getStridesAndOffset(buffer);
  if (strides.back() != 1 ||
      buffer.getRank() != cast<MemRefType>(values.out(0).getType()).getRank())
    return std::nullopt;
  TransposeKernel result(transpose, values);
  IndexBuilder ix(values.site(), kernel.getLoc());
  for (OpFoldResult size :
       {result.sizeOf(result.rowRun, ix), result.columns(ix)})
    if (IndexBuilder::known(size).value_or(result.lanes) < result.lanes)
      return std::nullopt;
  return result;
}

SmallVector<OpFoldResult> TransposeKernel::outer(IndexBuilder &ix) const {
  SmallVector<OpFoldResult> sizes;
  for (size_t run = 0; run + 1 < dims.count(); ++run)
    if (run != rowRun)
      sizes.push_back(sizeOf(run, ix));
  return sizes;
}

ParallelRange TransposeKernel::getRange(KernelValues &values) const {
  IndexBuilder ix(values.site(), values.getKernel().getLoc());
  OpFoldResult rows = sizeOf(rowRun, ix), width = columns(ix);
  Value count = ix.value(
      ix.mul(ix.product(outer(ix)),
             ix.mul(ix.ceilDiv(rows, kRows), ix.ceilDiv(width, kColumns))));
  return {count, grainFor(std::min<double>(guessedSize(rows), kRows) *
                          std::min<double>(guessedSize(width), kColumns))};
}

LogicalResult TransposeKernel::emitSquare(KernelEmission &emission,
                                          ValueRange runs, Value row,
                                          Value column, Value zero) const {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  IndexBuilder ix(b, loc);
  auto indicesAt = [&](Value i, Value j) {
    SmallVector<Value> at(runs);
    at.insert(at.begin() + rowRun, i);
    at.push_back(j);
    return dims.expand(at, zero);
  };
  auto offset = [&](Value first, int64_t by) {
    return ix.value(ix.add(OpFoldResult(first), ix.constant(by)));
  };
  Value source = emission.values.in(cast<BlockArgument>(op.getSource()));
  Type element = getElementTypeOrSelf(op.getType());
  SmallVector<Value> square;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> to = indicesAt(row, offset(column, lane));
    SmallVector<Value> from(to.size());
    for (auto [index, dim] : llvm::zip(to, op.getPermutation()))
      from[dim] = index;
    square.push_back(loadElements(b, loc, source, from, element, lanes));
  }
  square = transposeInRegisters(b, loc, square);
  for (int64_t i = 0; i < lanes; ++i)
    if (failed(storeOutputs(emission, op, indicesAt(offset(row, i), column),
                            square[i], lanes)))
      return failure();
  return success();
}

LogicalResult TransposeKernel::emit(KernelEmission &emission) const {
  OpBuilder &b = emission.builder;
  Location loc = emission.loc();
  IndexBuilder site(emission.values.site(), loc), ix(b, loc);
  OpFoldResult rows = sizeOf(rowRun, site), width = columns(site);
  OpFoldResult rowBlocks = site.ceilDiv(rows, kRows),
               columnBlocks = site.ceilDiv(width, kColumns);
  SmallVector<OpFoldResult> sizes = outer(site);
  Value zero = site.value(site.constant(0));
  auto blockOf = [&](OpFoldResult block, int64_t most, OpFoldResult size) {
    OpFoldResult from = ix.mul(block, ix.constant(most));
    return std::pair(from, ix.min(size, ix.add(from, ix.constant(most))));
  };
  auto squaresEnd = [&](OpFoldResult from, OpFoldResult to) {
    OpFoldResult side = ix.constant(lanes);
    return ix.add(from, ix.mul(ix.div(ix.sub(to, from), side), side));
  };
  return emitLoop(b, loc, emission.lo, emission.hi, 1, [&](Value item) {
    OpFoldResult rest = item;
    auto [columnStart, columnEnd] =
        blockOf(ix.rem(rest, columnBlocks), kColumns, width);
    rest = ix.div(rest, columnBlocks);
    auto [rowStart, rowEnd] = blockOf(ix.rem(rest, rowBlocks), kRows, rows);
    SmallVector<Value> runs = ix.delinearize(ix.div(rest, rowBlocks), sizes);
    OpFoldResult rowSquares = squaresEnd(rowStart, rowEnd),
                 columnSquares = squaresEnd(columnStart, columnEnd);
    // The elements of `count` rows that are not in squares, column by column.
    auto single = [&](Value row, int64_t count, OpFoldResult from) {
      return emitLoop(b, loc, from, columnEnd, 1, [&](Value column) {
        for (int64_t i = 0; i < count; ++i) {
          SmallVector<Value> at(runs);
          at.insert(at.begin() + rowRun,
                    ix.value(ix.add(OpFoldResult(row), ix.constant(i))));
          at.push_back(column);
          if (failed(storeOutputs(emission, nullptr, dims.expand(at, zero),
                                  nullptr, 1)))
            return failure();
        }
        return success();
      });
    };
    if (failed(emitLoop(b, loc, rowStart, rowSquares, lanes, [&](Value row) {
          return success(
              succeeded(emitLoop(b, loc, columnStart, columnSquares, lanes,
                                 [&](Value column) {
                                   return emitSquare(emission, runs, row,
                                                     column, zero);
                                 })) &&
              succeeded(single(row, lanes, columnSquares)));
        })))
      return failure();
    return emitLoop(b, loc, rowSquares, rowEnd, 1,
                    [&](Value row) { return single(row, 1, columnStart); });
  });
}

} // namespace ampc::cpu
