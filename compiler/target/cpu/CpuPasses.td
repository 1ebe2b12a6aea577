//===- CpuPasses.td - Passes of the CPU back end ---------*- tablegen -*-===//

#ifndef AMPC_TARGET_CPU_PASSES
#define AMPC_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CpuEmitKernels : Pass<"amp-cpu-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into functions and launches";
  let description = [{
    Every bufferized `amp.kernel` becomes a function over a range of its parallel loop
    and an `amp.launch` of it. Equal kernels share a function. The root of the body
    chooses the emitter; kernels without one are pointwise loops.

    ```mlir
    amp.kernel ins(%a = %x : memref<?xf32>) outs(%y : memref<?xf32>) args(tensor<?xf32>) {
      %0 = math.sqrt %a : tensor<?xf32>
      amp.yield %0 : tensor<?xf32>
    }
    // becomes
    amp.launch @pointwise_0(%x, %y) range %blocks grain 31 : memref<?xf32>, memref<?xf32>
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "Bytes of a vector register: 16, 32 or 64">
  ];
  let constructor = "::ampc::cpu::createCpuEmitKernelsPass()";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CpuExpandMath : Pass<"amp-cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "Expand math ops into arithmetic";
  let description = [{
    Replaces `math` ops on scalars and vectors by arithmetic that gives the same bits for
    both, so that results do not depend on what was vectorized. f32 functions are ours,
    within 2 units in the last place; f64 functions call the C library, element by
    element. What the processor has instructions for (square roots, rounding, fused
    multiply-add, ...) stays. A constant divisor becomes two multiplications that give the
    same bits (ExactReciprocal.h).

    ```mlir
    %0 = arith.divf %x, %c6 : f32
    ```
    ==>
    ```mlir
    %0 = arith.mulf %x, %low : f32
    %1 = math.fma %x, %high, %0 : f32
    ```
  }];
  let constructor = "::ampc::cpu::createCpuExpandMathPass()";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def CpuBF16ToBits : Pass<"amp-cpu-bf16-to-bits", "::mlir::ModuleOp"> {
  let summary = "store bf16 as 16-bit integers";
  let description = [{
    All that is left of bf16 here are moves and operations on its bits. LLVM would do
    even some moves by way of f32 where the processor has no bf16, and call a library
    to come back. So the type goes away.

    ```mlir
    %0 = arith.constant 1.0 : bf16
    %1 = arith.bitcast %x : bf16 to i16
    memref.store %0, %m[] : memref<bf16>
    ```
    ==>
    ```mlir
    %0 = arith.constant 16256 : i16
    memref.store %0, %m[] : memref<i16>
    ```
  }];
}

def CpuLowerAbi : Pass<"amp-cpu-lower-abi", "::mlir::ModuleOp"> {
  let summary = "call the runtime instead of amp's host ops";
  let description = [{
    `@main` becomes `@ampc_main(ptr exec) -> i32`, which finds its inputs in the context and
    returns a status. Kernel functions take their arguments packed in memory, as
    the runtime's pool passes them. Weights are an offset from one pointer. Control flow must be
    `cf` by now, because a failed check returns.

    ```mlir
    amp.check %ok, 5, "the dimensions differ"
    ```
    ==>
    ```mlir
      cf.cond_br %ok, ^next, ^failed
    ^next: ...
    ^failed:
      %status = llvm.call @ampc_rt_fail(%exec, %c5, %message) : (!llvm.ptr, i32, !llvm.ptr) -> i32
      return %status : i32
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::arith::ArithDialect"];
}

def CpuToLLVM : Pass<"amp-cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert all that is left to the LLVM dialect";
  let description = [{
    Allocations, copies and anything else that would need a library must be gone: they
    are errors here, not calls of `malloc` or `memrefCopy`.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def CpuFoldOffsets : Pass<"amp-cpu-fold-offsets", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "add the constant part of an address last";
  let description = [{
    Instructions have room for a constant in their address, and what rows of a tile have
    in common is computed once. Canonicalization and CSE are to follow.

    ```mlir
    %0 = llvm.add %row, %c3 : i64
    %1 = llvm.mul %0, %c200 : i64
    %2 = llvm.add %1, %column : i64
    ```
    ==>
    ```mlir
    %0 = llvm.mul %row, %c200 : i64
    %1 = llvm.add %0, %column : i64
    %2 = llvm.add %1, %c600 : i64
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // AMPC_TARGET_CPU_PASSES
