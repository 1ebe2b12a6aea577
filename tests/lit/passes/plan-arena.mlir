// RUN: amp-opt %s -amp-plan-arena -split-input-file | FileCheck %s
// RUN: amp-opt %s -amp-plan-arena -canonicalize -split-input-file | FileCheck %s --check-prefix=CLEAN

// The returned buffer is the caller's, in the shape of the signature; the other
// is a slice of the arena.

// CHECK-LABEL: func @main(%arg0: memref<?xf32>, %arg1: index, %arg2: index)
// CHECK-SAME:    amp.outputs = [{amp.name = "y", type = memref<?x?xf32>}]
// CHECK:       %[[N:.*]] = arith.index_cast %arg1 : index to i64
// CHECK:       %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended %{{.*}}, %[[N]]
// CHECK:       %[[FITS:.*]] = arith.andi
// CHECK:       %[[S:.*]] = arith.select %[[FITS]], %[[LOW]], %c-1
// CHECK:       %[[B:.*]] = arith.index_cast %[[S]] : i64 to index
// CHECK:       %[[BASE:.*]], %[[O:.*]] = amp.arena 0 sizes(%[[B]])
// CHECK:       %[[A:.*]] = memref.view %[[BASE]][%[[O]]][%arg1] : memref<?xi8> to memref<?xf32>
// CHECK:       amp.kernel {{.*}} outs(%[[A]] : memref<?xf32>)
// CHECK:       %[[Y:.*]] = amp.output 0[%arg2, %arg2] (%arg1) : memref<?xf32>
// CHECK:       amp.kernel {{.*}} outs(%[[Y]] : memref<?xf32>)
// CHECK:       return{{$}}
func.func @main(%x: memref<?xf32>, %n: index, %m: index)
    -> (memref<?x?xf32> {amp.name = "y"}) {
  %a = memref.alloc(%n) : memref<?xf32>
  amp.kernel ins(%i = %x : memref<?xf32>) outs(%a : memref<?xf32>) args(tensor<?xf32>) {
    amp.yield %i : tensor<?xf32>
  }
  %b = memref.alloc(%n) : memref<?xf32>
  amp.kernel ins(%i = %a : memref<?xf32>) outs(%b : memref<?xf32>) args(tensor<?xf32>) {
    amp.yield %i : tensor<?xf32>
  }
  %r = memref.reinterpret_cast %b to offset: [0], sizes: [%m, %m], strides: [%m, 1]
     : memref<?xf32> to memref<?x?xf32>
  return %r : memref<?x?xf32>
}

// -----

// Arguments, and a buffer returned twice, are copied.

// CHECK-LABEL: func @copies
// CHECK:       %[[A:.*]] = amp.output 1[%c4] () : memref<4xf32>
// CHECK:       %[[X:.*]] = amp.output 0[%{{.*}}] () : memref<4xf32>
// CHECK:       memref.copy %arg0, %[[X]]
// CHECK:       %[[C:.*]] = amp.output 2[%{{.*}}] () : memref<4xf32>
// CHECK:       memref.copy %[[A]], %[[C]]
func.func @copies(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %x, %a, %a : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// Sizes that come too late, and buffers that leave their iteration, are the side
// arena's. One that stays inside its iteration is not.

// CHECK-LABEL: func @side
// CHECK:       amp.arena 0 sizes(%{{.*}}, %{{.*}})
// CHECK:       %[[A:.*]] = memref.view {{.*}} to memref<1xi64>
// CHECK:       %[[V:.*]] = memref.load
// CHECK:       amp.side_alloc(%{{.*}}) : memref<?xf32>
// CHECK:       scf.for
// CHECK:         memref.view {{.*}} to memref<4xf32>
// CHECK:         amp.side_alloc() : memref<4xf32>
func.func @side(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<1xi64>
  %v = memref.load %a[%c0] : memref<1xi64>
  %m = arith.index_cast %v : i64 to index
  %b = memref.alloc(%m) : memref<?xf32>
  memref.copy %b, %b : memref<?xf32> to memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> memref<4xf32> {
    %t = memref.alloc() : memref<4xf32>
    memref.copy %acc, %t : memref<4xf32> to memref<4xf32>
    %u = memref.alloc() : memref<4xf32>
    memref.copy %t, %u : memref<4xf32> to memref<4xf32>
    scf.yield %u : memref<4xf32>
  }
  return
}

// -----

// A loop that reads a buffer keeps it until it ends: %a and %t must not share.

// CHECK-LABEL: func @loop
// CHECK:       amp.arena 0 sizes(%{{.*}}, %{{.*}}) first [3, 5] last [9, 9]
func.func @loop(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %b : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// Elements of a view are its buffer's: %a lives until the last use of the view.

// CHECK-LABEL: func @view
// CHECK:       amp.arena 0 sizes(%{{.*}}, %{{.*}}) first [1, 3] last [4, 4]
func.func @view(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %v = memref.subview %a[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  %b = memref.alloc() : memref<2xf32>
  memref.copy %v, %b : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32>
  return
}

// -----

// One byte an element: what is left of the size is valid once constants fold.

// CLEAN-LABEL: func @bytes
// CLEAN:       amp.arena 0 sizes
func.func @bytes(%x: memref<?xi8>, %y: memref<?xi8>, %n: index) {
  %a = memref.alloc(%n) : memref<?xi8>
  memref.copy %x, %a : memref<?xi8> to memref<?xi8>
  memref.copy %a, %y : memref<?xi8> to memref<?xi8>
  return
}
