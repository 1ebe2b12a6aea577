//===- KernelEmitter.cpp - How kernels become CPU functions ---------------===//

#include "compiler/target/cpu/KernelEmitter.h"

using namespace mlir;

#include "KernelEmitter.cpp.inc"

namespace ampc::cpu {

void registerCpuKernelEmitters(DialectRegistry &registry) {}

} // namespace ampc::cpu
