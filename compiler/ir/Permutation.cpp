//===- Permutation.cpp - Ops on tensors in another order of dimensions ----===//
//
// PermutableOpInterface of amp's ops, and its free functions, which also serve
// ops whose operands and results all have one shape.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/OpUtils.h"
#include "compiler/ir/ReshapeRuns.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace amp;

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

RankedTensorType amp::permuted(Type type, ArrayRef<int64_t> permutation) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(applyPermutation(tensor.getShape(), permutation));
}

bool amp::movesNothing(RankedTensorType type, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> moving(permutation);
  llvm::erase_if(moving,
                 [&](int64_t dim) { return type.getDimSize(dim) == 1; });
  return llvm::is_sorted(moving);
}

/// Where dimension `dim` stands.
static int64_t positionOf(ArrayRef<int64_t> permutation, int64_t dim) {
  return llvm::find(permutation, dim) - permutation.begin();
}

/// N...C of a tensor that is NC....
static Permutation channelsLast(int64_t rank) {
  Permutation result{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    result.push_back(dim);
  result.push_back(1);
  return result;
}

/// Gives `value` the permutation `wanted` unless it has another.
static LogicalResult unify(Permutation &value, ArrayRef<int64_t> wanted) {
  if (value.empty())
    value.assign(wanted.begin(), wanted.end());
  return success(ArrayRef<int64_t>(value) == wanted);
}

LogicalResult amp::spreadOnePermutation(Operation *op, Permutations &operands,
                                        Permutations &results) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  auto takesPart = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == rank;
  };
  Permutation shared;
  for (Permutation &result : results)
    if (!result.empty())
      shared = result;
  for (auto [value, permutation] : llvm::zip(op->getOperands(), operands))
    if (takesPart(value) && !permutation.empty())
      shared = permutation;
  if (shared.empty())
    return failure();
  for (Permutation &result : results)
    if (failed(unify(result, shared)))
      return failure();
  for (auto [value, permutation] : llvm::zip(op->getOperands(), operands))
    if (takesPart(value) && failed(unify(permutation, shared)))
      return failure();
  return success();
}

/// The op on other operands, its result's type in another order.
static Operation *cloneWith(OpBuilder &builder, Operation *op,
                            ValueRange values, const Permutations &results) {
  IRMapping map;
  Operation *clone = builder.clone(*op, map);
  clone->setOperands(values);
  for (auto [result, permutation] : llvm::zip(clone->getResults(), results))
    result.setType(permuted(result.getType(), permutation));
  return clone;
}

/// The sizes that an op gives for its result's dynamic dimensions, reordered.
template <typename Op>
static SmallVector<Value> reorderDims(OpBuilder &builder, Op op,
                                      ArrayRef<int64_t> permutation) {
  RankedTensorType type = typeOf(op.getResult());
  auto sizes = getMixedValues(type.getShape(), op.getDims(), builder);
  return dynamicDims(builder, op.getLoc(), permuted(type, permutation),
                     applyPermutation(sizes, permutation));
}

LogicalResult amp::spreadPermutations(Operation *op, Permutations &operands,
                                      Permutations &results) {
  if (auto permutable = dyn_cast<PermutableOpInterface>(op))
    return permutable.spread(operands, results);
  bool oneShape =
      isElemental(op) && (OpTrait::hasElementwiseMappableTraits(op) ||
                          op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
                          op->hasTrait<OpTrait::SameOperandsAndResultType>());
  return oneShape ? spreadOnePermutation(op, operands, results) : failure();
}

SmallVector<Value> amp::clonePermuted(OpBuilder &builder, Operation *op,
                                      ValueRange values,
                                      const Permutations &operands,
                                      const Permutations &results) {
  if (auto permutable = dyn_cast<PermutableOpInterface>(op))
    return permutable.createPermuted(builder, values, operands, results);
  return cloneWith(builder, op, values, results)->getResults();
}

//===----------------------------------------------------------------------===//
// Pointwise ops and movements
//===----------------------------------------------------------------------===//

/// Missing dimensions of the operand are leading ones. It can follow the result
/// where these stay in front; else it is taken as it is.
LogicalResult BroadcastOp::spread(Permutations &operands,
                                  Permutations &results) {
  int64_t rank = typeOf(getSource()).getRank(),
          missing = typeOf(getResult()).getRank() - rank;
  Permutation &source = operands[0], &result = results[0];
  if (result.empty()) {
    if (source.empty())
      return failure();
    for (int64_t dim = 0; dim < missing; ++dim)
      result.push_back(dim);
    for (int64_t from : source)
      result.push_back(from + missing);
    return success();
  }
  Permutation wanted;
  for (int64_t from : ArrayRef(result).drop_front(missing))
    wanted.push_back(from - missing);
  if (llvm::any_of(wanted, [](int64_t from) { return from < 0; }))
    return success(source.empty());
  return unify(source, wanted);
}

SmallVector<Value> BroadcastOp::createPermuted(OpBuilder &builder,
                                               ValueRange values,
                                               const Permutations &operands,
                                               const Permutations &results) {
  Location loc = getLoc();
  Value source = values[0];
  Permutation order = operands[0];
  RankedTensorType type = typeOf(source), result = typeOf(getResult());
  int64_t missing = result.getRank() - type.getRank();
  bool full = type.getRank() && order.empty();
  if (full) {
    // All dimensions, so that they can be brought into any order.
    SmallVector<OpFoldResult> sizes(missing, builder.getIndexAttr(1));
    llvm::append_range(sizes, dimsOf(builder, loc, source));
    SmallVector<int64_t> shape(missing, 1);
    llvm::append_range(shape, type.getShape());
    auto grown = type.clone(shape);
    source = builder.create<ReshapeOp>(loc, grown, source,
                                       dynamicDims(builder, loc, grown, sizes));
    source = builder.create<TransposeOp>(loc, permuted(grown, results[0]),
                                         source, results[0]);
  }
  SmallVector<int64_t> maybeOne;
  for (int64_t dim : getMaybeOne())
    maybeOne.push_back(full ? positionOf(results[0], dim + missing)
                            : positionOf(order, dim));
  return {builder.create<BroadcastOp>(loc, permuted(result, results[0]), source,
                                      reorderDims(builder, *this, results[0]),
                                      builder.getDenseI64ArrayAttr(maybeOne))};
}

LogicalResult SplatOp::spread(Permutations &, Permutations &results) {
  return success(!results[0].empty());
}

SmallVector<Value> SplatOp::createPermuted(OpBuilder &builder,
                                           ValueRange values,
                                           const Permutations &,
                                           const Permutations &results) {
  return {builder.create<SplatOp>(
      getLoc(), permuted(getResult().getType(), results[0]), values[0],
      reorderDims(builder, *this, results[0]))};
}

/// A transpose makes any order of its result from any of its operand; an order
/// that is not given is the own one.
LogicalResult TransposeOp::spread(Permutations &operands,
                                  Permutations &results) {
  Permutation own =
      llvm::to_vector(llvm::seq<int64_t>(getPermutation().size()));
  for (Permutation *order : {&operands[0], &results[0]})
    if (order->empty())
      *order = own;
  return success();
}

SmallVector<Value> TransposeOp::createPermuted(OpBuilder &builder,
                                               ValueRange values,
                                               const Permutations &operands,
                                               const Permutations &results) {
  return {builder.createOrFold<TransposeOp>(
      getLoc(), permuted(getResult().getType(), results[0]), values[0],
      applyPermutation(invertPermutationVector(operands[0]),
                       applyPermutation(getPermutation(), results[0])))};
}

SmallVector<Value> SliceOp::createPermuted(OpBuilder &builder,
                                           ValueRange values,
                                           const Permutations &,
                                           const Permutations &results) {
  const Permutation &order = results[0];
  return {builder.create<SliceOp>(
      getLoc(), permuted(getResult().getType(), order), values[0],
      applyPermutation(getMixedStarts(), order),
      applyPermutation(getMixedSteps(), order),
      reorderDims(builder, *this, order))};
}

SmallVector<Value> PadOp::createPermuted(OpBuilder &builder, ValueRange values,
                                         const Permutations &,
                                         const Permutations &results) {
  const Permutation &order = results[0];
  SmallVector<Value> low;
  SmallVector<int64_t> staticLow;
  dispatchIndexOpFoldResults(applyPermutation(getMixedLow(), order), low,
                             staticLow);
  return {builder.create<PadOp>(
      getLoc(), permuted(getResult().getType(), order), values[0], values[1],
      low, reorderDims(builder, *this, order), staticLow,
      applyPermutation(getInterior(), order), getMode(), getGrows())};
}

SmallVector<Value> ConcatOp::createPermuted(OpBuilder &builder,
                                            ValueRange values,
                                            const Permutations &,
                                            const Permutations &results) {
  auto concat = cast<ConcatOp>(cloneWith(builder, *this, values, results));
  concat.setAxis(positionOf(results[0], getAxis()));
  return {concat};
}

SmallVector<Value> TileOp::createPermuted(OpBuilder &builder, ValueRange values,
                                          const Permutations &,
                                          const Permutations &results) {
  return {builder.create<TileOp>(
      getLoc(), permuted(getResult().getType(), results[0]), values[0],
      reorderDims(builder, *this, results[0]))};
}

/// Sums run over `axes` as they are listed, which stays.
SmallVector<Value> ResizeOp::createPermuted(OpBuilder &builder,
                                            ValueRange values,
                                            const Permutations &,
                                            const Permutations &results) {
  SmallVector<int64_t> axes;
  for (int64_t axis : getAxes())
    axes.push_back(positionOf(results[0], axis));
  auto resize = cast<ResizeOp>(cloneWith(builder, *this, values, results));
  resize.setAxes(axes);
  resize.getDimsMutable().assign(reorderDims(builder, *this, results[0]));
  return {resize};
}

//===----------------------------------------------------------------------===//
// Reductions and windows
//===----------------------------------------------------------------------===//

/// Sums run over the reduced dimensions in row-major order, so these must keep
/// theirs.
LogicalResult ReduceOp::spread(Permutations &operands, Permutations &results) {
  auto isReduced = [&](int64_t dim) {
    return llvm::is_contained(getAxes(), dim);
  };
  int64_t rank = typeOf(getSource()).getRank();
  SmallVector<int64_t> kept, ascending(getAxes());
  llvm::sort(ascending);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!isReduced(dim))
      kept.push_back(dim);
  Permutation &source = operands[0];
  if (source.empty()) {
    if (results[0].empty())
      return failure();
    size_t next = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      source.push_back(isReduced(dim) ? dim : kept[results[0][next++]]);
  }
  SmallVector<int64_t> reduced, order;
  for (int64_t dim : source)
    if (isReduced(dim))
      reduced.push_back(dim);
    else
      order.push_back(positionOf(kept, dim));
  return success(reduced == ascending &&
                 (order.empty() || succeeded(unify(results[0], order))));
}

SmallVector<Value> ReduceOp::createPermuted(OpBuilder &builder,
                                            ValueRange values,
                                            const Permutations &operands,
                                            const Permutations &results) {
  SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(operands[0]))
    if (llvm::is_contained(getAxes(), dim))
      axes.push_back(i);
  auto reduce = cast<ReduceOp>(cloneWith(builder, *this, values, results));
  reduce.setAxes(axes);
  return {reduce};
}

SmallVector<Value> SoftmaxOp::createPermuted(OpBuilder &builder,
                                             ValueRange values,
                                             const Permutations &,
                                             const Permutations &results) {
  auto softmax = cast<SoftmaxOp>(cloneWith(builder, *this, values, results));
  softmax.setAxis(positionOf(results[0], getAxis()));
  return {softmax};
}

LogicalResult PoolOp::spread(Permutations &operands, Permutations &results) {
  if (getChannelsLast())
    return failure();
  Permutation order = channelsLast(typeOf(getSource()).getRank());
  return success(succeeded(unify(operands[0], order)) &&
                 succeeded(unify(results[0], order)));
}

SmallVector<Value> PoolOp::createPermuted(OpBuilder &builder, ValueRange values,
                                          const Permutations &,
                                          const Permutations &results) {
  auto pool = cast<PoolOp>(cloneWith(builder, *this, values, results));
  pool.setChannelsLast(true);
  return {pool};
}

Permutations PoolOp::getPreferredOrder() {
  if (getChannelsLast())
    return {};
  return {channelsLast(typeOf(getSource()).getRank())};
}

/// Vectors along channels need no care at the borders of an image.
double PoolOp::getOrderGain(DimFn dimOf) { return 0.1 * getFlops(dimOf); }

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Heads before positions, or after them: one order for all but the mask.
LogicalResult AttentionOp::spread(Permutations &operands,
                                  Permutations &results) {
  if (getHeadsInner())
    return failure();
  Permutation order{0, 2, 1, 3};
  for (Permutation &operand : MutableArrayRef(operands).take_front(3))
    if (failed(unify(operand, order)))
      return failure();
  return unify(results[0], order);
}

SmallVector<Value> AttentionOp::createPermuted(OpBuilder &builder,
                                               ValueRange values,
                                               const Permutations &,
                                               const Permutations &results) {
  auto attention =
      cast<AttentionOp>(cloneWith(builder, *this, values, results));
  attention.setHeadsInner(true);
  return {attention};
}

/// Products with weights give heads side by side.
Permutations AttentionOp::getPreferredOrder() {
  if (getHeadsInner())
    return {};
  return {{0, 2, 1, 3}};
}

/// Next to none: kernels are as fast either way. Enough to let transposes
/// dissolve, not to add one.
double AttentionOp::getOrderGain(DimFn) { return 1; }

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

LogicalResult ConvOp::spread(Permutations &operands, Permutations &results) {
  RankedTensorType filter = typeOf(getFilter());
  // Channels become columns, whose number is known at compile time.
  if (getChannelsLast() || filter.isDynamicDim(0) || filter.isDynamicDim(1))
    return failure();
  Permutation order = channelsLast(filter.getRank()), filterOrder;
  for (int64_t dim = 2; dim < filter.getRank(); ++dim)
    filterOrder.push_back(dim);
  filterOrder.append({1, 0});
  return success(succeeded(unify(operands[0], order)) &&
                 succeeded(unify(operands[1], filterOrder)) &&
                 succeeded(unify(results[0], order)));
}

SmallVector<Value> ConvOp::createPermuted(OpBuilder &builder, ValueRange values,
                                          const Permutations &,
                                          const Permutations &results) {
  auto conv = cast<ConvOp>(cloneWith(builder, *this, values, results));
  conv.setChannelsLast(true);
  return {conv};
}

Permutations ConvOp::getPreferredOrder() {
  if (getChannelsLast())
    return {};
  return {channelsLast(typeOf(getInput()).getRank())};
}

/// With channels last, the input is read where it lies and the filter has been
/// packed; but channels fill vectors of 8 where else pixels do.
double ConvOp::getOrderGain(DimFn dimOf) {
  constexpr double nsPerFlop = 1.0 / 80;
  double flops = getFlops(dimOf);
  if (flops < 0)
    return 0;
  if (isDepthwise())
    return flops * 4 * nsPerFlop;
  double columns = double(getOutChannels()) / getGroups();
  double filled = llvm::alignTo(uint64_t(columns), 8);
  return flops * nsPerFlop * (1.5 - filled / columns);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::spread(Permutations &operands, Permutations &results) {
  ReshapeRuns runs(*this);
  if (!operands[0].empty()) {
    Permutation wanted = runs.carry(operands[0], 1);
    return success(!wanted.empty() && succeeded(unify(results[0], wanted)));
  }
  if (results[0].empty())
    return failure();
  operands[0] = runs.carry(results[0], 0);
  return success(!operands[0].empty());
}

SmallVector<Value> ReshapeOp::createPermuted(OpBuilder &builder,
                                             ValueRange values,
                                             const Permutations &,
                                             const Permutations &results) {
  return {builder.create<ReshapeOp>(
      getLoc(), permuted(getResult().getType(), results[0]), values[0],
      reorderDims(builder, *this, results[0]))};
}
