//===- MovementOps.cpp - Ops that move elements ---------------------------===//

#include "compiler/ir/Amp.h"
#include "compiler/ir/Conversions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace amp;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

template <typename Op>
LogicalResult reifyDims(Op op, OpBuilder &builder,
                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getMixedValues(typeOf(op.getResult()).getShape(), op.getDims(), builder));
  return success();
}

template <typename Op> LogicalResult verifyDims(Op op) {
  int64_t dynamic = typeOf(op.getResult()).getNumDynamicDims();
  if (int64_t(op.getDims().size()) != dynamic)
    return op.emitOpError("has ") << op.getDims().size() << " sizes for "
                                  << dynamic << " dynamic dimensions";
  return success();
}

/// Verifies what all ops that keep rank and element type share.
template <typename Op> LogicalResult verifySameRank(Op op) {
  RankedTensorType source = typeOf(op.getSource()),
                   result = typeOf(op.getResult());
  if (source.getRank() != result.getRank())
    return op.emitOpError("has an operand of rank ")
           << source.getRank() << " and a result of rank " << result.getRank();
  if (source.getElementType() != result.getElementType())
    return op.emitOpError("may not change the element type");
  return success();
}

/// Arithmetic on index values that folds constants.
struct Indices {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  Value get(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, loc, size);
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value sub(Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  }
  Value mul(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  }
  Value min(Value x, Value y) {
    return b.createOrFold<arith::MinSIOp>(loc, x, y);
  }
  Value max(Value x, Value y) {
    return b.createOrFold<arith::MaxSIOp>(loc, x, y);
  }
  Value div(Value x, int64_t y) {
    return y == 1 ? x : b.createOrFold<arith::DivSIOp>(loc, x, constant(y));
  }
  Value rem(Value x, Value y) {
    return b.createOrFold<arith::RemSIOp>(loc, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(loc, c, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  /// `x` into [0, size), size of at least 1 assumed.
  Value clamp(Value x, Value size) {
    return max(min(x, sub(size, constant(1))), constant(0));
  }
};

/// A scalar operand as one index, however many lanes are asked for.
Value readIndex(OpBuilder &builder, ElementAccess &access, Value operand) {
  Value value = access.readScalar(operand);
  if (isa<VectorType>(value.getType()))
    value = builder.createOrFold<vector::ExtractOp>(value.getLoc(), value, 0);
  return value;
}

} // namespace

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  RankedTensorType type = typeOf(getResult());
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= type.getRank())
    return emitOpError("counts along dimension ")
           << dimension << " of a tensor of rank " << type.getRank();
  if (!type.getElementType().isIntOrIndexOrFloat() ||
      type.getElementType().isInteger(1))
    return emitOpError("cannot count in ") << type.getElementType();
  return verifyDims(*this);
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value IotaOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  Location loc = getLoc();
  Type element = typeOf(getResult()).getElementType();
  Value index = indices[getDimension()];
  Type i64 = builder.getI64Type();
  index = builder.create<arith::IndexCastOp>(loc, i64, index);
  if (access.lanes() > 1) {
    index = builder.create<vector::SplatOp>(loc, access.laned(i64), index);
    if (int64_t(getDimension()) == int64_t(indices.size()) - 1) {
      SmallVector<int64_t> steps;
      for (int64_t i = 0; i < access.lanes(); ++i)
        steps.push_back(i);
      Value lane = builder.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(cast<VectorType>(access.laned(i64)),
                                      ArrayRef<int64_t>(steps)));
      index = builder.create<arith::AddIOp>(loc, index, lane);
    }
  }
  return convertElement(builder, loc, index, element, false, false);
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  if (failed(verifySameRank(*this)))
    return failure();
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  SmallVector<int64_t> seen(getPermutation());
  llvm::sort(seen);
  if (!llvm::equal(seen, llvm::seq<int64_t>(source.getRank())))
    return emitOpError("needs a permutation of the dimensions");
  for (auto [i, from] : llvm::enumerate(getPermutation()))
    if (differ(result.getDimSize(i), source.getDimSize(from)))
      return emitOpError("has ") << result.getDimSize(i) << " as size of result "
                                 << "dimension " << i << " instead of "
                                 << source.getDimSize(from);
  return success();
}

LogicalResult
TransposeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto sizes = dimsOf(builder, getLoc(), getSource());
  SmallVector<OpFoldResult> permuted;
  for (int64_t from : getPermutation())
    permuted.push_back(sizes[from]);
  shapes.push_back(permuted);
  return success();
}

Value TransposeOp::emitElement(OpBuilder &, ElementAccess &access, unsigned,
                               ArrayRef<Value> indices) {
  SmallVector<Value> mapped(indices.size());
  for (auto [i, from] : llvm::enumerate(getPermutation()))
    mapped[from] = indices[i];
  return access.read(getSource(), mapped);
}

bool TransposeOp::keepsInnermost() {
  return getPermutation().empty() ||
         getPermutation().back() == int64_t(getPermutation().size()) - 1;
}

bool TransposeOp::mergeDims(int64_t dim, SmallVectorImpl<int64_t> &operands) {
  operands.assign(1, getPermutation()[dim]);
  return getPermutation()[dim] + 1 == getPermutation()[dim + 1];
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType() &&
      llvm::equal(getPermutation(),
                  llvm::seq<int64_t>(getPermutation().size())))
    return getSource();
  // The inverse of what computed the operand.
  if (auto inner = getSource().getDefiningOp<TransposeOp>())
    if (inner.getSource().getType() == getResult().getType() &&
        llvm::all_of(llvm::enumerate(getPermutation()), [&](auto pair) {
          return inner.getPermutation()[pair.value()] == int64_t(pair.index());
        }))
      return inner.getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state,
                    RankedTensorType type, Value source,
                    ArrayRef<OpFoldResult> starts, ArrayRef<OpFoldResult> steps,
                    ValueRange dims) {
  SmallVector<Value> dynamicStarts, dynamicSteps;
  SmallVector<int64_t> staticStarts, staticSteps;
  dispatchIndexOpFoldResults(starts, dynamicStarts, staticStarts);
  dispatchIndexOpFoldResults(steps, dynamicSteps, staticSteps);
  build(builder, state, type, source, dynamicStarts, dynamicSteps, dims,
        staticStarts, staticSteps);
}

SmallVector<OpFoldResult> SliceOp::getMixedStarts() {
  Builder builder(getContext());
  return getMixedValues(getStaticStarts(), getStarts(), builder);
}

SmallVector<OpFoldResult> SliceOp::getMixedSteps() {
  Builder builder(getContext());
  return getMixedValues(getStaticSteps(), getSteps(), builder);
}

static int64_t countDynamic(ArrayRef<int64_t> values) {
  return llvm::count_if(values, ShapedType::isDynamic);
}

LogicalResult SliceOp::verify() {
  if (failed(verifySameRank(*this)))
    return failure();
  size_t rank = typeOf(getSource()).getRank();
  if (getStaticStarts().size() != rank || getStaticSteps().size() != rank)
    return emitOpError("needs one start and step a dimension");
  if (countDynamic(getStaticStarts()) != int64_t(getStarts().size()) ||
      countDynamic(getStaticSteps()) != int64_t(getSteps().size()))
    return emitOpError("needs an operand for each dynamic start and step");
  if (llvm::is_contained(getStaticSteps(), 0))
    return emitOpError("has a step of zero");
  return verifyDims(*this);
}

LogicalResult SliceOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value SliceOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                           ArrayRef<Value> indices) {
  Indices ix{builder, getLoc()};
  SmallVector<Value> mapped;
  auto scalar = [&](OpFoldResult value) {
    return isa<Value>(value) ? readIndex(builder, access, cast<Value>(value))
                             : ix.get(value);
  };
  for (auto [index, start, step] :
       llvm::zip(indices, getMixedStarts(), getMixedSteps()))
    mapped.push_back(ix.add(scalar(start), ix.mul(index, scalar(step))));
  return access.read(getSource(), mapped);
}

bool SliceOp::keepsInnermost() {
  return getStaticSteps().empty() || getStaticSteps().back() == 1;
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  RankedTensorType type = typeOf(getResult());
  auto is = [](int64_t constant) {
    return [=](int64_t value) { return value == constant; };
  };
  if (getSource().getType() == type && type.hasStaticShape() &&
      llvm::all_of(getStaticStarts(), is(0)) &&
      llvm::all_of(getStaticSteps(), is(1)))
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> PadOp::getMixedLow() {
  Builder builder(getContext());
  return getMixedValues(getStaticLow(), getLow(), builder);
}

LogicalResult PadOp::verify() {
  if (failed(verifySameRank(*this)))
    return failure();
  size_t rank = typeOf(getSource()).getRank();
  if (getStaticLow().size() != rank || getInterior().size() != rank)
    return emitOpError("needs one low and interior size a dimension");
  if (countDynamic(getStaticLow()) != int64_t(getLow().size()))
    return emitOpError("needs an operand for each dynamic low size");
  if (getValue().getType() != typeOf(getResult()).getElementType())
    return emitOpError("pads a tensor of ")
           << typeOf(getResult()).getElementType() << " with a "
           << getValue().getType();
  bool spread = llvm::any_of(getInterior(), [](int64_t i) { return i != 0; });
  if (llvm::any_of(getInterior(), [](int64_t i) { return i < 0; }))
    return emitOpError("has a negative interior size");
  if (spread && getMode() != PadMode::Constant)
    return emitOpError("may only spread elements in constant mode");
  return verifyDims(*this);
}

LogicalResult PadOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

/// The index of the element that `edge`, `reflect` or `wrap` names, from an index
/// that may lie outside of [0, size).
static Value mirrored(Indices &ix, PadMode mode, Value index, Value size) {
  Value zero = ix.constant(0), one = ix.constant(1);
  switch (mode) {
  case PadMode::Edge:
    return ix.clamp(index, size);
  case PadMode::Wrap: {
    Value rest = ix.rem(index, ix.max(size, one));
    Value negative = ix.compare(arith::CmpIPredicate::slt, rest, zero);
    return ix.select(negative, ix.add(rest, size), rest);
  }
  case PadMode::Reflect: {
    // Period 2 (size - 1); a single element reflects to itself.
    Value last = ix.sub(size, one);
    Value period = ix.max(ix.mul(last, ix.constant(2)), one);
    Value rest = ix.rem(index, period);
    Value negative = ix.compare(arith::CmpIPredicate::slt, rest, zero);
    rest = ix.select(negative, ix.add(rest, period), rest);
    Value back = ix.compare(arith::CmpIPredicate::sgt, rest, last);
    return ix.clamp(ix.select(back, ix.sub(period, rest), rest), size);
  }
  case PadMode::Constant:
    break;
  }
  llvm_unreachable("constant pads have no mirrored index");
}

Value PadOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                         ArrayRef<Value> indices) {
  Indices ix{builder, getLoc()};
  SmallVector<Value> mapped;
  Value inside;
  auto require = [&](Value condition) {
    inside = inside ? builder.createOrFold<arith::AndIOp>(getLoc(), inside,
                                                          condition)
                    : condition;
  };
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  for (auto [i, index, low, interior] :
       llvm::enumerate(indices, getMixedLow(), getInterior())) {
    // A dimension that nothing is added to.
    bool whole = getConstantIntValue(low) == 0 && interior == 0 &&
                 !source.isDynamicDim(i) &&
                 source.getDimSize(i) == result.getDimSize(i);
    if (whole) {
      mapped.push_back(index);
      continue;
    }
    Value start = isa<Value>(low) ? readIndex(builder, access, cast<Value>(low))
                                  : ix.get(low);
    Value at = ix.sub(index, start), size = access.dim(getSource(), i);
    if (getMode() != PadMode::Constant) {
      mapped.push_back(mirrored(ix, getMode(), at, size));
      continue;
    }
    Value zero = ix.constant(0);
    if (interior) {
      Value step = ix.constant(interior + 1);
      require(ix.compare(arith::CmpIPredicate::eq, ix.rem(at, step), zero));
      require(ix.compare(arith::CmpIPredicate::sge, at, zero));
      at = ix.div(at, interior + 1);
    }
    // Unsigned: what is below zero is above every size.
    require(ix.compare(arith::CmpIPredicate::ult, at, size));
    mapped.push_back(at);
  }
  if (!inside)
    return access.read(getSource(), mapped);
  // Out of bounds the first element is read instead, which every buffer has room
  // for, even an empty one (runtime/abi.h).
  Value zero = ix.constant(0);
  for (Value &index : mapped)
    index = ix.select(inside, index, zero);
  Value element = access.read(getSource(), mapped);
  Value padding = access.readScalar(getValue());
  return builder.create<arith::SelectOp>(getLoc(), inside, element, padding);
}

bool PadOp::keepsInnermost() {
  if (getStaticLow().empty())
    return true;
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  int64_t last = source.getRank() - 1;
  return getStaticLow().back() == 0 && getInterior().back() == 0 &&
         !source.isDynamicDim(last) &&
         source.getDimSize(last) == result.getDimSize(last);
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  RankedTensorType type = typeOf(getResult());
  auto none = [](int64_t value) { return value == 0; };
  if (getSource().getType() == type && type.hasStaticShape() &&
      llvm::all_of(getStaticLow(), none) && llvm::all_of(getInterior(), none))
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// ConcatOp, TileOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  RankedTensorType result = typeOf(getResult());
  int64_t axis = getAxis(), total = 0;
  if (getSources().empty())
    return emitOpError("needs an operand");
  if (axis < 0 || axis >= result.getRank())
    return emitOpError("has axis ") << axis << ", which is outside of [0, "
                                    << result.getRank() << ")";
  for (Value source : getSources()) {
    RankedTensorType type = typeOf(source);
    if (type.getRank() != result.getRank() ||
        type.getElementType() != result.getElementType())
      return emitOpError("joins ") << type << " into " << result;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i != axis && differ(type.getDimSize(i), result.getDimSize(i)))
        return emitOpError("joins operands that differ in dimension ") << i;
    int64_t size = type.getDimSize(axis);
    total = ShapedType::isDynamic(size) || total < 0 ? -1 : total + size;
  }
  if (total >= 0 && differ(total, result.getDimSize(axis)))
    return emitOpError("joins ") << total << " elements into "
                                 << result.getDimSize(axis);
  return success();
}

LogicalResult
ConcatOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &shapes) {
  Indices ix{builder, getLoc()};
  auto sizes = dimsOf(builder, getLoc(), getSources().front());
  Value total = ix.get(sizes[getAxis()]);
  for (Value source : getSources().drop_front())
    total = ix.add(total, ix.get(dimOf(builder, getLoc(), source, getAxis())));
  sizes[getAxis()] = getAsOpFoldResult(total);
  shapes.push_back(sizes);
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getSources().size() == 1 &&
      getSources().front().getType() == getResult().getType())
    return getSources().front();
  return {};
}

LogicalResult TileOp::verify() {
  if (failed(verifySameRank(*this)))
    return failure();
  return verifyDims(*this);
}

LogicalResult TileOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyDims(*this, builder, shapes);
}

Value TileOp::emitElement(OpBuilder &builder, ElementAccess &access, unsigned,
                          ArrayRef<Value> indices) {
  Indices ix{builder, getLoc()};
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  SmallVector<Value> mapped;
  for (auto [i, index] : llvm::enumerate(indices)) {
    bool whole = !source.isDynamicDim(i) &&
                 source.getDimSize(i) == result.getDimSize(i);
    mapped.push_back(whole ? index
                           : ix.rem(index, access.dim(getSource(), i)));
  }
  return access.read(getSource(), mapped);
}

bool TileOp::keepsInnermost() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  int64_t last = source.getRank() - 1;
  return last < 0 ||
         (!source.isDynamicDim(last) &&
          (source.getDimSize(last) == 1 ||
           source.getDimSize(last) == result.getDimSize(last)));
}
