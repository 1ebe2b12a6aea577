//===- Elementwise.h - arith and math ops on single elements ----*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_ELEMENTWISE_H
#define AMPC_TARGET_CPU_ELEMENTWISE_H

#include "mlir/IR/Builders.h"

namespace ampc::cpu {

/// `op`, an ElementwiseMappable op on tensors, on elements or vectors of them.
/// Arithmetic on floats below f32 is done in f32 and rounded once.
mlir::Value emitElementwise(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Operation *op, mlir::ValueRange operands,
                            mlir::Type result);

/// A float, or a vector of floats, as f32 if it is narrower, else as it is.
mlir::Value widenFloat(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value);
/// A float, or a vector of floats, rounded to `element` if that is narrower.
mlir::Value narrowFloat(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

/// Whether `type` is a float with fewer bits than f32.
bool isNarrowFloat(mlir::Type type);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_ELEMENTWISE_H
