//===- Passes.td - Passes of the autotuner ---------------*- tablegen -*-===//

#ifndef AMPC_AUTOTUNE_PASSES
#define AMPC_AUTOTUNE_PASSES

include "mlir/Pass/PassBase.td"

def CpuApplySchedules : Pass<"amp-cpu-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "give kernels the schedules that were measured to be fast";
  let description = [{
    Runs right before `amp-cpu-emit-kernels`, on bufferized kernels. Each is looked up by its
    canonical text in a tuning database, if there is one, then in the table that comes with
    ampc. What neither knows, or knows to be best left alone, stays as it is, and so do
    kernels whose sizes only the run knows.

    ```mlir
    amp.kernel ins(%a = %x, %b = %y : memref<196x256xf32>, memref<256x64xf32>)
               outs(%r : memref<196x64xf32>) args(...) { ... }
    ```
    ==>
    ```mlir
    amp.kernel ins(%a = %x, %b = %y : memref<196x256xf32>, memref<256x64xf32>)
               outs(%r : memref<196x64xf32>)
               attributes {schedule = #amp.schedule<block_rows = 196, k_steps = 384,
                                                    pack = 1, tile_rows = 14,
                                                    tile_vectors = 2>} args(...) { ... }
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "Bytes of a vector register: 16, 32 or 64">,
    Option<"tableFile", "table", "std::string", "\"\"",
           "A table of schedules to use instead of ampc's own">
  ];
  let constructor = "::ampc::tune::createCpuApplySchedulesPass()";
  let dependentDialects = ["::amp::AmpDialect", "::mlir::func::FuncDialect"];
}

#endif // AMPC_AUTOTUNE_PASSES
