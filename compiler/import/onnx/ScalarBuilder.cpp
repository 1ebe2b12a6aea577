//===- ScalarBuilder.cpp - Arithmetic on sizes and shape values -----------===//

#include "compiler/import/onnx/ScalarBuilder.h"

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

#include <numeric>

using namespace mlir;

namespace ampc::onnx_import {

unsigned ScalarBuilder::OpInfo::getHashValue(const Operation *op) {
  return OperationEquivalence::computeHash(
      const_cast<Operation *>(op), OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
}

bool ScalarBuilder::OpInfo::isEqual(const Operation *lhs,
                                    const Operation *rhs) {
  if (lhs == rhs)
    return true;
  if (lhs == getEmptyKey() || lhs == getTombstoneKey() ||
      rhs == getEmptyKey() || rhs == getTombstoneKey())
    return false;
  return OperationEquivalence::isEquivalentTo(
      const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
      OperationEquivalence::IgnoreLocations);
}

Value ScalarBuilder::value(Scalar scalar) {
  if (auto value = dyn_cast<Value>(scalar))
    return value;
  auto attr = cast<TypedAttr>(cast<Attribute>(scalar));
  Value &constant = constants[attr];
  if (!constant) {
    // At the start of the function, where it dominates every region.
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.getInsertionBlock();
    if (auto function = dyn_cast_or_null<func::FuncOp>(block->getParentOp()))
      block = &function.front();
    else if (auto function =
                 block->getParentOp()->getParentOfType<func::FuncOp>())
      block = &function.front();
    builder.setInsertionPointToStart(block);
    constant = builder.create<arith::ConstantOp>(loc, attr);
  }
  return constant;
}

SmallVector<Value> ScalarBuilder::values(ArrayRef<Scalar> scalars) {
  return llvm::map_to_vector(scalars, [&](Scalar s) { return value(s); });
}

Operation *ScalarBuilder::lastOp() {
  Block *block = builder.getInsertionBlock();
  Block::iterator at = builder.getInsertionPoint();
  return at == block->begin() ? nullptr : &*std::prev(at);
}

Scalar ScalarBuilder::share(Value value, bool isNew) {
  Attribute constant;
  bool isConstant = matchPattern(value, m_Constant(&constant));
  if (!isNew)
    return isConstant ? Scalar(constant) : Scalar(value);
  Operation *op = value.getDefiningOp();
  if (isConstant) {
    op->erase();
    return constant;
  }
  auto [it, inserted] = here.known.insert(op);
  if (inserted)
    return value;
  op->erase();
  return (*it)->getResult(0);
}

// Constants wrap as they do when the model computes them; sizes that have are
// found where a value gets its shape.
static int64_t wrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static int64_t wrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

Scalar ScalarBuilder::add(Scalar lhs, Scalar rhs) {
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  auto increment = constantInt(rhs);
  if (increment == 0)
    return lhs;
  // (x + a) + b is x + (a + b).
  if (auto sum = dyn_cast<Value>(lhs)
                     ? cast<Value>(lhs).getDefiningOp<arith::AddIOp>()
                     : arith::AddIOp();
      sum && increment)
    if (auto inner = getConstantIntValue(sum.getRhs()))
      return add(Scalar(sum.getLhs()), index(wrappingAdd(*inner, *increment)));
  return binary<arith::AddIOp>(lhs, rhs);
}

Scalar ScalarBuilder::sub(Scalar lhs, Scalar rhs) {
  if (auto decrement = constantInt(rhs))
    return add(lhs, index(wrappingMul(*decrement, -1)));
  // (x + y) - x is y.
  if (auto value = dyn_cast<Value>(lhs))
    if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
      if (Scalar(sum.getLhs()) == rhs)
        return getAsOpFoldResult(sum.getRhs());
      if (Scalar(sum.getRhs()) == rhs)
        return getAsOpFoldResult(sum.getLhs());
    }
  return binary<arith::SubIOp>(lhs, rhs);
}

Scalar ScalarBuilder::mul(Scalar lhs, Scalar rhs) {
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  if (auto factor = constantInt(rhs)) {
    if (*factor == 1)
      return lhs;
    if (*factor == 0)
      return index(0);
    if (auto value = dyn_cast<Value>(lhs))
      if (auto product = value.getDefiningOp<arith::MulIOp>())
        if (auto inner = getConstantIntValue(product.getRhs()))
          return mul(Scalar(product.getLhs()),
                     index(wrappingMul(*inner, *factor)));
  }
  return binary<arith::MulIOp>(lhs, rhs);
}

Scalar ScalarBuilder::div(Scalar lhs, Scalar rhs) {
  if (lhs == rhs && !constantInt(lhs))
    return index(1);
  if (auto value = dyn_cast<Value>(lhs))
    if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      auto inner = getConstantIntValue(product.getRhs());
      auto divisor = constantInt(rhs);
      if (inner && divisor && *divisor > 0 && *inner % *divisor == 0)
        return mul(Scalar(product.getLhs()), index(*inner / *divisor));
    }
  return binary<arith::DivSIOp>(lhs, rhs);
}

Scalar ScalarBuilder::ceilDiv(Scalar lhs, Scalar rhs) {
  return div(add(lhs, sub(rhs, index(1))), rhs);
}

/// The constant that is added to a size, if the scalar is such a sum.
static std::optional<int64_t> offsetFromSize(Scalar scalar) {
  auto value = dyn_cast<Value>(scalar);
  auto sum = value ? value.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  if (sum && isNonNegative(sum.getLhs()))
    return getConstantIntValue(sum.getRhs());
  return std::nullopt;
}

/// Whether the scalar is never below `bound`.
static bool isAtLeast(Scalar scalar, int64_t bound) {
  if (auto constant = constantInt(scalar))
    return *constant >= bound;
  if (auto offset = offsetFromSize(scalar); offset && *offset >= bound)
    return true;
  return bound <= 0 && isNonNegative(scalar);
}

Scalar ScalarBuilder::min(Scalar lhs, Scalar rhs) {
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  if (lhs == rhs)
    return lhs;
  if (auto bound = constantInt(rhs); bound && isAtLeast(lhs, *bound))
    return rhs;
  return binary<arith::MinSIOp>(lhs, rhs);
}

Scalar ScalarBuilder::max(Scalar lhs, Scalar rhs) {
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  if (lhs == rhs)
    return lhs;
  if (auto bound = constantInt(rhs); bound && isAtLeast(lhs, *bound))
    return lhs;
  return binary<arith::MaxSIOp>(lhs, rhs);
}

Scalar ScalarBuilder::compare(arith::CmpIPredicate predicate, Scalar lhs,
                              Scalar rhs) {
  return emit<arith::CmpIOp>(predicate, value(lhs), value(rhs));
}

Scalar ScalarBuilder::select(Scalar condition, Scalar yes, Scalar no) {
  if (yes == no)
    return yes;
  return emit<arith::SelectOp>(value(condition), value(yes), value(no));
}

Scalar ScalarBuilder::logicalAnd(Scalar lhs, Scalar rhs) {
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  if (auto known = constantInt(rhs))
    return *known ? lhs : rhs;
  return binary<arith::AndIOp>(lhs, rhs);
}

Scalar ScalarBuilder::logicalOr(Scalar lhs, Scalar rhs) {
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  if (auto known = constantInt(rhs))
    return *known ? rhs : lhs;
  return binary<arith::OrIOp>(lhs, rhs);
}

Scalar ScalarBuilder::product(ArrayRef<Scalar> factors) {
  int64_t constant = 1;
  Scalar product = index(1);
  for (Scalar factor : factors)
    if (auto value = constantInt(factor))
      constant = wrappingMul(constant, *value);
    else
      product = mul(product, factor);
  return mul(product, index(constant));
}

Scalar ScalarBuilder::quotient(ArrayRef<Scalar> of, ArrayRef<Scalar> by) {
  SmallVector<Scalar> above, below;
  int64_t constantAbove = 1, constantBelow = 1;
  for (Scalar factor : of)
    if (auto value = constantInt(factor))
      constantAbove = wrappingMul(constantAbove, *value);
    else
      above.push_back(factor);
  for (Scalar factor : by) {
    if (auto value = constantInt(factor))
      constantBelow = wrappingMul(constantBelow, *value);
    else if (auto *same = llvm::find(above, factor); same != above.end())
      above.erase(same);
    else
      below.push_back(factor);
  }
  if (int64_t common = std::gcd(constantAbove, constantBelow); common > 1) {
    constantAbove /= common;
    constantBelow /= common;
  }
  above.push_back(index(constantAbove));
  below.push_back(index(constantBelow));
  Scalar divisor = product(below);
  if (auto constant = constantInt(divisor))
    return *constant == 0 ? index(0) : div(product(above), divisor);
  // Zero over zero is taken as zero; hosts must not trap.
  Scalar isZero = compare(arith::CmpIPredicate::eq, divisor, index(0));
  return div(product(above), select(isZero, index(1), divisor));
}

Scalar ScalarBuilder::windowed(Scalar in, int64_t kernel, int64_t stride,
                               int64_t dilation, int64_t padLow,
                               int64_t padHigh, bool ceil) {
  int64_t grow = padLow + padHigh - dilation * (kernel - 1);
  if (stride == 1 && !constantInt(in)) {
    Scalar size = add(in, index(grow));
    return grow >= 0 ? size : max(size, index(0));
  }
  if (constantInt(in))
    return amp::windowedSize(builder, loc, in, kernel, stride, dilation, padLow,
                             padHigh, ceil);
  // As amp::windowedSize, through the sharing builder.
  Scalar span = max(add(in, index(grow - 1)), index(-stride));
  Scalar windows =
      div(add(span, index(stride + (ceil ? stride - 1 : 0))), index(stride));
  if (!ceil)
    return windows;
  Scalar fewer = sub(windows, index(1));
  Scalar past = compare(arith::CmpIPredicate::sge, mul(fewer, index(stride)),
                        add(in, index(padLow)));
  return select(past, fewer, windows);
}

Scalar ScalarBuilder::canonical(Scalar scalar) const {
  while (auto value = dyn_cast<Value>(scalar)) {
    auto it = here.equalTo.find(value);
    if (it == here.equalTo.end())
      break;
    scalar = it->second;
  }
  return scalar;
}

void ScalarBuilder::noteEqual(Scalar lhs, Scalar rhs) {
  lhs = canonical(lhs);
  rhs = canonical(rhs);
  if (constantInt(lhs))
    std::swap(lhs, rhs);
  if (auto value = dyn_cast<Value>(lhs); value && lhs != rhs)
    here.equalTo[value] = rhs;
}

bool ScalarBuilder::same(ArrayRef<Scalar> lhs, ArrayRef<Scalar> rhs) const {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip(lhs, rhs), [&](auto pair) {
           return same(std::get<0>(pair), std::get<1>(pair));
         });
}

bool ScalarBuilder::isVisible(Value value) const {
  return value.getParentRegion()->isAncestor(
      builder.getInsertionBlock()->getParent());
}

std::optional<int64_t> constantInt(Scalar scalar) {
  return getConstantIntValue(scalar);
}

/// Looks `depth` ops deep: shapes that add and multiply sizes are no deeper,
/// and in a graph that shares its operands every step may double the work.
static bool isNonNegative(Scalar scalar, int depth) {
  if (auto constant = constantInt(scalar))
    return *constant >= 0;
  auto value = dyn_cast<Value>(scalar);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || !depth)
    return false;
  if (isa<tensor::DimOp>(op))
    return true;
  auto operand = [&](unsigned i) {
    return isNonNegative(op->getOperand(i), depth - 1);
  };
  // Sizes do not overflow: tensors that large do not exist.
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp,
          arith::DivUIOp>(op))
    return operand(0) && operand(1);
  if (isa<arith::MaxSIOp>(op))
    return operand(0) || operand(1);
  if (isa<arith::SelectOp>(op))
    return operand(1) && operand(2);
  return false;
}

bool isNonNegative(Scalar scalar) { return isNonNegative(scalar, 10); }

bool constantInts(ArrayRef<Scalar> scalars, SmallVectorImpl<int64_t> &result) {
  for (Scalar scalar : scalars) {
    auto value = constantInt(scalar);
    if (!value)
      return false;
    result.push_back(*value);
  }
  return true;
}

SmallVector<int64_t> staticShape(ArrayRef<Scalar> dims) {
  return llvm::map_to_vector(dims, [](Scalar dim) {
    return constantInt(dim).value_or(ShapedType::kDynamic);
  });
}

} // namespace ampc::onnx_import
