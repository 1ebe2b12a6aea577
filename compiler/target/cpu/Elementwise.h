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

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_ELEMENTWISE_H
