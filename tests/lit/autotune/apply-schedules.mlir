// A table written for this kernel gives it its schedule; unknown kernels, stale
// tables and schedules that the emitter does not list change nothing.

// RUN: rm -rf %t && mkdir %t
// RUN: amp-opt %s -amp-cpu-apply-schedules | FileCheck %s -check-prefix=NONE
// RUN: %python %S/Inputs/write_tables.py %s %t
// RUN: amp-opt %s -amp-cpu-apply-schedules=table=%t/good.txt | FileCheck %s
// RUN: amp-opt %s -amp-cpu-apply-schedules="table=%t/good.txt vector-bytes=64" | FileCheck %s -check-prefix=NONE
// RUN: amp-opt %s -amp-cpu-apply-schedules=table=%t/stale.txt | FileCheck %s -check-prefix=NONE
// RUN: amp-opt %s -amp-cpu-apply-schedules=table=%t/unlisted.txt | FileCheck %s -check-prefix=NONE
// RUN: not amp-opt %s -amp-cpu-apply-schedules=table=%t/broken.txt 2>&1 | FileCheck %s -check-prefix=BROKEN
// RUN: not amp-opt %s -amp-cpu-apply-schedules=table=%t/none.txt 2>&1 | FileCheck %s -check-prefix=MISSING
// BROKEN: error: line 2 is no entry of a table of schedules
// MISSING: error: cannot read '{{.*}}none.txt': No such file or directory

// NONE-NOT: #amp.schedule

// Names and places do not matter, sizes do, and those of the second are dynamic.
// CHECK-LABEL: func.func @static
// CHECK: attributes {schedule = #amp.schedule<block_rows = 40, k_steps = 384, pack = 1, tile_rows = 4, tile_vectors = 3>}
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: #amp.schedule
func.func @static(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  amp.kernel ins(%p = %x, %q = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %product = amp.matmul %p, %q : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32> loc("node")
    amp.yield %product : tensor<40x96xf32>
  }
  return
}
func.func @dynamic(%x: memref<?x64xf32>, %y: memref<64x96xf32>, %r: memref<?x96xf32>) {
  amp.kernel ins(%p = %x, %q = %y : memref<?x64xf32>, memref<64x96xf32>) outs(%r : memref<?x96xf32>)
             args(tensor<?x64xf32>, tensor<64x96xf32>) {
    %product = amp.matmul %p, %q : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
    amp.yield %product : tensor<?x96xf32>
  }
  return
}
