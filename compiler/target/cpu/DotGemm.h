//===- DotGemm.h - Contractions by dot-product instructions -----*- C++ -*-===//
//
// A contraction of bf16 operands (StridedGemm::pairs) on Intel's AMX: tiles of
// 16 rows by 32 k of A and of 32 k by 16 columns of B, whose products are added
// in pairs to 16 x 16 sums in f32. The order of additions is the instruction's,
// which also takes subnormal numbers for zero (Intel SDM, TDPBF16PS).
//
// A block of rows is copied first, so that each tile lies in one piece: k
// adjacent and filled up with zeros, whatever strides the rows have and however
// many positions a filter has.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_DOTGEMM_H
#define AMPC_TARGET_CPU_DOTGEMM_H

#include "compiler/target/cpu/StridedGemm.h"

namespace ampc::cpu {

/// What of a contraction stands in the way of dot-product instructions, in
/// words; empty: nothing.
std::string dotProblem(const StridedGemm &gemm, const CpuTarget &target);

ParallelRange getDotGemmRange(const StridedGemm &gemm, KernelValues &values);
llvm::LogicalResult emitDotGemm(const StridedGemm &gemm,
                                KernelEmission &emission,
                                const GemmBorder &border);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_DOTGEMM_H
