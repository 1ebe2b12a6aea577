// RUN: amp-opt %s -amp-place-slices -split-input-file | FileCheck %s

// CHECK-LABEL: func @concat
// CHECK-SAME:    (%[[A:.*]]: tensor<2x?xf32>, %[[B:.*]]: tensor<2x3xf32>
// CHECK:       %[[N:.*]] = tensor.dim %[[A]]
// CHECK:       %[[E:.*]] = tensor.empty
// CHECK:       %[[I:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [2, %{{.*}}] [1, 1]
// CHECK:       tensor.insert_slice %[[B]] into %[[I]][0, %{{.*}}] [2, 3] [1, 1]
func.func @concat(%a: tensor<2x?xf32>, %b: tensor<2x3xf32>) -> tensor<2x?xf32> {
  %c = amp.concat 1 (%a, %b) : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  return %c : tensor<2x?xf32>
}

// -----

// CHECK-LABEL: func @pad
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK:       %[[L:.*]] = tensor.extract_slice %[[E]][0, 0] [4, 1] [1, 1]
// CHECK:       %[[F:.*]] = amp.kernel {{.*}} outs(%[[L]] : tensor<4x1xf32>)
// CHECK:         amp.splat
// CHECK:       %[[LOW:.*]] = tensor.insert_slice %[[F]] into %[[E]][0, 0] [4, 1] [1, 1]
// CHECK:       %[[H:.*]] = tensor.extract_slice %[[LOW]][0, 6] [4, 2] [1, 1]
// CHECK:       %[[G:.*]] = amp.kernel {{.*}} outs(%[[H]] : tensor<4x2xf32>)
// CHECK:       %[[HIGH:.*]] = tensor.insert_slice %[[G]] into %[[LOW]][0, 6] [4, 2] [1, 1]
// CHECK:       tensor.insert_slice %arg0 into %[[HIGH]][0, 1] [4, 5] [1, 1]
func.func @pad(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = amp.pad %x, %zero low [0, 1] interior [0, 0] constant to [] {grows}
     : tensor<4x5xf32>, f32 to tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}

// -----

// A pad that may crop is no insertion.

// CHECK-LABEL: func @crop
// CHECK:       amp.pad
func.func @crop(%x: tensor<4x5xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = amp.pad %x, %zero low [0, -1] interior [0, 0] constant to []
     : tensor<4x5xf32>, f32 to tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}

// -----

// The terminator stays where it is, though it only passes values on.

// CHECK-LABEL: func @passes
// CHECK:       amp.check
// CHECK-NEXT:  return
func.func @passes(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  amp.check %c, 5, "wrong"
  return %x : tensor<?xf32>
}
