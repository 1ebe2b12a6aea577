// RUN: amp-opt %s -amp-bool-to-byte -split-input-file | FileCheck %s

// CHECK:       memref.global "private" constant @flags : memref<3xi8> = dense<[1, 0, 1]>
memref.global "private" constant @flags : memref<3xi1> = dense<[true, false, true]>

// CHECK-LABEL: func @load_and_store
// CHECK-SAME:    (%[[X:.*]]: memref<3xi8>, %{{.*}}: index) -> memref<3xi8>
// CHECK:       %[[G:.*]] = memref.get_global @flags : memref<3xi8>
// CHECK:       %[[B:.*]] = memref.load %[[G]][%{{.*}}] : memref<3xi8>
// CHECK:       %[[F:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : i8
// CHECK:       %[[E:.*]] = arith.extui %[[F]] : i1 to i8
// CHECK:       memref.store %[[E]], %{{.*}} : memref<3xi8>
func.func @load_and_store(%x: memref<3xi1>, %i: index) -> memref<3xi1> {
  %g = memref.get_global @flags : memref<3xi1>
  %b = memref.load %g[%i] : memref<3xi1>
  %a = memref.alloc() : memref<3xi1>
  memref.store %b, %a[%i] : memref<3xi1>
  return %a : memref<3xi1>
}

// -----

// Kernels compute on i1; regions of control flow carry bytes.

// CHECK-LABEL: func @kernel
// CHECK:       scf.if %{{.*}} -> (memref<?xi8>)
// CHECK:       amp.kernel ins(%{{.*}} = %{{.*}} : memref<?xi8>) outs(%{{.*}} : memref<?xi8>) args(tensor<?xi1>)
// CHECK-NEXT:    amp.yield %{{.*}} : tensor<?xi1>
func.func @kernel(%x: memref<?xi1>, %y: memref<?xi1>, %c: i1) {
  %z = scf.if %c -> memref<?xi1> {
    scf.yield %x : memref<?xi1>
  } else {
    scf.yield %y : memref<?xi1>
  }
  amp.kernel ins(%a = %z : memref<?xi1>) outs(%y : memref<?xi1>) args(tensor<?xi1>) {
    amp.yield %a : tensor<?xi1>
  }
  return
}
