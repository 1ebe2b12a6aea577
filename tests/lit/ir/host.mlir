// RUN: amp-opt %s -verify-roundtrip | FileCheck %s

// CHECK: amp.weight_data @conv1.w = dense<1.000000e+00> : tensor<64x3xf32>
amp.weight_data @conv1.w = dense<1.0> : tensor<64x3xf32>
// CHECK: amp.weight_data @blob = dense_resource<blob> : tensor<2xf32>
amp.weight_data @blob = dense_resource<blob> : tensor<2xf32>
// CHECK: amp.weight_data @flags = dense<true> : tensor<3xi1>
amp.weight_data @flags = dense<true> : tensor<3xi1>

// CHECK-LABEL: func @weights
func.func @weights() -> (tensor<64x3xf32>, memref<3xi8>) {
  // CHECK: amp.weight @conv1.w : tensor<64x3xf32>
  %0 = amp.weight @conv1.w : tensor<64x3xf32>
  // Booleans are bytes in buffers.
  // CHECK: amp.weight @flags : memref<3xi8>
  %1 = amp.weight @flags : memref<3xi8>
  return %0, %1 : tensor<64x3xf32>, memref<3xi8>
}

// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<?x4x8xf32>, %d0: index) -> tensor<?x32xf32> {
  // CHECK: amp.reshape %{{.*}} to [%{{.*}}] : tensor<?x4x8xf32> to tensor<?x32xf32>
  %0 = amp.reshape %x to [%d0] : tensor<?x4x8xf32> to tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// CHECK-LABEL: func @check
func.func @check(%same: i1) {
  // CHECK: amp.check %{{.*}}, 6, "node 'Add_3': dimensions 1 of its inputs differ"
  amp.check %same, 6, "node 'Add_3': dimensions 1 of its inputs differ"
  return
}

// CHECK-LABEL: func @places
func.func @places(%x: tensor<4xi64>) -> tensor<4xi64> {
  // CHECK: amp.to_host %{{.*}} : tensor<4xi64>
  %0 = amp.to_host %x : tensor<4xi64>
  %1 = arith.addi %0, %0 : tensor<4xi64>
  // CHECK: amp.to_device %{{.*}} : tensor<4xi64>
  %2 = amp.to_device %1 : tensor<4xi64>
  return %2 : tensor<4xi64>
}

// CHECK-LABEL: func @spaces
// CHECK-SAME:    memref<4xf32, #amp.space<device>>
func.func @spaces(%x: memref<4xf32, #amp.space<device>>) {
  return
}

{-#
  dialect_resources: {
    builtin: { blob: "0x040000000000803F00000040" }
  }
#-}
