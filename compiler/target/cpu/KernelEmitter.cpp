//===- KernelEmitter.cpp - How kernels become CPU functions ---------------===//

#include "compiler/target/cpu/KernelEmitter.h"

#include "compiler/target/cpu/Emitters.h"

using namespace mlir;

#include "KernelEmitter.cpp.inc"

namespace ampc::cpu {

void registerCpuKernelEmitters(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, amp::AmpDialect *) {
    registerMatmulEmitter(context);
    registerAttentionEmitter(context);
    registerConvEmitter(context);
    registerReduceEmitters(context);
    registerNormEmitters(context);
    registerPoolEmitters(context);
    registerSortEmitters(context);
    registerScatterEmitters(context);
    registerSuppressEmitter(context);
  });
}

} // namespace ampc::cpu
