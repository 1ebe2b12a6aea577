//===- ElementEvaluator.cpp - Elements of kernel values on demand ---------===//

#include "compiler/target/cpu/ElementEvaluator.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Elementwise.h"
#include "compiler/target/cpu/IndexBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::cpu {

ElementEvaluator::ElementEvaluator(KernelValues &values, OpBuilder &builder,
                                   int64_t lanes, Value mask)
    : values(values), b(builder), loc(values.getKernel().getLoc()),
      numLanes(lanes), mask(mask) {}

ElementEvaluator::~ElementEvaluator() = default;

ElementEvaluator &ElementEvaluator::scalars() {
  if (!scalarEvaluator)
    scalarEvaluator = std::make_unique<ElementEvaluator>(values, b, 1);
  return *scalarEvaluator;
}

Value ElementEvaluator::fail(Operation *op, const Twine &why) {
  if (!anyFailed)
    op->emitError(why);
  anyFailed = true;
  return nullptr;
}

/// Whether a value defined in `block` may be used at the end of `at`.
static bool isVisible(Block *block, Block *at) {
  while (at && at != block) {
    Operation *parent = at->getParentOp();
    at = parent ? parent->getBlock() : nullptr;
  }
  return at;
}

ElementEvaluator::Key ElementEvaluator::keyFor(Value tensor,
                                               ArrayRef<Value> indices) {
  // Equal constants are equal indices whichever op makes them.
  Key key{tensor.getAsOpaquePointer()};
  for (Value index : indices) {
    Attribute constant;
    key.push_back(matchPattern(index, m_Constant(&constant))
                      ? constant.getAsOpaquePointer()
                      : index.getAsOpaquePointer());
  }
  return key;
}

void ElementEvaluator::bind(Value tensor, ArrayRef<Value> indices,
                            Value element) {
  known[keyFor(tensor, indices)] = element;
}

Value ElementEvaluator::at(Value tensor, ArrayRef<Value> indices) {
  if (!consumer)
    laneIndex = indices.empty() ? Value() : indices.back();
  Key key = keyFor(tensor, indices);
  auto found = known.find(key);
  if (found != known.end() && found->second &&
      isVisible(found->second.getParentBlock(), b.getInsertionBlock()))
    return found->second;
  return known[key] = emit(tensor, indices);
}

Value ElementEvaluator::emit(Value tensor, ArrayRef<Value> indices) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return loadElements(b, loc, values.in(argument), indices,
                        getElementTypeOrSelf(tensor.getType()), numLanes, mask);
  Operation *op = tensor.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constant, indices);
  if (auto elemental = dyn_cast<amp::ElementalOpInterface>(op)) {
    if (numLanes > 1 && !elemental.keepsInnermost())
      return emitLaneByLane(tensor, indices);
    llvm::SaveAndRestore<Operation *> current(consumer, op);
    Value element = elemental.emitElement(
        b, *this, cast<OpResult>(tensor).getResultNumber(), indices);
    return element ? element
                   : fail(op, "cannot be evaluated element by element");
  }
  if (OpTrait::hasElementwiseMappableTraits(op))
    return emitElementwise(op, indices);
  return fail(op, "stands where only elemental ops may stand in a kernel");
}

Value ElementEvaluator::emitConstant(arith::ConstantOp op,
                                     ArrayRef<Value> indices) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return fail(op, "has a value that kernels cannot hold");
  if (!elements.isSplat())
    return loadElements(b, loc, values.constantBuffer(op), indices,
                        elements.getElementType(), numLanes, mask);
  auto value = elements.getSplatValue<TypedAttr>();
  if (numLanes > 1)
    value = DenseElementsAttr::get(
        cast<ShapedType>(laned(elements.getElementType())), value);
  return b.create<arith::ConstantOp>(loc, value);
}

Value ElementEvaluator::emitLaneByLane(Value tensor, ArrayRef<Value> indices) {
  Type element = getElementTypeOrSelf(tensor.getType());
  IndexBuilder ix(b, loc);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < numLanes; ++lane) {
    SmallVector<Value> at(indices);
    Value shifted = ix.value(ix.add(at.back(), ix.constant(lane)));
    at.back() = mask ? b.create<arith::SelectOp>(
                           loc, b.create<vector::ExtractOp>(loc, mask, lane),
                           shifted, at.back())
                     : shifted;
    lanes.push_back(scalars().at(tensor, at));
    if (!lanes.back()) {
      anyFailed = true;
      return nullptr;
    }
  }
  return b.create<vector::FromElementsOp>(
      loc, VectorType::get({numLanes}, element), lanes);
}

Value ElementEvaluator::emitElementwise(Operation *op,
                                        ArrayRef<Value> indices) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value element = isa<RankedTensorType>(operand.getType())
                        ? at(operand, indices)
                        : readScalar(operand);
    if (!element)
      return nullptr;
    operands.push_back(element);
  }
  return cpu::emitElementwise(b, loc, op, operands,
                              laned(getElementTypeOrSelf(op->getResult(0))));
}

static bool isInnermostOne(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getRank() == 0 || type.getShape().back() == 1;
}

Value ElementEvaluator::read(Value operand, ArrayRef<Value> indices) {
  // One element for all lanes. A result whose own innermost size is 1 has lanes
  // only where dimensions are merged, and its operands only if they are indexed
  // by what the lanes run over.
  bool runs = consumer && isInnermostOne(consumer->getResult(0)) &&
              !indices.empty() && indices.back() == laneIndex;
  if (numLanes == 1 || !isInnermostOne(operand) || runs)
    return at(operand, indices);
  Value element = readOne(operand, indices);
  return element ? fillLanes(b, loc, element, numLanes) : element;
}

Value ElementEvaluator::readOne(Value operand, ArrayRef<Value> indices) {
  if (numLanes == 1)
    return at(operand, indices);
  Value element = scalars().at(operand, indices);
  anyFailed |= !element;
  return element;
}

Value ElementEvaluator::readScalar(Value operand) {
  if (isa<RankedTensorType>(operand.getType())) {
    Value element = readOne(operand, {});
    return element ? fillLanes(b, loc, element, numLanes) : element;
  }
  Value scalar = values.scalar(operand);
  if (!scalar)
    return fail(values.getKernel(), "has a scalar that is not computed from "
                                    "its operands alone");
  return fillLanes(b, loc, scalar, numLanes);
}

Value ElementEvaluator::dim(Value operand, int64_t dim) {
  return IndexBuilder(b, loc).value(values.dim(operand, dim));
}

} // namespace ampc::cpu
