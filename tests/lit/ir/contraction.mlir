// RUN: amp-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<?x64xf32>, %b: tensor<10x64xf32>, %c: tensor<10xf32>,
                  %i: tensor<3x4xi8>, %j: tensor<4x5xi8>)
    -> (tensor<?x10xf32>, tensor<?x10xf32>, tensor<3x5xi32>) {
  // CHECK: amp.matmul %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<?x64xf32>, tensor<10x64xf32>) -> tensor<?x10xf32>
  %0 = amp.matmul %a, %b {transpose_rhs} : (tensor<?x64xf32>, tensor<10x64xf32>) -> tensor<?x10xf32>
  // CHECK: amp.matmul %{{.*}}, %{{.*}} bias %{{.*}} {algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 3>, transpose_rhs}
  %1 = amp.matmul %a, %b bias %c {transpose_rhs,
       algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 3>}
     : (tensor<?x64xf32>, tensor<10x64xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: amp.matmul %{{.*}}, %{{.*}} {unsigned_lhs} : (tensor<3x4xi8>, tensor<4x5xi8>) -> tensor<3x5xi32>
  %2 = amp.matmul %i, %j {unsigned_lhs} : (tensor<3x4xi8>, tensor<4x5xi8>) -> tensor<3x5xi32>
  return %0, %1, %2 : tensor<?x10xf32>, tensor<?x10xf32>, tensor<3x5xi32>
}

// CHECK-LABEL: func @matmul_batches
func.func @matmul_batches(%a: tensor<5x1x2x3xf32>, %b: tensor<?x3x4xf32>)
    -> tensor<5x?x2x4xf32> {
  // CHECK: amp.matmul
  %0 = amp.matmul %a, %b : (tensor<5x1x2x3xf32>, tensor<?x3x4xf32>) -> tensor<5x?x2x4xf32>
  return %0 : tensor<5x?x2x4xf32>
}

// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>)
    -> tensor<?x8x?x?xf32> {
  // CHECK: amp.conv %{{.*}}, %{{.*}} bias %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
  %0 = amp.conv %x, %w bias %b {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
       pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64}
     : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<?x8x?x?xf32>
  return %0 : tensor<?x8x?x?xf32>
}

// CHECK-LABEL: func @matmul_panels
func.func @matmul_panels(%x: tensor<3x?x64xf32>, %w: tensor<3x2x64x16xf32>) -> tensor<3x?x24xf32> {
  // CHECK: amp.matmul %{{.*}}, %{{.*}} {panels}
  %0 = amp.matmul %x, %w {panels}
     : (tensor<3x?x64xf32>, tensor<3x2x64x16xf32>) -> tensor<3x?x24xf32>
  return %0 : tensor<3x?x24xf32>
}

// CHECK-LABEL: func @conv_channels_last
func.func @conv_channels_last(%x: tensor<?x?x?x3xf32>, %w: tensor<3x3x3x8xf32>,
                              %p: tensor<2x3x3x3x8xf32>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?x12xf32>) {
  // CHECK: amp.conv %{{.*}}, %{{.*}} {channels_last, dilations
  %0 = amp.conv %x, %w {channels_last, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
       pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64}
     : (tensor<?x?x?x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x?x?x8xf32>
  // CHECK: amp.conv %{{.*}}, %{{.*}} {channels_last, {{.*}}panels
  %1 = amp.conv %x, %p {channels_last, panels, strides = array<i64: 2, 2>,
       dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64}
     : (tensor<?x?x?x3xf32>, tensor<2x3x3x3x8xf32>) -> tensor<?x?x?x12xf32>
  return %0, %1 : tensor<?x?x?x8xf32>, tensor<?x?x?x12xf32>
}

// CHECK-LABEL: func @conv_transpose
func.func @conv_transpose(%x: tensor<1x3x5xf32>, %w: tensor<3x8x2xf32>) -> tensor<1x8x10xf32> {
  // CHECK: amp.conv_transpose %{{.*}}, %{{.*}} {{.*}}output_padding = array<i64: 0>
  %0 = amp.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
       pads = array<i64: 0, 0>, output_padding = array<i64: 0>, groups = 1 : i64}
     : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x10xf32>
  return %0 : tensor<1x8x10xf32>
}

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<?x12x?x64xf32>, %k: tensor<?x4x?x64xf32>,
                     %v: tensor<?x4x?x32xf32>, %m: tensor<1x?x?xf32>) -> tensor<?x12x?x32xf32> {
  // CHECK: amp.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} {causal, scale = 1.250000e-01 : f32}
  %0 = amp.attention %q, %k, %v mask %m {scale = 0.125 : f32, causal}
     : (tensor<?x12x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x32xf32>, tensor<1x?x?xf32>)
     -> tensor<?x12x?x32xf32>
  return %0 : tensor<?x12x?x32xf32>
}

// CHECK-LABEL: func @attention_heads_inner
func.func @attention_heads_inner(%q: tensor<?x?x12x64xf16>, %k: tensor<?x6x4x64xf16>) -> tensor<?x?x12x64xf16> {
  // CHECK: amp.attention %{{.*}}, %{{.*}}, %{{.*}} {heads_inner, scale = 1.250000e-01 : f32}
  %0 = amp.attention %q, %k, %k {scale = 0.125 : f32, heads_inner}
     : (tensor<?x?x12x64xf16>, tensor<?x6x4x64xf16>, tensor<?x6x4x64xf16>) -> tensor<?x?x12x64xf16>
  return %0 : tensor<?x?x12x64xf16>
}

// CHECK-LABEL: func @attention_no_heads
func.func @attention_no_heads(%q: tensor<2x0x5x64xf32>) -> tensor<2x0x5x64xf32> {
  // CHECK: amp.attention
  %0 = amp.attention %q, %q, %q {scale = 0.125 : f32}
     : (tensor<2x0x5x64xf32>, tensor<2x0x5x64xf32>, tensor<2x0x5x64xf32>) -> tensor<2x0x5x64xf32>
  return %0 : tensor<2x0x5x64xf32>
}
