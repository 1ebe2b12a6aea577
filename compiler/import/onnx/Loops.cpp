//===- Loops.cpp - Loops over a body that can be built again --------------===//
//
// The body is built in a draft and moves into an scf.for, or into an scf.while
// if a condition that only the run knows ends the loop. Carried tensors whose
// sizes stay the same are written back into their own memory at the end of an
// iteration. Scanned outputs are one buffer each, made before the loop where
// its size is known by then; otherwise it doubles when it is full.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/onnx/Loops.h"

#include "compiler/import/onnx/Boundary.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

namespace {

/// A scanned output while its loop is built.
struct Scanned {
  Tensor element;
  /// Sizes of an element; null where they are known inside only.
  Dims dims;
  bool grows;
  /// First of its values among the loop's.
  unsigned at;
};

class LoopBuilder {
public:
  LoopBuilder(NodeBuilder &b, const LoopSpec &spec, IterationFn body)
      : b(b), s(b.scalars), spec(spec), body(body) {}

  FailureOr<LoopResults> run();

private:
  LogicalResult buildBody();
  FailureOr<bool> attempt();
  Scalar countOf(bool goesOn);
  LogicalResult placeScanned();
  void startScanned(Scanned &scan, SmallVectorImpl<Value> &initial);
  LogicalResult storeElement(Scanned &scan, bool reversed,
                             SmallVectorImpl<Value> &yields);
  Value insert(const Tensor &element, Value buffer, Scalar at);
  Value writeBack(Value value, Value argument);
  Operation *finish(ArrayRef<Value> initial, ArrayRef<Value> yields);
  Tensor scannedResult(const Scanned &scan, ValueRange results,
                       Scalar iterations);

  Block *block() { return &draft.getRegion().front(); }
  Scalar number() { return Scalar(Value(block()->getArgument(0))); }

  NodeBuilder &b;
  ScalarBuilder &s;
  const LoopSpec &spec;
  IterationFn body;

  std::vector<Boundary> boundaries;
  scf::ExecuteRegionOp draft;
  Iteration iteration;
  /// Null if only the run tells.
  Scalar count;
  std::vector<Scanned> scanned;
};

} // namespace

/// Builds the body; false if it needs wider boundaries, which are now set.
FailureOr<bool> LoopBuilder::attempt() {
  SmallVector<Type> types{b.builder().getIndexType()};
  for (const Boundary &boundary : boundaries)
    boundary.types(b, types);
  draft = b.create<scf::ExecuteRegionOp>(TypeRange());
  {
    OpBuilder::InsertionGuard guard(b.builder());
    b.builder().createBlock(&draft.getRegion(), {}, types,
                            SmallVector<Location>(types.size(), b.loc()));
  }
  ScalarBuilder::RegionScope scope(s, block());
  ValueRange arguments = block()->getArguments().drop_front();
  SmallVector<ValueRef> carried;
  for (const Boundary &boundary : boundaries)
    carried.push_back(boundary.bind(b, arguments));
  size_t errors = b.importer.numErrors();
  auto built = body(number(), carried);
  if (failed(built) || b.importer.numErrors() > errors)
    return failure();
  iteration = *built;
  if (iteration.carried.size() != boundaries.size())
    return b.fail("has a body that gives " + Twine(iteration.carried.size()) +
                  " values for " + Twine(boundaries.size()) +
                  " that the loop carries");
  bool widened = false;
  for (auto [boundary, value] : llvm::zip(boundaries, iteration.carried))
    if (failed(boundary.widen(
            b, *value, [](Scalar, Scalar) { return Scalar(); }, widened)))
      return failure();
  return !widened;
}

LogicalResult LoopBuilder::buildBody() {
  for (const ValueRef &value : spec.initial)
    boundaries.push_back(Boundary::of(b, *value));
  // Each attempt that does not fit makes a boundary wider, so this ends. One
  // that fails is wrong: the first iteration does have these sizes.
  while (true) {
    auto fits = attempt();
    if (failed(fits))
      return failure();
    if (*fits)
      return success();
    draft.erase();
  }
}

/// The number of iterations where only trips and the first condition matter.
Scalar LoopBuilder::countOf(bool goesOn) {
  Scalar zero = s.index(0), one = s.index(1);
  Scalar trips = spec.trips ? s.max(spec.trips, zero) : one;
  if (!goesOn)
    trips = s.min(trips, one);
  if (auto first = constantInt(spec.first))
    return *first ? trips : zero;
  return s.select(spec.first, trips, zero);
}

/// Decides how each scanned output is collected.
LogicalResult LoopBuilder::placeScanned() {
  SmallVector<Tensor> elements;
  {
    ScalarBuilder::RegionScope scope(s, block());
    for (const ValueRef &value : iteration.scanned) {
      if (!value->isTensor())
        return b.fail("scans values that are no tensors, which is not "
                      "supported");
      b.importer.forms.refresh(*value);
      elements.push_back(b.importer.forms.tensor(*value, b.loc()));
    }
  }
  b.builder().setInsertionPoint(draft);
  for (const Tensor &element : elements) {
    Scanned scan{element, {}, !count, 0};
    for (Scalar size : element.dims) {
      bool known = moveBefore(b, size, draft);
      scan.dims.push_back(known ? size : Scalar());
      scan.grows |= !known;
    }
    scanned.push_back(std::move(scan));
  }
  return success();
}

/// The dimension of the iterations and those of an element.
static Dims withFront(Scalar front, const Dims &dims) {
  Dims result{front};
  result.append(dims);
  return result;
}

void LoopBuilder::startScanned(Scanned &scan, SmallVectorImpl<Value> &initial) {
  scan.at = initial.size();
  Scalar zero = s.index(0);
  Dims dims = scan.dims;
  for (Scalar &size : dims)
    if (!size)
      size = zero;
  Dims all = withFront(scan.grows ? zero : count, dims);
  // What grows has sizes that the type leaves open.
  SmallVector<int64_t> shape = staticShape(all);
  if (scan.grows) {
    shape[0] = ShapedType::kDynamic;
    for (auto [i, size] : llvm::enumerate(scan.dims))
      if (!size)
        shape[1 + i] = ShapedType::kDynamic;
  }
  auto type = RankedTensorType::get(shape, scan.element.elementType());
  SmallVector<Value> dynamic;
  for (auto [size, known] : llvm::zip(all, shape))
    if (ShapedType::isDynamic(known))
      dynamic.push_back(s.value(size));
  initial.push_back(b.create<tensor::EmptyOp>(type, dynamic));
  if (!scan.grows)
    return;
  initial.push_back(s.value(zero)); // Elements there is room for.
  for (Scalar size : scan.dims)
    if (!size)
      initial.push_back(s.value(zero));
}

/// `element` as number `at` of `buffer`.
Value LoopBuilder::insert(const Tensor &element, Value buffer, Scalar at) {
  Scalar zero = s.index(0), one = s.index(1);
  SmallVector<Scalar> offsets(element.rank() + 1, zero),
      sizes = withFront(one, element.dims), strides(element.rank() + 1, one);
  offsets[0] = at;
  return b.create<tensor::InsertSliceOp>(element.value, buffer, offsets, sizes,
                                         strides);
}

/// Stores this iteration's element; called inside the body.
LogicalResult LoopBuilder::storeElement(Scanned &scan, bool reversed,
                                        SmallVectorImpl<Value> &yields) {
  auto argument = [&](unsigned i) -> Value {
    return block()->getArgument(1 + scan.at + i);
  };
  const Tensor &element = scan.element;
  if (!scan.grows) {
    Scalar at = reversed ? s.sub(s.sub(count, s.index(1)), number()) : number();
    yields.push_back(insert(element, argument(0), at));
    return success();
  }
  if (reversed)
    return b.fail("stores from the end what has a size that is not known "
                  "before, which is not supported");
  // All elements have the sizes of the first.
  Scalar isFirst = s.compare(CmpIPredicate::eq, number(), s.index(0));
  Dims before = scan.dims;
  unsigned next = 2;
  for (auto [size, now] : llvm::zip(before, element.dims)) {
    if (size)
      continue;
    size = argument(next++);
    Scalar same = s.compare(CmpIPredicate::eq, size, now);
    if (failed(b.require(s.logicalOr(isFirst, same),
                         "scans elements whose sizes differ between "
                         "iterations")))
      return failure();
  }
  Value old = argument(0), room = argument(1);
  Scalar isFull = s.compare(CmpIPredicate::eq, number(), Scalar(room));
  Scalar wanted = s.max(s.mul(Scalar(room), s.index(2)), s.index(16));
  auto type = cast<RankedTensorType>(old.getType());
  SmallVector<Value> dynamic{s.value(wanted)};
  for (auto [size, known] :
       llvm::zip(element.dims, type.getShape().drop_front()))
    if (ShapedType::isDynamic(known))
      dynamic.push_back(s.value(size));
  SmallVector<Scalar> zeros(type.getRank(), s.index(0)),
      ones(type.getRank(), s.index(1)), sizes = withFront(Scalar(room), before);
  for (auto [size, known] : llvm::zip(sizes, type.getShape()))
    if (ShapedType::isDynamic(known))
      size = s.value(size);
  auto grown = b.builder().create<scf::IfOp>(
      b.loc(), s.value(isFull),
      [&](OpBuilder &builder, Location loc) {
        Value larger = builder.create<tensor::EmptyOp>(loc, type, dynamic);
        larger = builder.create<tensor::InsertSliceOp>(loc, old, larger, zeros,
                                                       sizes, ones);
        builder.create<scf::YieldOp>(loc, ValueRange{larger, s.value(wanted)});
      },
      [&](OpBuilder &builder, Location loc) {
        builder.create<scf::YieldOp>(loc, ValueRange{old, room});
      });
  yields.push_back(insert(element, grown.getResult(0), number()));
  yields.push_back(grown.getResult(1));
  for (auto [size, now] : llvm::zip(scan.dims, element.dims))
    if (!size)
      yields.push_back(s.value(now));
  return success();
}

/// `value`, whose sizes are those of `argument`, in the argument's memory.
Value LoopBuilder::writeBack(Value value, Value argument) {
  Value root = value;
  while (Operation *op = root.getDefiningOp()) {
    if (!isa<amp::ReshapeOp, tensor::CastOp>(op))
      break;
    root = op->getOperand(0);
  }
  // Values that trade places need memory of their own for a moment.
  if (auto other = dyn_cast<BlockArgument>(root);
      other && other.getOwner() == block()) {
    if (root == argument)
      return argument;
    return b.create<bufferization::AllocTensorOp>(
        cast<RankedTensorType>(value.getType()), ValueRange(), value);
  }
  return value;
}

/// The loop, with the draft as its body.
Operation *LoopBuilder::finish(ArrayRef<Value> initial,
                               ArrayRef<Value> yields) {
  OpBuilder &builder = b.builder();
  Location loc = b.loc();
  Value zero = s.value(s.index(0)), one = s.value(s.index(1));
  if (count) {
    {
      ScalarBuilder::RegionScope scope(s, block());
      b.create<scf::YieldOp>(yields);
    }
    auto loop = b.create<scf::ForOp>(zero, s.value(count), one, initial);
    loop.getRegion().takeBody(draft.getRegion());
    return loop;
  }
  // Carries its own number and whether to go on, too.
  SmallVector<Value> all{zero};
  all.append(initial.begin(), initial.end());
  all.push_back(s.value(spec.first));
  block()->addArgument(all.back().getType(), loc);
  {
    ScalarBuilder::RegionScope scope(s, block());
    SmallVector<Value> next{s.value(s.add(number(), s.index(1)))};
    next.append(yields.begin(), yields.end());
    next.push_back(s.value(iteration.more));
    b.create<scf::YieldOp>(next);
  }
  auto loop = b.create<scf::WhileOp>(TypeRange(ValueRange(all)), all);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *before =
        builder.createBlock(&loop.getBefore(), {}, TypeRange(ValueRange(all)),
                            SmallVector<Location>(all.size(), loc));
    ScalarBuilder::RegionScope scope(s, before);
    Scalar goesOn = Value(before->getArguments().back());
    if (spec.trips)
      goesOn = s.logicalAnd(
          goesOn, s.compare(CmpIPredicate::slt,
                            Scalar(Value(before->getArgument(0))), spec.trips));
    b.create<scf::ConditionOp>(s.value(goesOn), before->getArguments());
  }
  loop.getAfter().takeBody(draft.getRegion());
  return loop;
}

/// `results` are those that `startScanned` counts.
Tensor LoopBuilder::scannedResult(const Scanned &scan, ValueRange results,
                                  Scalar iterations) {
  Value buffer = results[scan.at];
  Dims dims = scan.dims;
  unsigned next = scan.at + 2;
  for (Scalar &size : dims)
    if (!size)
      size = Value(results[next++]);
  Scalar room = scan.grows ? Scalar(Value(results[scan.at + 1])) : iterations;
  Tensor all{buffer, scan.element.dtype, withFront(room, dims), {}};
  if (SmallVector<Value> dynamic = b.dynamic(all.dims); !dynamic.empty())
    all.value = b.create<amp::ReshapeOp>(buffer.getType(), buffer, dynamic);
  return scan.grows ? b.sliceAxis(all, 0, s.index(0), iterations) : all;
}

FailureOr<LoopResults> LoopBuilder::run() {
  if (failed(buildBody()))
    return failure();
  auto goesOn = constantInt(iteration.more);
  if (goesOn && *goesOn && !spec.trips)
    return b.fail("never ends: it has no trip count, and its condition is "
                  "always true");
  b.builder().setInsertionPoint(draft);
  if (goesOn)
    count = countOf(*goesOn);
  if (failed(placeScanned()))
    return failure();

  SmallVector<Value> initial, yields;
  for (auto [boundary, value] : llvm::zip(boundaries, spec.initial))
    boundary.flatten(b, *value, initial);
  // Upstream moves casts of what enters a loop into it, and would hold all
  // iterations to the size of the first.
  for (Value &value : initial)
    if (value.getDefiningOp<tensor::CastOp>())
      value = b.create<bufferization::AllocTensorOp>(
          cast<RankedTensorType>(value.getType()), ValueRange(), value);
  const unsigned numCarried = initial.size();
  for (Scanned &scan : scanned) {
    startScanned(scan, initial);
    for (Value value : ArrayRef(initial).drop_front(scan.at))
      block()->addArgument(value.getType(), b.loc());
  }
  {
    ScalarBuilder::RegionScope scope(s, block());
    SmallVector<bool> fixed;
    for (auto [boundary, value] : llvm::zip(boundaries, iteration.carried)) {
      boundary.flatten(b, *value, yields);
      boundary.fixedShapes(fixed);
    }
    for (auto [i, scan] : llvm::enumerate(scanned))
      if (failed(storeElement(
              scan, i < spec.reversed.size() && spec.reversed[i], yields)))
        return failure();
    // Last, when nobody reads the old values any more.
    for (unsigned i = 0; i < numCarried; ++i)
      if (fixed[i])
        yields[i] = writeBack(yields[i], block()->getArgument(1 + i));
    for (unsigned i = 0; i < numCarried; ++i)
      if (Value argument = block()->getArgument(1 + i);
          fixed[i] && yields[i] != argument)
        yields[i] = b.create<bufferization::MaterializeInDestinationOp>(
                         argument.getType(), yields[i], argument)
                        .getResult();
  }

  Operation *loop = finish(initial, yields);
  draft.erase();
  b.builder().setInsertionPointAfter(loop);
  ValueRange results = loop->getResults();
  Scalar iterations = count;
  if (!count) {
    iterations = Value(results.front());
    results = results.drop_front();
  }
  LoopResults result;
  ValueRange rest = results;
  for (const Boundary &boundary : boundaries)
    result.carried.push_back(boundary.bind(b, rest));
  for (const Scanned &scan : scanned)
    result.scanned.push_back(scannedResult(scan, results, iterations));
  return result;
}

FailureOr<LoopResults> buildLoop(NodeBuilder &b, const LoopSpec &spec,
                                 IterationFn body) {
  return LoopBuilder(b, spec, body).run();
}

} // namespace ampc::onnx_import
