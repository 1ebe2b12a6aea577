//===- DepthwiseEmitter.cpp - Depthwise convolutions over N...C -----------===//
//
// A tile is a few neighbouring rows and columns of the result by a vector of
// channels; the weights of one row of the filter stay in registers while the
// tile's rows go by. Each sum is one chain from the bias, positions in
// row-major order.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/ConvLoops.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/GemmTile.h"
#include "compiler/target/cpu/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace ampc::cpu {

namespace {

/// Positions of a filter's row that are written out, their weights in
/// registers.
constexpr int64_t kMostUnrolled = 7;

using Index = OpFoldResult;
using Sums = SmallVector<Value>;

/// The spatial dimension whose neighbours are the rows of a tile, if there is
/// one beside that of its columns.
bool hasRows(amp::ConvOp op) { return op.getStrides().size() > 1; }

/// Rows and columns of a tile.
struct TileShape {
  int64_t rows = 2, columns = 4;

  TileShape(amp::ConvOp op, amp::ScheduleAttr schedule) {
    if (!hasRows(op))
      rows = 1;
    if (schedule) {
      rows = schedule.get("tile_rows").value_or(rows);
      columns = schedule.get("tile_columns").value_or(columns);
    }
  }

  /// What speaks against it, in words; empty: nothing.
  std::string problem(amp::ConvOp op, const CpuTarget &target) const {
    if (rows < 1 || columns < 1 || columns > target.vectorRegisters ||
        rows > target.vectorRegisters ||
        rows * columns + 4 > target.vectorRegisters)
      return llvm::formatv("a tile of {0} by {1} does not fit {2} registers",
                           rows, columns, target.vectorRegisters);
    if (rows > 1 && !hasRows(op))
      return llvm::formatv("tile_rows is {0} for one spatial dimension", rows);
    return "";
  }
};

TileShape tileOf(amp::ConvOp op, KernelValues &values) {
  return {op, values.getKernel().getScheduleAttr()};
}

/// Images, outer spatial dimensions and blocks of rows.
SmallVector<Index> parallelSizes(amp::ConvOp op, KernelValues &values) {
  IndexBuilder ix(values.site(), op.getLoc());
  SmallVector<Index> sizes = values.outDims(0);
  sizes.resize(sizes.size() - 2); // Columns and channels.
  if (hasRows(op))
    sizes.back() = ix.ceilDiv(sizes.back(), tileOf(op, values).rows);
  return sizes;
}

class DepthwiseEmitter {
public:
  DepthwiseEmitter(amp::ConvOp op, KernelEmission &emission)
      : op(op), emission(emission), values(emission.values),
        b(emission.builder), loc(emission.loc()), ix(b, loc),
        spatial(op.getStrides().size()), shape(tileOf(op, values)) {}

  LogicalResult verifySchedule();
  LogicalResult emit();

private:
  /// A tile of the result: indices of its first element, and its size.
  struct Tile {
    SmallVector<Value> first;
    int64_t rows, columns, lanes;
    Value mask;
  };

  LogicalResult forLoop(Index from, Index to, int64_t step,
                        llvm::function_ref<LogicalResult(Value)> body) {
    return emitLoop(b, loc, from, to, step, body);
  }
  LogicalResult emitRows(SmallVector<Value> outer, int64_t rows);
  LogicalResult emitChannels(Tile tile);
  LogicalResult emitTile(const Tile &tile);
  Sums foldPositions(size_t dim, const Tile &tile, Index input, Index filter,
                     Sums sums);
  Sums foldFilterRow(const Tile &tile, Index input, Index filter, Sums sums);
  Value load(Value buffer, Index at, const Tile &tile);
  /// `first`, an offset in the input, as many strides of spatial dimension
  /// `dim` further.
  Index strided(Index first, int64_t dim, Index strides) {
    return ix.add(first,
                  ix.mul(strides, ix.mul(inputStride(dim),
                                         ix.constant(op.getStrides()[dim]))));
  }
  Index inputStride(int64_t i) {
    return values.stride(input, op.getSpatialDim(i));
  }
  Index filterStride(int64_t i) { return values.stride(filter, i); }
  int64_t filterSize(int64_t i) {
    return cast<RankedTensorType>(op.getFilter().getType()).getDimSize(i);
  }

  amp::ConvOp op;
  KernelEmission &emission;
  KernelValues &values;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  const int64_t spatial;
  const TileShape shape;
  Value input, filter, flatInput, flatFilter;
  Type accumulator;
};

LogicalResult DepthwiseEmitter::verifySchedule() {
  amp::KernelOp kernel = values.getKernel();
  amp::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return success();
  std::string problem = shape.problem(op, emission.target);
  for (NamedAttribute entry : schedule.getEntries())
    if (StringRef name = entry.getName();
        name != "tile_rows" && name != "tile_columns")
      problem = ("depthwise convolutions know no " + name).str();
  if (!problem.empty())
    return kernel.emitOpError("has an impossible schedule: ") << problem;
  return success();
}

LogicalResult DepthwiseEmitter::emit() {
  auto operands = contractionOperands(values, op, op.getAlgorithmAttr(),
                                      op.getInput(), op.getFilter());
  if (failed(operands))
    return failure();
  input = operands->lhs;
  filter = operands->rhs;
  accumulator = operands->accumulator;
  flatInput = values.flat(input);
  flatFilter = values.flat(filter);
  SmallVector<Index> parallel = parallelSizes(op, values);
  return forLoop(emission.lo, emission.hi, 1, [&](Value item) {
    SmallVector<Value> outer = ix.delinearize(Index(item), parallel);
    if (!hasRows(op))
      return emitRows(outer, 1);
    Index row = ix.mul(Index(outer.back()), ix.constant(shape.rows)),
          rows = values.outDim(0, spatial - 1);
    outer.back() = ix.value(row);
    auto known = IndexBuilder::known(rows);
    if (known && *known % shape.rows == 0)
      return emitRows(outer, shape.rows);
    Value whole = ix.compare(arith::CmpIPredicate::sle,
                             ix.add(row, ix.constant(shape.rows)), rows);
    auto choice = b.create<scf::IfOp>(loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    if (failed(emitRows(outer, shape.rows)))
      return failure();
    b.setInsertionPointToStart(choice.elseBlock());
    return forLoop(row, rows, 1, [&](Value at) {
      outer.back() = at;
      return emitRows(outer, 1);
    });
  });
}

LogicalResult DepthwiseEmitter::emitRows(SmallVector<Value> outer,
                                         int64_t rows) {
  Index columns = values.outDim(0, spatial), by = ix.constant(shape.columns);
  Index whole = ix.mul(ix.div(columns, by), by);
  auto tiles = [&](Index from, Index to, int64_t width) {
    return forLoop(from, to, width, [&](Value column) {
      Tile tile{outer, rows, width, 1, nullptr};
      tile.first.push_back(column);
      return emitChannels(tile);
    });
  };
  return success(succeeded(tiles(ix.constant(0), whole, shape.columns)) &&
                 succeeded(tiles(whole, columns, 1)));
}

LogicalResult DepthwiseEmitter::emitChannels(Tile tile) {
  Index channels = values.outDim(0, spatial + 1);
  tile.lanes = emission.target.lanes(accumulator.getIntOrFloatBitWidth());
  Index by = ix.constant(tile.lanes);
  Index whole = ix.mul(ix.div(channels, by), by);
  auto at = [&](Value channel, Value mask) {
    Tile here = tile;
    here.first.push_back(channel);
    here.mask = mask;
    return emitTile(here);
  };
  if (failed(forLoop(ix.constant(0), whole, tile.lanes,
                     [&](Value channel) { return at(channel, nullptr); })))
    return failure();
  // At most one vector more.
  return forLoop(whole, channels, tile.lanes, [&](Value channel) {
    Index left = ix.sub(channels, Index(channel));
    return at(channel, firstLanes(b, loc, ix.value(left), tile.lanes));
  });
}

LogicalResult DepthwiseEmitter::emitTile(const Tile &tile) {
  Value channel = tile.first.back();
  Value initial = initialSum(emission, op.getBias(), channel, accumulator,
                             tile.lanes, tile.mask);
  if (!initial)
    return failure();
  Index at = ix.add(ix.mul(Index(tile.first[0]), values.stride(input, 0)),
                    ix.mul(Index(channel), values.stride(input, spatial + 1)));
  for (int64_t i = 0; i < spatial; ++i)
    at = strided(at, i, Index(tile.first[1 + i]));
  Sums sums(tile.rows * tile.columns, initial);
  sums = foldPositions(0, tile, at, Index(channel), sums);
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t column = 0; column < tile.columns; ++column) {
      SmallVector<Value> indices(tile.first);
      if (row)
        indices[spatial - 1] =
            ix.value(ix.add(Index(indices[spatial - 1]), ix.constant(row)));
      indices[spatial] =
          ix.value(ix.add(Index(indices[spatial]), ix.constant(column)));
      if (failed(storeSum(emission, op.getResult(), indices,
                          sums[row * tile.columns + column], tile.lanes,
                          tile.mask)))
        return failure();
    }
  return success();
}

/// Walks the filter's dimensions but the last; `input` and `filter` are the
/// offsets of the position that has been reached, of the tile's first element.
Sums DepthwiseEmitter::foldPositions(size_t dim, const Tile &tile, Index input,
                                     Index filter, Sums sums) {
  const bool last = int64_t(dim) + 1 == spatial;
  const int64_t size = filterSize(dim);
  Index step = ix.mul(inputStride(dim), ix.constant(op.getDilations()[dim]));
  if (last && size <= kMostUnrolled)
    return foldFilterRow(tile, input, filter, sums);
  auto visit = [&](Index position, Sums before) -> Sums {
    Index in = ix.add(input, ix.mul(position, step));
    Index weight = ix.add(filter, ix.mul(position, filterStride(dim)));
    if (!last)
      return foldPositions(dim + 1, tile, in, weight, before);
    // Positions one by one: all of the tile's elements need this weight.
    Value w = load(flatFilter, weight, tile);
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t column = 0; column < tile.columns; ++column) {
        Index at = row ? strided(in, spatial - 2, ix.constant(row)) : in;
        at = strided(at, spatial - 1, ix.constant(column));
        Value &sum = before[row * tile.columns + column];
        sum = multiplyAdd(b, loc, load(flatInput, at, tile), w, sum);
      }
    return before;
  };
  if (!last && size <= kMostUnrolled) {
    for (int64_t position = 0; position < size; ++position)
      sums = visit(ix.constant(position), sums);
    return sums;
  }
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, ix.value(ix.constant(0)),
                                   ix.value(ix.constant(size)),
                                   ix.value(ix.constant(1)), sums);
  b.setInsertionPointToStart(loop.getBody());
  Sums inner =
      visit(Index(loop.getInductionVar()), Sums(loop.getRegionIterArgs()));
  b.create<scf::YieldOp>(loc, inner);
  return Sums(loop.getResults());
}

/// The last dimension of the filter, written out: an element of the input is
/// loaded once for all columns of the tile that it meets.
Sums DepthwiseEmitter::foldFilterRow(const Tile &tile, Index input,
                                     Index filter, Sums sums) {
  const int64_t dim = spatial - 1, size = filterSize(dim);
  const int64_t stride = op.getStrides()[dim],
                dilation = op.getDilations()[dim];
  Sums weights;
  for (int64_t position = 0; position < size; ++position)
    weights.push_back(
        load(flatFilter,
             ix.add(filter, ix.mul(ix.constant(position), filterStride(dim))),
             tile));
  // Which columns meet an input element by which weight.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> meetings;
  for (int64_t column = 0; column < tile.columns; ++column)
    for (int64_t position = 0; position < size; ++position)
      meetings[column * stride + position * dilation].push_back(
          {column, position});
  for (int64_t row = 0; row < tile.rows; ++row) {
    Index start = row ? strided(input, dim - 1, ix.constant(row)) : input;
    for (const auto &[offset, pairs] : meetings) {
      Value x = load(
          flatInput,
          ix.add(start, ix.mul(ix.constant(offset), inputStride(dim))), tile);
      for (auto [column, position] : pairs) {
        Value &sum = sums[row * tile.columns + column];
        sum = multiplyAdd(b, loc, x, weights[position], sum);
      }
    }
  }
  return sums;
}

Value DepthwiseEmitter::load(Value buffer, Index at, const Tile &tile) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value value = loadElements(b, loc, buffer, ix.value(at), element, tile.lanes,
                             tile.mask);
  return widenOperand(b, loc, value, accumulator, /*isUnsigned=*/false);
}

} // namespace

ParallelRange getDepthwiseRange(amp::ConvOp op, KernelValues &values) {
  IndexBuilder ix(values.site(), op.getLoc());
  SmallVector<Index> sizes = values.outDims(0);
  double cost = tileOf(op, values).rows;
  for (Index size : ArrayRef(sizes).take_back(2))
    cost *= guessedSize(size);
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  for (int64_t size : filter.getShape().drop_back(2))
    cost *= size;
  // In vectors.
  return {ix.value(ix.product(parallelSizes(op, values))), grainFor(cost / 4)};
}

SmallVector<amp::ScheduleAttr> getDepthwiseSchedules(amp::ConvOp op,
                                                     KernelValues &values,
                                                     const CpuTarget &target) {
  SmallVector<amp::ScheduleAttr> schedules;
  auto add = [&](int64_t rows, int64_t columns) {
    auto schedule = amp::ScheduleAttr::get(
        op.getContext(), {{"tile_rows", rows}, {"tile_columns", columns}});
    if (!llvm::is_contained(schedules, schedule) &&
        TileShape(op, schedule).problem(op, target).empty())
      schedules.push_back(schedule);
  };
  TileShape first(op, nullptr);
  add(first.rows, first.columns);
  for (auto [rows, columns] :
       std::initializer_list<std::pair<int, int>>{{2, 2},
                                                  {4, 2},
                                                  {1, 4},
                                                  {1, 8},
                                                  {3, 4},
                                                  {2, 6},
                                                  {4, 4},
                                                  {1, 7},
                                                  {3, 3},
                                                  {2, 7},
                                                  {3, 7},
                                                  {2, 8},
                                                  {4, 6},
                                                  {3, 8},
                                                  {1, 2},
                                                  {4, 1},
                                                  {1, 14},
                                                  {1, 12}})
    add(rows, columns);
  return schedules;
}

LogicalResult emitDepthwise(amp::ConvOp op, KernelEmission &emission) {
  DepthwiseEmitter emitter(op, emission);
  if (failed(emitter.verifySchedule()))
    return failure();
  return emitter.emit();
}

} // namespace ampc::cpu
