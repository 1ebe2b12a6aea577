// RUN: amp-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @tensors
func.func @tensors(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %s: f32, %init: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  // CHECK: %{{.*}} = amp.kernel ins(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}} : tensor<?x8xf32>, tensor<?x8xf32>, f32) outs(%{{.*}} : tensor<?x8xf32>) {
  // CHECK-NEXT: arith.addf %[[A]], %[[B]] : tensor<?x8xf32>
  // CHECK:      amp.yield %{{.*}} : tensor<?x8xf32>
  // CHECK-NEXT: } : tensor<?x8xf32>
  %r = amp.kernel ins(%a = %x, %b = %y, %c = %s : tensor<?x8xf32>, tensor<?x8xf32>, f32)
                  outs(%init : tensor<?x8xf32>) {
    %0 = arith.addf %a, %b : tensor<?x8xf32>
    %1 = math.exp %0 : tensor<?x8xf32>
    amp.yield %1 : tensor<?x8xf32>
  } : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Buffers still are tensors inside; booleans are bytes outside.

// CHECK-LABEL: func @buffers
func.func @buffers(%x: memref<?x8xf32>, %out: memref<?x8xi8>) {
  // CHECK: amp.kernel ins(%[[A:.*]] = %{{.*}} : memref<?x8xf32>) outs(%{{.*}} : memref<?x8xi8>) args(tensor<?x8xf32>) {
  amp.kernel ins(%a = %x : memref<?x8xf32>) outs(%out : memref<?x8xi8>) args(tensor<?x8xf32>) {
    %0 = arith.cmpf ogt, %a, %a : tensor<?x8xf32>
    amp.yield %0 : tensor<?x8xi1>
  }
  return
}

func.func private @kernel_3(%x: memref<?x8xf32>, %lo: index, %hi: index) {
  return
}

// CHECK-LABEL: func @memory
func.func @memory(%x: memref<?x8xf32>, %n: index, %c: index, %nc: index) {
  // CHECK: amp.launch @kernel_3(%{{.*}}) range %{{.*}} grain 16 : memref<?x8xf32>
  amp.launch @kernel_3(%x) range %n grain 16 : memref<?x8xf32>
  // CHECK: %{{.*}}, %{{.*}}:2 = amp.arena 0 sizes(%{{.*}}, %{{.*}}) first [0, 1] last [1, 3] : memref<?xi8>, index, index
  %base, %o:2 = amp.arena 0 sizes(%n, %c) first [0, 1] last [1, 3] : memref<?xi8>, index, index
  // CHECK: amp.side_alloc(%{{.*}}) : memref<?x4xf32>
  %b = amp.side_alloc(%n) : memref<?x4xf32>
  // CHECK: amp.output 0[%{{.*}}, %{{.*}}] (%{{.*}}) : memref<?xf32>
  %out = amp.output 0 [%n, %c] (%nc) : memref<?xf32>
  return
}
