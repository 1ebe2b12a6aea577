// RUN: amp-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @reductions
func.func @reductions(%x: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  // CHECK: amp.reduce sum %{{.*}} [1] : tensor<?x64xf32> to tensor<?xf32>
  %0 = amp.reduce sum %x [1] : tensor<?x64xf32> to tensor<?xf32>
  // CHECK: amp.arg_reduce max %{{.*}} 1 {last} : tensor<?x64xf32> to tensor<?xi64>
  %1 = amp.arg_reduce max %x 1 {last} : tensor<?x64xf32> to tensor<?xi64>
  return %0, %1 : tensor<?xf32>, tensor<?xi64>
}

// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>)
    -> tensor<?x64xf32> {
  // CHECK: amp.softmax %{{.*}} 1 : tensor<?x64xf32>
  %0 = amp.softmax %x 1 : tensor<?x64xf32>
  // CHECK: amp.layer_norm layer %{{.*}} scale %{{.*}} bias %{{.*}} {axis = 1 : i64, epsilon = 9.99999974E-6 : f32}
  %1 = amp.layer_norm layer %0 scale %g bias %b {axis = 1 : i64, epsilon = 1.0e-5 : f32}
     : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  // CHECK: amp.scan sum %{{.*}} 1 {exclusive, reverse} : tensor<?x64xf32>
  %2 = amp.scan sum %1 1 {exclusive, reverse} : tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}

// CHECK-LABEL: func @pools
func.func @pools(%x: tensor<?x8x?x?xf32>, %y: tensor<1x8x10xf32>)
    -> (tensor<?x8x?x?xf32>, tensor<1x8x5xi64>) {
  // CHECK: amp.pool max %{{.*}} {{.*}}kernel = array<i64: 2, 2>
  %0 = amp.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
       dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}
     : tensor<?x8x?x?xf32> to tensor<?x8x?x?xf32>
  // CHECK: amp.pool_arg %{{.*}} {{.*}} : tensor<1x8x10xf32> to tensor<1x8x5xi64>
  %1 = amp.pool_arg %y {kernel = array<i64: 2>, strides = array<i64: 2>,
       dilations = array<i64: 1>, pads = array<i64: 0, 0>}
     : tensor<1x8x10xf32> to tensor<1x8x5xi64>
  return %0, %1 : tensor<?x8x?x?xf32>, tensor<1x8x5xi64>
}

// CHECK-LABEL: func @pool_channels_last
func.func @pool_channels_last(%x: tensor<1x10x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: amp.pool average %{{.*}} {channels_last, {{.*}} : tensor<1x10x8xf32> to tensor<1x5x8xf32>
  %0 = amp.pool average %x {channels_last, kernel = array<i64: 2>, strides = array<i64: 2>,
       dilations = array<i64: 1>, pads = array<i64: 0, 0>}
     : tensor<1x10x8xf32> to tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func @top_k
func.func @top_k(%x: tensor<?x64xf32>, %k: index)
    -> (tensor<?x5xf32>, tensor<?x5xi64>, tensor<?x?xf32>, tensor<?x?xi64>) {
  // CHECK: amp.top_k %{{.*}} 1 to [] {largest} : tensor<?x64xf32> to tensor<?x5xf32>, tensor<?x5xi64>
  %v, %i = amp.top_k %x 1 to [] {largest} : tensor<?x64xf32> to tensor<?x5xf32>, tensor<?x5xi64>
  // CHECK: amp.top_k %{{.*}} 1 to [%{{.*}}] : tensor<?x64xf32> to tensor<?x?xf32>, tensor<?x?xi64>
  %w, %j = amp.top_k %x 1 to [%k] : tensor<?x64xf32> to tensor<?x?xf32>, tensor<?x?xi64>
  return %v, %i, %w, %j : tensor<?x5xf32>, tensor<?x5xi64>, tensor<?x?xf32>, tensor<?x?xi64>
}
