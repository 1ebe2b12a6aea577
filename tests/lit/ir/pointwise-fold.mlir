// RUN: amp-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func @same_type
// CHECK-SAME:    (%[[X:.*]]: tensor<2x?xf32>
// CHECK-NEXT:    return %[[X]]
func.func @same_type(%x: tensor<2x?xf32>, %n: index) -> tensor<2x?xf32> {
  %0 = amp.broadcast %x to [%n] : tensor<2x?xf32> to tensor<2x?xf32>
  %1 = amp.cast %0 source : tensor<2x?xf32> to tensor<2x?xf32>
  return %1 : tensor<2x?xf32>
}

// -----

// A dimension that may be one at run time is a broadcast even to its own type.

// CHECK-LABEL: func @maybe_one
// CHECK:         amp.broadcast
func.func @maybe_one(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = amp.broadcast %x to [%n] {maybe_one = array<i64: 0>}
     : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @twice
// CHECK-SAME:    (%[[X:.*]]: tensor<3x1xf32>, %[[N:.*]]: index
// CHECK-NEXT:    %[[B:.*]] = amp.broadcast %[[X]] to [%[[N]]] : tensor<3x1xf32> to tensor<?x3x8xf32>
// CHECK-NEXT:    return %[[B]]
func.func @twice(%x: tensor<3x1xf32>, %n: index) -> tensor<?x3x8xf32> {
  %0 = amp.broadcast %x to [] : tensor<3x1xf32> to tensor<3x8xf32>
  %1 = amp.broadcast %0 to [%n] : tensor<3x8xf32> to tensor<?x3x8xf32>
  return %1 : tensor<?x3x8xf32>
}

// -----

// The outer broadcast repeats what is 1 only because the inner one says so.

// CHECK-LABEL: func @twice_dynamic
// CHECK-COUNT-2: amp.broadcast
func.func @twice_dynamic(%x: tensor<?xf32>) -> tensor<4x8xf32> {
  %0 = amp.broadcast %x to [] : tensor<?xf32> to tensor<4x1xf32>
  %1 = amp.broadcast %0 to [] : tensor<4x1xf32> to tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @splat_constant
// CHECK-NEXT:    arith.constant dense<2.5{{.*}}> : tensor<4x3xf32>
// CHECK-NEXT:    return
func.func @splat_constant() -> tensor<4x3xf32> {
  %0 = arith.constant dense<2.5> : tensor<3xf32>
  %1 = amp.broadcast %0 to [] : tensor<3xf32> to tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// Narrowing and widening again rounds: that is part of the model.

// CHECK-LABEL: func @round_trip
// CHECK-NEXT:    amp.cast
// CHECK-NEXT:    amp.cast
// CHECK-NEXT:    return
func.func @round_trip(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = amp.cast %x source : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %0 source : tensor<4xf16> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Sizes that are computed alike are equal, so that nothing is repeated.
// CHECK-LABEL: func @not_repeated
// CHECK: amp.broadcast %{{.*}} {maybe_one = array<i64: 1>}
func.func @not_repeated(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = math.exp %x : tensor<?x?xf32>
  %y = amp.broadcast %e to [%rows, %n] {maybe_one = array<i64: 0, 1>} : tensor<?x?xf32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
