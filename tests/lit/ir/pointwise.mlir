// RUN: amp-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @broadcast
func.func @broadcast(%x: tensor<3x1xf32>, %y: tensor<?xf32>, %n: index)
    -> (tensor<?x3x8xf32>, tensor<?xf32>) {
  // CHECK: amp.broadcast %{{.*}} to [%{{.*}}] : tensor<3x1xf32> to tensor<?x3x8xf32>
  %0 = amp.broadcast %x to [%n] : tensor<3x1xf32> to tensor<?x3x8xf32>
  // CHECK: amp.broadcast %{{.*}} to [%{{.*}}] {maybe_one = array<i64: 0>} : tensor<?xf32> to tensor<?xf32>
  %1 = amp.broadcast %y to [%n] {maybe_one = array<i64: 0>}
     : tensor<?xf32> to tensor<?xf32>
  return %0, %1 : tensor<?x3x8xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @splat
func.func @splat(%v: f32, %b: i1, %n: index) -> (tensor<?x4xf32>, tensor<i1>) {
  // CHECK: amp.splat %{{.*}} to [%{{.*}}] : f32 to tensor<?x4xf32>
  %0 = amp.splat %v to [%n] : f32 to tensor<?x4xf32>
  // CHECK: amp.splat %{{.*}} to [] : i1 to tensor<i1>
  %1 = amp.splat %b to [] : i1 to tensor<i1>
  return %0, %1 : tensor<?x4xf32>, tensor<i1>
}

// CHECK-LABEL: func @cast
func.func @cast(%x: tensor<?x4xf32>)
    -> (tensor<?x4xf16>, tensor<?x4xi8>, tensor<?x4xf8E4M3FN>) {
  // CHECK: amp.cast %{{.*}} source : tensor<?x4xf32> to tensor<?x4xf16>
  %0 = amp.cast %x source : tensor<?x4xf32> to tensor<?x4xf16>
  // CHECK: amp.cast %{{.*}} ampc {unsigned_result} : tensor<?x4xf32> to tensor<?x4xi8>
  %1 = amp.cast %x ampc {unsigned_result} : tensor<?x4xf32> to tensor<?x4xi8>
  // CHECK: amp.cast %{{.*}} source {saturate} : tensor<?x4xf32> to tensor<?x4xf8E4M3FN>
  %2 = amp.cast %x source {saturate} : tensor<?x4xf32> to tensor<?x4xf8E4M3FN>
  return %0, %1, %2 : tensor<?x4xf16>, tensor<?x4xi8>, tensor<?x4xf8E4M3FN>
}

// CHECK-LABEL: func @activations
func.func @activations(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
  // CHECK: amp.gelu %{{.*}} {tanh} : tensor<?x768xf32>
  %0 = amp.gelu %x {tanh} : tensor<?x768xf32>
  // CHECK: amp.sigmoid %{{.*}} : tensor<?x768xf32>
  %1 = amp.sigmoid %0 : tensor<?x768xf32>
  return %1 : tensor<?x768xf32>
}
