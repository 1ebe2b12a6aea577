// RUN: amp-opt %s -amp-cpu-emit-kernels=profile=true | FileCheck %s -check-prefix=EMIT
// RUN: amp-opt %s -amp-cpu-emit-kernels | FileCheck %s -check-prefix=PLAIN
// RUN: amp-opt %s -amp-cpu-emit-kernels=profile=true -amp-cpu-lower-abi | FileCheck %s

// Equal kernels share a function, but each launch has its own times.

// EMIT:      amp.launch @pointwise_0(%{{.*}}) range %{{.*}} grain {{[0-9]+}} {amp.profile}
// EMIT:      amp.launch @pointwise_0(%{{.*}}) range %{{.*}} grain {{[0-9]+}} {amp.profile}
// PLAIN-NOT: amp.profile

// CHECK:       module attributes {amp.launches = [
// CHECK-SAME:    {kernel = "pointwise_0", nodes = ["twice", "also"], operands = "f32[?,8], f32[?,8]", ops = ["Add", ""]}
// CHECK-SAME:    {kernel = "pointwise_0", nodes = [], operands = "f32[?,8], f32[?,8]", ops = []}]}
// CHECK:       llvm.mlir.global internal @ampc_launch_times() {addr_space = 0 : i32} : !llvm.array<2 x struct<(i64, i64)>>
// CHECK:         llvm.mlir.zero
// CHECK:       llvm.mlir.addressof @ampc_launch_times
// CHECK-NEXT:  %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i64)>
// CHECK-NEXT:  llvm.call @ampc_rt_profiled_parallel(%{{.*}}, %[[FIRST]])
// CHECK:       llvm.mlir.addressof @ampc_launch_times
// CHECK-NEXT:  %[[SECOND:.*]] = llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i64)>
// CHECK-NEXT:  llvm.call @ampc_rt_profiled_parallel(%{{.*}}, %[[SECOND]])
// CHECK-NOT:   ampc_rt_parallel

func.func @main(%x: memref<?x8xf32>, %n: memref<?x8xf32>) attributes {amp.outputs = []} {
  amp.kernel ins(%a = %x : memref<?x8xf32>) outs(%n : memref<?x8xf32>) args(tensor<?x8xf32>) {
    %s = arith.addf %a, %a : tensor<?x8xf32>
    amp.yield %s : tensor<?x8xf32>
  } loc(fused["twice"("Add"), "also", "twice"("Add")])
  amp.kernel ins(%a = %x : memref<?x8xf32>) outs(%n : memref<?x8xf32>) args(tensor<?x8xf32>) {
    %s = arith.addf %a, %a : tensor<?x8xf32>
    amp.yield %s : tensor<?x8xf32>
  }
  return
}
