//===- Emitters.h - One registration for each family of roots ---*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_EMITTERS_H
#define AMPC_TARGET_CPU_EMITTERS_H

#include "compiler/target/cpu/KernelEmitter.h"

namespace ampc::cpu {

void registerMatmulEmitter(mlir::MLIRContext *context);
void registerAttentionEmitter(mlir::MLIRContext *context);
void registerConvEmitter(mlir::MLIRContext *context);
void registerReduceEmitters(mlir::MLIRContext *context);
void registerNormEmitters(mlir::MLIRContext *context);
void registerPoolEmitters(mlir::MLIRContext *context);
void registerSortEmitters(mlir::MLIRContext *context);
void registerScatterEmitters(mlir::MLIRContext *context);
void registerSuppressEmitter(mlir::MLIRContext *context);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_EMITTERS_H
