// RUN: amp-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func @nothing_moves
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @nothing_moves(%x: tensor<2x3xf32>, %v: f32) -> tensor<2x3xf32> {
  %0 = amp.transpose %x [0, 1] : tensor<2x3xf32> to tensor<2x3xf32>
  %1 = amp.slice %0 [0, 0] step [1, 1] to [] : tensor<2x3xf32> to tensor<2x3xf32>
  %2 = amp.pad %1, %v low [0, 0] interior [0, 0] constant to []
     : tensor<2x3xf32>, f32 to tensor<2x3xf32>
  %3 = amp.concat 0 (%2) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = amp.tile %3 to [] : tensor<2x3xf32> to tensor<2x3xf32>
  %5 = amp.reshape %4 to [] : tensor<2x3xf32> to tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// -----

// Equal types are not equal sizes: these may crop, pad or repeat.

// CHECK-LABEL: func @dynamic
// CHECK:         amp.slice
// CHECK:         amp.pad
// CHECK:         amp.tile
func.func @dynamic(%x: tensor<?xf32>, %v: f32, %n: index) -> tensor<?xf32> {
  %0 = amp.slice %x [0] step [1] to [%n] : tensor<?xf32> to tensor<?xf32>
  %1 = amp.pad %0, %v low [0] interior [0] constant to [%n]
     : tensor<?xf32>, f32 to tensor<?xf32>
  %2 = amp.tile %1 to [%n] : tensor<?xf32> to tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// A pad whose low side crops what its high side adds keeps the type.

// CHECK-LABEL: func @shifted
// CHECK:         amp.pad
func.func @shifted(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %0 = amp.pad %x, %v low [-1] interior [0] constant to []
     : tensor<4xf32>, f32 to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @transposes
// CHECK-SAME:    (%[[X:.*]]: tensor<?x3x4xf32>
// CHECK-NEXT:    %[[T:.*]] = amp.transpose %[[X]] [2, 1, 0] : tensor<?x3x4xf32> to tensor<4x3x?xf32>
// CHECK-NEXT:    return %[[T]]
func.func @transposes(%x: tensor<?x3x4xf32>) -> tensor<4x3x?xf32> {
  %0 = amp.transpose %x [1, 2, 0] : tensor<?x3x4xf32> to tensor<3x4x?xf32>
  %1 = amp.transpose %0 [1, 0, 2] : tensor<3x4x?xf32> to tensor<4x3x?xf32>
  return %1 : tensor<4x3x?xf32>
}

// -----

// CHECK-LABEL: func @transpose_back
// CHECK-SAME:    (%[[X:.*]]: tensor<?x3x4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @transpose_back(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  %0 = amp.transpose %x [1, 2, 0] : tensor<?x3x4xf32> to tensor<3x4x?xf32>
  %1 = amp.transpose %0 [2, 0, 1] : tensor<3x4x?xf32> to tensor<?x3x4xf32>
  return %1 : tensor<?x3x4xf32>
}

// -----

// CHECK-LABEL: func @reshapes
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT:    %[[R:.*]] = amp.reshape %[[X]] to [] : tensor<2x3x4xf32> to tensor<24xf32>
// CHECK-NEXT:    return %[[R]]
func.func @reshapes(%x: tensor<2x3x4xf32>) -> tensor<24xf32> {
  %0 = amp.reshape %x to [] : tensor<2x3x4xf32> to tensor<6x4xf32>
  %1 = amp.reshape %0 to [] : tensor<6x4xf32> to tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----

// CHECK-LABEL: func @uniform
// CHECK-NEXT:    arith.constant dense<7> : tensor<2x2xi64>
// CHECK-NEXT:    return
func.func @uniform() -> tensor<2x2xi64> {
  %0 = arith.constant dense<7> : tensor<4x2xi64>
  %1 = amp.transpose %0 [1, 0] : tensor<4x2xi64> to tensor<2x4xi64>
  %2 = amp.slice %1 [0, 3] step [1, -1] to [] : tensor<2x4xi64> to tensor<2x2xi64>
  return %2 : tensor<2x2xi64>
}

// -----

// Moves of small constants are constants.

// CHECK-LABEL: func @small
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<[0, 0, 0, 64]> : tensor<4xi64>
// CHECK-NEXT:    return %[[C]]
func.func @small() -> tensor<4xi64> {
  %pads = arith.constant dense<[[0, 64], [0, 0]]> : tensor<2x2xi64>
  %0 = amp.slice %pads [1, 0] step [-1, 1] to [] : tensor<2x2xi64> to tensor<2x2xi64>
  %1 = amp.transpose %0 [1, 0] : tensor<2x2xi64> to tensor<2x2xi64>
  %2 = amp.reshape %1 to [] : tensor<2x2xi64> to tensor<4xi64>
  return %2 : tensor<4xi64>
}
