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
      Schedules that may be the fastest for the kernel, at most a few tens, the one first
      that stands for the kernel without any. Whichever it is, the bits are the same. None
      if there is nothing to choose. `values` are at a place where ops may be added, and
      the kernel fits its emitter.
    }], "::llvm::SmallVector<::amp::ScheduleAttr>", "getSchedules",
      (ins "::ampc::cpu::KernelValues &":$values,
           "const ::ampc::cpu::CpuTarget &":$target), /*methodBody=*/"",
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Emits iterations [lo, hi), cut as the kernel's schedule says, if it has one. Results
      go through the pointwise ops of the body into the kernel's buffers. On failure an
      error has been emitted, of impossible schedules too.
    }], "::llvm::LogicalResult", "emitKernel",
      (ins "::ampc::cpu::KernelEmission &":$emission)>
  ];
}

#endif // AMPC_TARGET_CPU_KERNELEMITTER
