// RUN: amp-opt %s -amp-bufferize -canonicalize -split-input-file | FileCheck %s

// Kernels keep their bodies on tensors; arguments are never written; a weight is
// memory, and a reshape another view of it.

amp.weight_data @w = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

// CHECK-LABEL: func @kernel
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>) -> memref<2x2xf32>
// CHECK:       %[[W:.*]] = amp.weight @w : memref<4xf32>
// CHECK:       %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK:       amp.kernel ins(%[[I:.*]] = %[[X]], %[[J:.*]] = %[[W]] : memref<4xf32>, memref<4xf32>)
// CHECK-SAME:    outs(%[[A]] : memref<4xf32>) args(tensor<4xf32>, tensor<4xf32>)
// CHECK:         arith.addf %[[I]], %[[J]] : tensor<4xf32>
// CHECK:       %[[R:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [2, 2], strides: [2, 1]
// CHECK:       return %[[R]]
func.func @kernel(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %w = amp.weight @w : tensor<4xf32>
  %k = amp.kernel ins(%a = %x, %b = %w : tensor<4xf32>, tensor<4xf32>)
                  outs(%x : tensor<4xf32>) {
    %s = arith.addf %a, %b : tensor<4xf32>
    amp.yield %s : tensor<4xf32>
  } : tensor<4xf32>
  %r = amp.reshape %k to [] : tensor<4xf32> to tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

// A slice is not contiguous, so its reshape copies.

// CHECK-LABEL: func @reshape_of_slice
// CHECK:       %[[S:.*]] = memref.subview
// CHECK:       %[[C:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xf32>
// CHECK:       memref.copy %[[S]], %[[C]]
// CHECK:       memref.reinterpret_cast %[[C]] to offset: [0], sizes: [%{{.*}}], strides: [1]
func.func @reshape_of_slice(%x: tensor<?x6xf32>, %m: index, %t: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %x[0, 1] [%m, 4] [1, 1] : tensor<?x6xf32> to tensor<?x4xf32>
  %r = amp.reshape %s to [%t] : tensor<?x4xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Strides of the result follow from its sizes.

// CHECK-LABEL: func @dynamic_reshape
// CHECK-SAME:    (%[[X:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK:       %[[S:.*]] = arith.muli %[[N]], %c3
// CHECK:       memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]], 3, %[[N]]],
// CHECK-SAME:    strides: [%[[S]], %[[N]], 1] : memref<?xf32> to memref<?x3x?xf32>
func.func @dynamic_reshape(%x: tensor<?xf32>, %m: index, %n: index) -> tensor<?x3x?xf32> {
  %r = amp.reshape %x to [%m, %n] : tensor<?xf32> to tensor<?x3x?xf32>
  return %r : tensor<?x3x?xf32>
}

// -----

// One memory: places are the buffer itself.

// CHECK-LABEL: func @places
// CHECK-SAME:    (%[[X:.*]]: memref<2xi64>)
// CHECK-NEXT:  return %[[X]]
func.func @places(%x: tensor<2xi64>) -> tensor<2xi64> {
  %h = amp.to_host %x : tensor<2xi64>
  %d = amp.to_device %h : tensor<2xi64>
  return %d : tensor<2xi64>
}

// -----

// A loop writes what it carries back into one buffer, a copy of the argument.

// CHECK-LABEL: func @carried
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %{{.*}}: index)
// CHECK:       %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK:       memref.copy %[[X]], %[[A]]
// CHECK:       scf.for
// CHECK:         %[[T:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK:         amp.kernel ins(%{{.*}} = %[[A]] : memref<4xf32>) outs(%[[T]] : memref<4xf32>)
// CHECK:         memref.copy %[[T]], %[[A]]
// CHECK-NOT:     memref.alloc
// CHECK:       return %[[A]]
func.func @carried(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %k = amp.kernel ins(%a = %s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      %0 = math.exp %a : tensor<4xf32>
      amp.yield %0 : tensor<4xf32>
    } : tensor<4xf32>
    %w = bufferization.materialize_in_destination %k in %s
       : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Values that trade places are copied: no two arguments may share a buffer.

// CHECK-LABEL: func @traded
// CHECK:       scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK:         memref.copy %[[Q]], %[[A]]
// CHECK:         %[[B:.*]] = memref.alloc
// CHECK:         memref.copy %[[P]], %[[B]]
// CHECK:         scf.yield %[[A]], %[[B]]
func.func @traded(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y)
      -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
