//===- GemmClient.h - What contraction emitters share -----------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_GEMMCLIENT_H
#define AMPC_TARGET_CPU_GEMMCLIENT_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// The buffer of an operand that a contraction reads over and over, which must
/// therefore be an input of the kernel. Null after an error.
mlir::Value contractionBuffer(KernelValues &values, mlir::Operation *op,
                              mlir::Value operand);

/// The buffers that a contraction multiplies.
struct ContractionOperands {
  mlir::Value lhs, rhs;
  /// What sums are formed in: f32 for narrower floats, else the result's type.
  mlir::Type accumulator;
};

/// Those of `lhs` and `rhs`. Fails with an error where they are not buffers, or
/// `algorithm` (may be null) asks for products other than those of the
/// operands, or for sums other than in the accumulator.
llvm::FailureOr<ContractionOperands>
contractionOperands(KernelValues &values, mlir::Operation *op,
                    amp::AlgorithmAttr algorithm, mlir::Value lhs,
                    mlir::Value rhs);

/// The sum that a tile starts with: the element of `bias` (zero if null) at
/// `indices`, in the accumulator's type. Null after an error.
mlir::Value initialSum(KernelEmission &emission, mlir::Value bias,
                       mlir::ValueRange indices, mlir::Type accumulator,
                       int64_t lanes, mlir::Value mask);

/// Rounds `sum` to the result's type and hands it to the kernel's epilogue.
llvm::LogicalResult storeSum(KernelEmission &emission, mlir::Value result,
                             mlir::ValueRange indices, mlir::Value sum,
                             int64_t lanes, mlir::Value mask);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_GEMMCLIENT_H
