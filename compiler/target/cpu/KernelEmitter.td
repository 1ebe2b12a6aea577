//===- KernelEmitter.td - How roots become CPU kernels ---*- tablegen -*-===//

#ifndef AMPC_TARGET_CPU_KERNELEMITTER
#define AMPC_TARGET_CPU_KERNELEMITTER

include "mlir/IR/OpBase.td"

def CpuKernelEmitterInterface : OpInterface<"CpuKernelEmitterInterface"> {
  let cppNamespace = "::ampc::cpu";
  let description = [{
    The CPU code of kernels whose root this op is. Attached to the roots of the amp
    dialect by external models, one family of ops a file
    (`registerCpuKernelEmitters`).
  }];
  let methods = [
    InterfaceMethod<[{
      Number of iterations of the kernel's parallel loop, computed at `values.site()`,
      and the number that is worth a thread.
    }], "::ampc::cpu::ParallelRange", "getParallelRange",
      (ins "::ampc::cpu::KernelValues &":$values,
           "const ::ampc::cpu::CpuTarget &":$target)>,
    InterfaceMethod<[{
      Emits iterations [lo, hi). Results go through the pointwise ops of the body into
      the kernel's buffers. On failure an error has been emitted.
    }], "::llvm::LogicalResult", "emitKernel",
      (ins "::ampc::cpu::KernelEmission &":$emission)>
  ];
}

#endif // AMPC_TARGET_CPU_KERNELEMITTER
