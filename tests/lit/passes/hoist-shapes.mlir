// RUN: amp-opt %s -amp-hoist-shapes -split-input-file | FileCheck %s

// Sizes, reads of inputs and checks move before the first allocation, in order:
// the division stays behind the check that guards it.

// CHECK-LABEL: func @in_order
// CHECK:       %[[V:.*]] = memref.load %arg1
// CHECK:       %[[D:.*]] = arith.index_cast %[[V]]
// CHECK:       amp.check
// CHECK:       %[[Q:.*]] = arith.divsi %arg2, %[[D]]
// CHECK:       memref.alloc(%arg2)
// CHECK:       memref.alloc(%[[Q]])
func.func @in_order(%x: memref<?xf32>, %s: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %v = memref.load %s[%c0] : memref<1xi64>
  %d = arith.index_cast %v : i64 to index
  %ok = arith.cmpi ne, %d, %c0 : index
  amp.check %ok, 5, "zero"
  %q = arith.divsi %n, %d : index
  %b = memref.alloc(%q) : memref<?xf32>
  return
}

// -----

// What kernels compute stays.

// CHECK-LABEL: func @late
// CHECK:       memref.alloc()
// CHECK:       amp.kernel
// CHECK:       memref.load
// CHECK:       memref.alloc(%{{.*}})
func.func @late(%x: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xi64>
  amp.kernel ins(%i = %x : memref<1xi64>) outs(%a : memref<1xi64>) args(tensor<1xi64>) {
    amp.yield %i : tensor<1xi64>
  }
  %v = memref.load %a[%c0] : memref<1xi64>
  %n = arith.index_cast %v : i64 to index
  %b = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// Out of a branch moves what may run though the branch is not taken.

// CHECK-LABEL: func @branch
// CHECK:       %[[M:.*]] = arith.addi %arg1, %arg1
// CHECK:       memref.alloc(%arg1)
// CHECK:       scf.if
// CHECK:         %[[Q:.*]] = arith.divsi %arg1, %arg2
// CHECK:         memref.alloc(%[[M]])
// CHECK:         memref.alloc(%[[Q]])
func.func @branch(%c: i1, %n: index, %d: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  scf.if %c {
    %m = arith.addi %n, %n : index
    %q = arith.divsi %n, %d : index
    %e = memref.alloc(%m) : memref<?xf32>
    %f = memref.alloc(%q) : memref<?xf32>
  }
  return
}
