// RUN: amp-opt %s -amp-decompose-ops -split-input-file | FileCheck %s

// CHECK-LABEL: func @conv
// CHECK:       %[[P:.*]] = amp.pad %{{.*}} low [0, 0, 1, 2] interior [0, 0, 0, 0] constant {{.*}}grows
// CHECK-SAME:    to tensor<1x3x?x13xf32>
// CHECK:       amp.conv %[[P]], {{.*}}pads = array<i64: 0, 0, 0, 0>
func.func @conv(%x: tensor<1x3x?x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x?x11xf32> {
  %y = amp.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 2, 1, 3>, groups = 1 : i64}
    : (tensor<1x3x?x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x?x11xf32>
  return %y : tensor<1x4x?x11xf32>
}

// -----

// Strided: the two elements that each input element gives are channels first,
// each all channels of a group.
// CHECK-LABEL: func @conv_transpose
// CHECK-NOT:   amp.pad
// CHECK:       amp.conv {{.*}} strides = array<i64: 1>{{.*}} -> tensor<1x16x5xf32>
// CHECK:       amp.reshape {{.*}} to tensor<1x1x2x8x5xf32>
// CHECK:       amp.transpose {{.*}} [0, 1, 3, 4, 2]
// CHECK:       amp.reshape {{.*}} to tensor<1x8x10xf32>
func.func @conv_transpose(%x: tensor<1x3x5xf32>, %w: tensor<3x8x2xf32>) -> tensor<1x8x10xf32> {
  %y = amp.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, output_padding = array<i64: 0>, groups = 1 : i64}
    : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x10xf32>
  return %y : tensor<1x8x10xf32>
}

// -----

// Dilated: zeros between the input's elements.
// CHECK-LABEL: func @dilated_conv_transpose
// CHECK:       amp.pad %{{.*}} low [0, 0, 2] interior [0, 0, 1]
// CHECK:       amp.transpose
// CHECK:       amp.slice {{.*}} step [1, 1, -1]
// CHECK:       amp.conv
// CHECK-SAME:    strides = array<i64: 1>
func.func @dilated_conv_transpose(%x: tensor<1x3x5xf32>, %w: tensor<3x8x2xf32>) -> tensor<1x8x11xf32> {
  %y = amp.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 2>,
      pads = array<i64: 0, 0>, output_padding = array<i64: 0>, groups = 1 : i64}
    : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x11xf32>
  return %y : tensor<1x8x11xf32>
}

// -----

// CHECK-LABEL: func @attention
// CHECK:       amp.matmul {{.*}}transpose_rhs
// CHECK:       arith.mulf
// CHECK:       amp.softmax
// CHECK:       amp.matmul
// CHECK-NOT:   amp.attention
func.func @attention(%q: tensor<2x4x?x300xf32>, %k: tensor<2x2x6x300xf32>, %v: tensor<2x2x6x8xf32>) -> tensor<2x4x?x8xf32> {
  %y = amp.attention %q, %k, %v {scale = 0.5 : f32}
    : (tensor<2x4x?x300xf32>, tensor<2x2x6x300xf32>, tensor<2x2x6x8xf32>) -> tensor<2x4x?x8xf32>
  return %y : tensor<2x4x?x8xf32>
}

// -----

// CHECK-LABEL: func @attention_of_no_head
// CHECK-NOT:   amp.attention
func.func @attention_of_no_head(%q: tensor<2x0x5x300xf32>) -> tensor<2x0x5x300xf32> {
  %y = amp.attention %q, %q, %q {scale = 0.5 : f32}
    : (tensor<2x0x5x300xf32>, tensor<2x0x5x300xf32>, tensor<2x0x5x300xf32>) -> tensor<2x0x5x300xf32>
  return %y : tensor<2x0x5x300xf32>
}

// -----

// CHECK-LABEL: func @attention_in_a_kernel
// CHECK-NEXT:  amp.attention
// CHECK-NEXT:  return
func.func @attention_in_a_kernel(%q: tensor<2x?x?x8xf32>, %k: tensor<2x?x6x8xf32>) -> tensor<2x?x?x8xf32> {
  %y = amp.attention %q, %k, %k {scale = 0.5 : f32}
    : (tensor<2x?x?x8xf32>, tensor<2x?x6x8xf32>, tensor<2x?x6x8xf32>) -> tensor<2x?x?x8xf32>
  return %y : tensor<2x?x?x8xf32>
}

// -----

// CHECK-LABEL: func @many
// CHECK:       %[[A:.*]] = amp.concat 0 ({{.*}}) : ({{.*}}) -> tensor<?x2xf32>
// CHECK:       %[[B:.*]] = amp.concat 0 ({{.*}}) : ({{.*}}) -> tensor<24x2xf32>
// CHECK:       amp.concat 0 (%[[A]], %[[B]]) : (tensor<?x2xf32>, tensor<24x2xf32>) -> tensor<?x2xf32>
func.func @many(%x: tensor<?x2xf32>, %y: tensor<3x2xf32>) -> tensor<?x2xf32> {
  %c = amp.concat 0 (%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %y, %y, %y, %y, %y, %y, %y, %y) : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  return %c : tensor<?x2xf32>
}

// Both products are of numbers in bf16.
// CHECK-LABEL: func @narrow_attention(
// CHECK:       amp.matmul {{.*}}multiply = bf16
// CHECK:       %[[P:.*]] = amp.softmax
// CHECK:       %[[R:.*]] = amp.round %[[P]] to bf16
// CHECK:       amp.matmul %[[R]], {{.*}}multiply = bf16
func.func @narrow_attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x16xf32>) -> tensor<2x4x8x16xf32> {
  %y = amp.attention %q, %k, %v {scale = 0.25 : f32, algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
    : (tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>) -> tensor<2x4x8x16xf32>
  return %y : tensor<2x4x8x16xf32>
}
