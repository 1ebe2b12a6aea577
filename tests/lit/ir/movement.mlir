// RUN: amp-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @iota
func.func @iota(%n: index) -> tensor<4x?xi64> {
  // CHECK: amp.iota 1 to [%{{.*}}] : tensor<4x?xi64>
  %0 = amp.iota 1 to [%n] : tensor<4x?xi64>
  return %0 : tensor<4x?xi64>
}

// CHECK-LABEL: func @transpose
func.func @transpose(%x: tensor<?x3x4xf32>) -> tensor<?x4x3xf32> {
  // CHECK: amp.transpose %{{.*}} [0, 2, 1] : tensor<?x3x4xf32> to tensor<?x4x3xf32>
  %0 = amp.transpose %x [0, 2, 1] : tensor<?x3x4xf32> to tensor<?x4x3xf32>
  return %0 : tensor<?x4x3xf32>
}

// CHECK-LABEL: func @slice
func.func @slice(%x: tensor<4x9xf32>, %b: index, %n: index) -> tensor<4x?xf32> {
  // CHECK: amp.slice %{{.*}} [0, %{{.*}}] step [1, -1] to [%{{.*}}] : tensor<4x9xf32> to tensor<4x?xf32>
  %0 = amp.slice %x [0, %b] step [1, -1] to [%n] : tensor<4x9xf32> to tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func @pad
func.func @pad(%x: tensor<4x?xf32>, %zero: f32, %l: index, %n: index) -> tensor<4x?xf32> {
  // CHECK: amp.pad %{{.*}}, %{{.*}} low [0, %{{.*}}] interior [0, 0] constant to [%{{.*}}] : tensor<4x?xf32>, f32 to tensor<4x?xf32>
  %0 = amp.pad %x, %zero low [0, %l] interior [0, 0] constant to [%n]
     : tensor<4x?xf32>, f32 to tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func @concat
func.func @concat(%a: tensor<2x?xf32>, %b: tensor<2x3xf32>) -> tensor<2x?xf32> {
  // CHECK: amp.concat 1 (%{{.*}}, %{{.*}}) : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  %0 = amp.concat 1 (%a, %b) : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func @tile
func.func @tile(%x: tensor<2x3xf32>, %n: index) -> tensor<?x3xf32> {
  // CHECK: amp.tile %{{.*}} to [%{{.*}}] : tensor<2x3xf32> to tensor<?x3xf32>
  %0 = amp.tile %x to [%n] : tensor<2x3xf32> to tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// CHECK-LABEL: func @gather
func.func @gather(%table: tensor<1000x64xf32>, %ids: tensor<?xi64>) -> tensor<?x64xf32> {
  // CHECK: amp.gather 0 %{{.*}}[%{{.*}}] : tensor<1000x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
  %0 = amp.gather 0 %table[%ids] : tensor<1000x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func @gather_elements
func.func @gather_elements(%x: tensor<3x3xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  // CHECK: amp.gather_elements 1 %{{.*}}[%{{.*}}] : tensor<3x3xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  %0 = amp.gather_elements 1 %x[%i] : tensor<3x3xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @gather_nd
func.func @gather_nd(%x: tensor<2x3x4xf32>, %i: tensor<5x2xi64>) -> tensor<5x4xf32> {
  // CHECK: amp.gather_nd 0 %{{.*}}[%{{.*}}] : tensor<2x3x4xf32>, tensor<5x2xi64> -> tensor<5x4xf32>
  %0 = amp.gather_nd 0 %x[%i] : tensor<2x3x4xf32>, tensor<5x2xi64> -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func @scatter_elements
func.func @scatter_elements(%x: tensor<3x3xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>)
    -> tensor<3x3xf32> {
  // CHECK: amp.scatter_elements 0 add %{{.*}}[%{{.*}}] = %{{.*}} : tensor<3x3xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<3x3xf32>
  %0 = amp.scatter_elements 0 add %x[%i] = %u
     : tensor<3x3xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: func @scatter_nd
func.func @scatter_nd(%x: tensor<8xf32>, %i: tensor<4x1xi64>, %u: tensor<4xf32>)
    -> tensor<8xf32> {
  // CHECK: amp.scatter_nd replace %{{.*}}[%{{.*}}] = %{{.*}} : tensor<8xf32>, tensor<4x1xi64>, tensor<4xf32> -> tensor<8xf32>
  %0 = amp.scatter_nd replace %x[%i] = %u
     : tensor<8xf32>, tensor<4x1xi64>, tensor<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @resize
func.func @resize(%x: tensor<1x8x?x?xf32>, %sh: f32, %sw: f32, %h: index, %w: index)
    -> tensor<1x8x?x?xf32> {
  // CHECK: amp.resize %{{.*}} axes [2, 3] scales (%{{.*}}, %{{.*}}) nearest asymmetric floor to [%{{.*}}, %{{.*}}] : tensor<1x8x?x?xf32> to tensor<1x8x?x?xf32>
  %0 = amp.resize %x axes [2, 3] scales (%sh, %sw) nearest asymmetric floor to [%h, %w]
     : tensor<1x8x?x?xf32> to tensor<1x8x?x?xf32>
  // CHECK: amp.resize %{{.*}} axes [3] scales (%{{.*}}) roi (%{{.*}}, %{{.*}}) linear tf_crop_and_resize floor to [%{{.*}}, %{{.*}}] {extrapolation = 1.000000e+00 : f32}
  %1 = amp.resize %0 axes [3] scales (%sw) roi (%sh, %sw) linear tf_crop_and_resize floor
       to [%h, %w] {extrapolation = 1.0 : f32}
     : tensor<1x8x?x?xf32> to tensor<1x8x?x?xf32>
  return %1 : tensor<1x8x?x?xf32>
}
