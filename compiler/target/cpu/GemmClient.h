//===- GemmClient.h - What contraction emitters share -----------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_GEMMCLIENT_H
#define AMPC_TARGET_CPU_GEMMCLIENT_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// The buffer of an operand that a contraction reads over and over, which must
/// therefore be an input of the kernel. Null after an error.
mlir::Value contractionBuffer(KernelValues &values, mlir::Operation *op,
                              mlir::Value operand);

/// The type that the sums of a contraction are formed in: f32 for narrower
/// floats, else that of the result.
mlir::Type accumulatorFor(mlir::Type result);

/// Fails with an error where the op asks for products other than those of its
/// operands, or for sums other than in the accumulator.
llvm::LogicalResult verifyAlgorithm(mlir::Operation *op,
                                    amp::AlgorithmAttr algorithm,
                                    mlir::Value lhs, mlir::Value rhs,
                                    mlir::Type accumulator);

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
