// RUN: amp-opt %s -amp-cpu-to-llvm -reconcile-unrealized-casts -split-input-file -verify-diagnostics | FileCheck %s

// A fused multiply-add rounds once, whatever the processor.

// CHECK-LABEL: llvm.func @loads
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK:         llvm.intr.fma(%{{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:         llvm.sdiv
// CHECK-NOT:     builtin.unrealized_conversion_cast
func.func @loads(%x: memref<?xf32>, %i: index, %j: index) -> index {
  %v = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
  %f = vector.fma %v, %v, %v : vector<8xf32>
  vector.store %f, %x[%i] : memref<?xf32>, vector<8xf32>
  %d = arith.floordivsi %i, %j : index
  return %d : index
}

// -----

// What would need malloc or memrefCopy is an error.

func.func @alloc(%n: index) {
  // expected-error @+1 {{must be gone before the conversion}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{must be gone before the conversion}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}
