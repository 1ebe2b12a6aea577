//===- PointBuilder.h - One formula for tensors and scalars -----*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_POINTBUILDER_H
#define AMPC_IMPORT_ONNX_POINTBUILDER_H

#include "compiler/import/onnx/NodeBuilder.h"

namespace ampc::onnx_import {

/// Emits a pointwise formula either on tensors of one shape or on the scalars
/// of shape values, where int32 and int64 are `index`.
class PointBuilder {
public:
  /// On scalars.
  explicit PointBuilder(NodeBuilder &b) : b(b), dims(nullptr) {}
  /// On tensors with these sizes.
  PointBuilder(NodeBuilder &b, const Dims &dims) : b(b), dims(&dims) {}

  NodeBuilder &b;

  template <typename Op, typename... Args> mlir::Value emit(Args &&...args) {
    if (dims)
      return b.create<Op>(std::forward<Args>(args)...).getResult();
    return b.scalars.value(b.scalars.emit<Op>(std::forward<Args>(args)...));
  }
  /// FloatOp, SignedOp or UnsignedOp, by the type.
  template <typename FloatOp, typename SignedOp, typename UnsignedOp = SignedOp>
  mlir::Value byType(DType dtype, mlir::ValueRange operands) {
    if (isFloat(dtype))
      return emitOn<FloatOp>(operands);
    if (isUnsigned(dtype) || dtype == DType::Bool)
      return emitOn<UnsignedOp>(operands);
    return emitOn<SignedOp>(operands);
  }

  mlir::Value constant(double value, DType dtype);
  mlir::Value cast(mlir::Value x, DType from, DType to);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return emit<mlir::arith::SelectOp>(condition, yes, no);
  }
  /// `predicate` is the signed integer one; floats compare as ordered, except
  /// `ne`, which holds for NaN.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, DType dtype,
                      mlir::Value lhs, mlir::Value rhs);
  /// The quotient of integers, truncated; division by zero gives some number.
  mlir::Value divideInts(DType dtype, mlir::Value lhs, mlir::Value rhs);
  /// The remainder, with the sign of `lhs`.
  mlir::Value remainderInts(DType dtype, mlir::Value lhs, mlir::Value rhs);

private:
  template <typename Op> mlir::Value emitOn(mlir::ValueRange operands) {
    if (operands.size() == 1)
      return emitUnary<Op>(operands[0]);
    return emitBinary<Op>(operands[0], operands[1]);
  }
  template <typename Op> mlir::Value emitUnary(mlir::Value x) {
    if constexpr (Op::template hasTrait<mlir::OpTrait::OneOperand>())
      return emit<Op>(x);
    llvm_unreachable("not a unary op");
  }
  template <typename Op> mlir::Value emitBinary(mlir::Value x, mlir::Value y) {
    if constexpr (Op::template hasTrait<mlir::OpTrait::NOperands<2>::Impl>())
      return emit<Op>(x, y);
    llvm_unreachable("not a binary op");
  }
  mlir::Value castScalar(mlir::Value x, DType from, DType to);
  /// The divisor with what would trap replaced by one.
  mlir::Value safeDivisor(DType dtype, mlir::Value rhs,
                          mlir::Value &isMinusOne);

  const Dims *dims;
};

using PointFn = llvm::function_ref<mlir::Value(PointBuilder &,
                                               llvm::ArrayRef<mlir::Value>)>;

/// Sets output 0 to a formula of all inputs, broadcast to each other. `exact`
/// formulas (no approximated functions) are evaluated on shape values as such.
mlir::LogicalResult buildPointwise(NodeBuilder &b, DType result, bool exact,
                                   PointFn formula);

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_POINTBUILDER_H
