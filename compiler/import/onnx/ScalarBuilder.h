//===- ScalarBuilder.h - Arithmetic on sizes and shape values ---*- C++ -*-===//
//
// Host arithmetic that folds, simplifies and never computes the same thing
// twice: sizes that are computed alike are one SSA value, so that comparing
// values is enough to know that two dimensions agree.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IMPORT_ONNX_SCALARBUILDER_H
#define AMPC_IMPORT_ONNX_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseSet.h"

namespace ampc::onnx_import {

/// One scalar: a typed attribute if constant, else an SSA value.
using Scalar = mlir::OpFoldResult;
/// Sizes of a value: `index` scalars.
using Dims = llvm::SmallVector<mlir::OpFoldResult>;

class ScalarBuilder {
public:
  explicit ScalarBuilder(mlir::OpBuilder &builder) : builder(builder) {}

  /// Ops are placed at the builder's insertion point and constants at the start
  /// of the function; both carry this location.
  void setLoc(mlir::Location location) { loc = location; }

  Scalar index(int64_t value) { return builder.getIndexAttr(value); }

  /// The scalar as a value.
  mlir::Value value(Scalar scalar);
  llvm::SmallVector<mlir::Value> values(llvm::ArrayRef<Scalar> scalars);

  /// Emits one op with a single scalar result, unless it folds or exists.
  template <typename Op, typename... Args> Scalar emit(Args &&...args) {
    mlir::Operation *last = lastOp();
    mlir::Value value =
        builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
    return share(value, value.getDefiningOp() != last &&
                            value.getDefiningOp() == lastOp());
  }
  template <typename Op> Scalar binary(Scalar lhs, Scalar rhs) {
    return emit<Op>(value(lhs), value(rhs));
  }

  Scalar add(Scalar lhs, Scalar rhs);
  Scalar sub(Scalar lhs, Scalar rhs);
  Scalar mul(Scalar lhs, Scalar rhs);
  /// Quotients of sizes, which are not negative, by a divisor that is not zero.
  Scalar div(Scalar lhs, Scalar rhs);
  Scalar ceilDiv(Scalar lhs, Scalar rhs);
  Scalar min(Scalar lhs, Scalar rhs);
  Scalar max(Scalar lhs, Scalar rhs);
  Scalar compare(mlir::arith::CmpIPredicate predicate, Scalar lhs, Scalar rhs);
  Scalar select(Scalar condition, Scalar yes, Scalar no);
  Scalar logicalAnd(Scalar lhs, Scalar rhs);
  Scalar logicalOr(Scalar lhs, Scalar rhs);
  Scalar product(llvm::ArrayRef<Scalar> factors);

  /// product(of) / product(by), with equal factors cancelled first.
  Scalar quotient(llvm::ArrayRef<Scalar> of, llvm::ArrayRef<Scalar> by);

  /// See amp::windowedSize.
  Scalar windowed(Scalar in, int64_t kernel, int64_t stride, int64_t dilation,
                  int64_t padLow, int64_t padHigh, bool ceil);

  /// Whether the scalars are one value, or two that a check has made equal.
  bool same(Scalar lhs, Scalar rhs) const {
    return canonical(lhs) == canonical(rhs);
  }
  bool same(llvm::ArrayRef<Scalar> lhs, llvm::ArrayRef<Scalar> rhs) const;
  /// From here on the scalars are known to be equal.
  void noteEqual(Scalar lhs, Scalar rhs);

  /// Whether a condition is required for the first time.
  bool noteChecked(mlir::Value condition) {
    return here.checked.insert(condition).second;
  }

  /// While one lives, ops go to the end of a block of a region that may run any
  /// number of times. What is emitted, checked or found equal meanwhile is
  /// forgotten afterwards: code behind the region must not rely on it.
  class RegionScope;

  /// Whether code at the insertion point may use the value.
  bool isVisible(mlir::Value value) const;
  bool isVisible(Scalar scalar) const {
    auto value = llvm::dyn_cast<mlir::Value>(scalar);
    return !value || isVisible(value);
  }

private:
  /// The op before the insertion point, or null.
  mlir::Operation *lastOp();
  /// Constants as attributes. A new op that already exists is erased again.
  Scalar share(mlir::Value value, bool isNew);

  struct OpInfo : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(const mlir::Operation *op);
    static bool isEqual(const mlir::Operation *lhs, const mlir::Operation *rhs);
  };

  /// The scalar that stands for all that are equal to this one.
  Scalar canonical(Scalar scalar) const;

  /// What holds at the insertion point.
  struct Knowledge {
    llvm::DenseSet<mlir::Operation *, OpInfo> known;
    llvm::DenseSet<mlir::Value> checked;
    llvm::DenseMap<mlir::Value, Scalar> equalTo;
  };

  mlir::OpBuilder &builder;
  mlir::Location loc = builder.getUnknownLoc();
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  Knowledge here;
};

class ScalarBuilder::RegionScope {
public:
  RegionScope(ScalarBuilder &scalars, mlir::Block *block)
      : scalars(scalars), guard(scalars.builder), outside(scalars.here) {
    scalars.builder.setInsertionPointToEnd(block);
  }
  ~RegionScope() { scalars.here = std::move(outside); }

private:
  ScalarBuilder &scalars;
  mlir::OpBuilder::InsertionGuard guard;
  Knowledge outside;
};

/// The constant, if the scalar is one.
std::optional<int64_t> constantInt(Scalar scalar);

/// Whether the scalar is a size or made of sizes so that it is never negative.
bool isNonNegative(Scalar scalar);

/// Whether all are constant; fills `result`.
bool constantInts(llvm::ArrayRef<Scalar> scalars,
                  llvm::SmallVectorImpl<int64_t> &result);

/// Sizes as a type shows them: ShapedType::kDynamic where not constant.
llvm::SmallVector<int64_t> staticShape(llvm::ArrayRef<Scalar> dims);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_SCALARBUILDER_H
