// RUN: amp-opt %s --pass-pipeline='builtin.module(func.func(amp-fold-scales))' | FileCheck %s

amp.weight_data @w = dense<1.0> : tensor<4x3x3xf32>
amp.weight_data @s = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
amp.weight_data @t = dense<[[5.0], [6.0], [7.0], [8.0]]> : tensor<4x1xf32>

// A batch normalization: factors go into the filter, summands are the bias.
// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[X:.*]]: tensor<?x3x8xf32>
// CHECK-DAG: %[[W:.*]] = amp.weight @w
// CHECK-DAG: %[[S:.*]] = amp.weight @s
// CHECK: %[[S3:.*]] = amp.reshape %[[S]] to [] : tensor<4x1xf32> to tensor<4x1x1xf32>
// CHECK: %[[F:.*]] = amp.broadcast %[[S3]] to [] : tensor<4x1x1xf32> to tensor<4x3x3xf32>
// CHECK: %[[WS:.*]] = arith.mulf %[[W]], %[[F]]
// CHECK: %[[T:.*]] = amp.weight @t
// CHECK: %[[T1:.*]] = amp.reshape %[[T]] to [] : tensor<4x1xf32> to tensor<4xf32>
// CHECK: %[[Y:.*]] = amp.conv %[[X]], %[[WS]] bias %[[T1]]
// CHECK: return %[[Y]]
func.func @both(%x: tensor<?x3x8xf32>, %n: index) -> tensor<?x4x6xf32> {
  %w = amp.weight @w : tensor<4x3x3xf32>
  %y = amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<?x3x8xf32>, tensor<4x3x3xf32>) -> tensor<?x4x6xf32>
  %s = amp.weight @s : tensor<4x1xf32>
  %0 = amp.broadcast %s to [%n] : tensor<4x1xf32> to tensor<?x4x6xf32>
  %1 = arith.mulf %y, %0 : tensor<?x4x6xf32>
  %t = amp.weight @t : tensor<4x1xf32>
  %2 = amp.broadcast %t to [%n] : tensor<4x1xf32> to tensor<?x4x6xf32>
  %3 = arith.addf %2, %1 : tensor<?x4x6xf32>
  return %3 : tensor<?x4x6xf32>
}

// One factor for all channels; a bias is multiplied too.
// CHECK-LABEL: func.func @bias(
// CHECK: %[[B:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00, 2.000000e+00]> : tensor<4xf32>
// CHECK: %[[W:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<4x3x3xf32>
// CHECK: amp.conv %{{.*}}, %[[W]] bias %[[B]]
// CHECK-NOT: arith.mulf
func.func @bias(%x: tensor<2x3x8xf32>) -> tensor<2x4x6xf32> {
  %w = amp.weight @w : tensor<4x3x3xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = amp.conv %x, %w bias %b {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %c = arith.constant dense<0.5> : tensor<1xf32>
  %0 = amp.broadcast %c to [] : tensor<1xf32> to tensor<2x4x6xf32>
  %1 = arith.mulf %y, %0 : tensor<2x4x6xf32>
  return %1 : tensor<2x4x6xf32>
}

// A number for all elements, however it is spread.
// CHECK-LABEL: func.func @numbers(
// CHECK: %[[B:.*]] = arith.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK: %[[W:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<4x3x3xf32>
// CHECK: %[[Y:.*]] = amp.conv %{{.*}}, %[[W]] bias %[[B]]
// CHECK: return %[[Y]]
func.func @numbers(%x: tensor<2x3x8xf32>) -> tensor<2x4x6xf32> {
  %w = amp.weight @w : tensor<4x3x3xf32>
  %y = amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %c = arith.constant 2.0 : f32
  %0 = amp.splat %c to [] : f32 to tensor<2x4x6xf32>
  %1 = arith.mulf %0, %y : tensor<2x4x6xf32>
  %d = arith.constant dense<3.0> : tensor<2x4x6xf32>
  %2 = arith.addf %1, %d : tensor<2x4x6xf32>
  return %2 : tensor<2x4x6xf32>
}

// One pixel: the same with sizes known and not known.
// CHECK-LABEL: func.func @pixel(
// CHECK: %[[W:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<4x3x3xf32>
// CHECK: amp.conv %{{.*}}, %[[W]] bias %{{.*}}
// CHECK-NEXT: return
func.func @pixel(%x: tensor<1x3x3xf32>) -> tensor<1x4x1xf32> {
  %w = amp.weight @w : tensor<4x3x3xf32>
  %y = amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x3x3xf32>, tensor<4x3x3xf32>) -> tensor<1x4x1xf32>
  %s = arith.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %1 = arith.mulf %y, %s : tensor<1x4x1xf32>
  %t = arith.constant dense<[[[5.0], [6.0], [7.0], [8.0]]]> : tensor<1x4x1xf32>
  %2 = arith.addf %1, %t : tensor<1x4x1xf32>
  return %2 : tensor<1x4x1xf32>
}

// What is not known before the run, what runs along another dimension, and
// what others read as it is stays.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-3: arith.mulf
func.func @stays(%x: tensor<2x3x8xf32>, %s: tensor<4x1xf32>) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %w = amp.weight @w : tensor<4x3x3xf32>
  %0 = amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %1 = amp.broadcast %s to [] : tensor<4x1xf32> to tensor<2x4x6xf32>
  %2 = arith.mulf %0, %1 : tensor<2x4x6xf32>
  %w1 = amp.weight @w : tensor<4x3x3xf32>
  %3 = amp.conv %x, %w1 {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %4 = amp.broadcast %c to [] : tensor<6xf32> to tensor<2x4x6xf32>
  %5 = arith.mulf %3, %4 : tensor<2x4x6xf32>
  %w2 = amp.weight @w : tensor<4x3x3xf32>
  %6 = amp.conv %x, %w2 {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %t = amp.weight @t : tensor<4x1xf32>
  %7 = amp.broadcast %t to [] : tensor<4x1xf32> to tensor<2x4x6xf32>
  %8 = arith.mulf %6, %7 : tensor<2x4x6xf32>
  %9 = arith.subf %8, %6 : tensor<2x4x6xf32>
  return %2, %5, %9 : tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}
