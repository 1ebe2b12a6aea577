//===- IndexBuilder.h - Index arithmetic that folds -------------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_INDEXBUILDER_H
#define AMPC_TARGET_CPU_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ampc::cpu {

/// Arithmetic on sizes and offsets, which are `index` values or attributes.
/// What is an attribute stays one, so static shapes leave no code behind.
/// Values count as unknown even where they happen to be constants: what is
/// known then follows from types alone, and is the same in a kernel's function
/// as where the kernel is launched.
class IndexBuilder {
public:
  using Index = mlir::OpFoldResult;

  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  Index constant(int64_t value) { return b.getIndexAttr(value); }

  static std::optional<int64_t> known(Index index) {
    if (auto attr = llvm::dyn_cast<mlir::Attribute>(index))
      return llvm::cast<mlir::IntegerAttr>(attr).getInt();
    return std::nullopt;
  }

  mlir::Value value(Index index) {
    return mlir::getValueOrCreateConstantIndexOp(b, loc, index);
  }
  llvm::SmallVector<mlir::Value> values(llvm::ArrayRef<Index> indices) {
    llvm::SmallVector<mlir::Value> result;
    for (Index index : indices)
      result.push_back(value(index));
    return result;
  }

  Index add(Index x, Index y) {
    if (isConstant(x, 0))
      return y;
    if (isConstant(y, 0))
      return x;
    return binary<mlir::arith::AddIOp>(
        x, y, [](int64_t a, int64_t b) { return a + b; });
  }
  Index sub(Index x, Index y) {
    if (isConstant(y, 0))
      return x;
    return binary<mlir::arith::SubIOp>(
        x, y, [](int64_t a, int64_t b) { return a - b; });
  }
  Index mul(Index x, Index y) {
    if (isConstant(x, 1) || isConstant(y, 0))
      return y;
    if (isConstant(y, 1) || isConstant(x, 0))
      return x;
    return binary<mlir::arith::MulIOp>(
        x, y, [](int64_t a, int64_t b) { return a * b; });
  }
  /// Quotients and remainders of operands that are not negative.
  Index div(Index x, Index y) {
    if (isConstant(y, 1))
      return x;
    return binary<mlir::arith::DivUIOp>(
        x, y, [](int64_t a, int64_t b) { return a / b; });
  }
  Index rem(Index x, Index y) {
    if (isConstant(y, 1))
      return constant(0);
    return binary<mlir::arith::RemUIOp>(
        x, y, [](int64_t a, int64_t b) { return a % b; });
  }
  Index ceilDiv(Index x, int64_t y) {
    return div(add(x, constant(y - 1)), constant(y));
  }
  Index min(Index x, Index y) {
    return binary<mlir::arith::MinSIOp>(
        x, y, [](int64_t a, int64_t b) { return std::min(a, b); });
  }
  Index max(Index x, Index y) {
    return binary<mlir::arith::MaxSIOp>(
        x, y, [](int64_t a, int64_t b) { return std::max(a, b); });
  }
  Index product(llvm::ArrayRef<Index> factors) {
    Index result = constant(1);
    for (Index factor : factors)
      result = mul(result, factor);
    return result;
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Index x, Index y) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, predicate, value(x),
                                               value(y));
  }

  /// The coordinates of `linear` in a row-major space of `sizes`. The first
  /// size is not needed: the first coordinate is what is left.
  llvm::SmallVector<mlir::Value> delinearize(Index linear,
                                             llvm::ArrayRef<Index> sizes) {
    llvm::SmallVector<mlir::Value> coordinates(sizes.size());
    for (size_t i = sizes.size(); i-- > 1;) {
      coordinates[i] = value(rem(linear, sizes[i]));
      linear = div(linear, sizes[i]);
    }
    if (!sizes.empty())
      coordinates[0] = value(isConstant(sizes[0], 1) ? constant(0) : linear);
    return coordinates;
  }

  static bool isConstant(Index index, int64_t value) {
    return known(index) == value;
  }

private:
  template <typename Op, typename Fold>
  Index binary(Index x, Index y, Fold fold) {
    auto a = known(x), c = known(y);
    if (a && c)
      return constant(fold(*a, *c));
    return b.createOrFold<Op>(loc, value(x), value(y));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_INDEXBUILDER_H
