// RUN: amp-opt %s -amp-pack-panels | FileCheck %s
// RUN: amp-opt %s -amp-pack-panels=vector-bytes=64 | FileCheck %s --check-prefix=WIDE

// CHECK-LABEL: func @conv(
// CHECK:       %[[S:.*]] = amp.reshape %arg1 to [] : tensor<1x8x16xf32> to tensor<8x1x16xf32>
// CHECK:       %[[G:.*]] = amp.transpose %[[S]] [1, 0, 2]
// CHECK:       %[[P:.*]] = amp.reshape %[[G]] to [] : tensor<1x8x16xf32> to tensor<1x8x1x16xf32>
// CHECK:       %[[T:.*]] = amp.transpose %[[P]] [0, 2, 1, 3]
// CHECK:       %[[W:.*]] = amp.reshape %[[T]] to [] : tensor<1x1x8x16xf32> to tensor<1x1x8x16xf32>
// CHECK:       amp.conv %arg0, %[[W]] {channels_last, {{.*}}panels
func.func @conv(%x: tensor<1x9x8xf32>, %w: tensor<1x8x16xf32>) -> tensor<1x9x16xf32> {
  %y = amp.conv %x, %w {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 1 : i64}
    : (tensor<1x9x8xf32>, tensor<1x8x16xf32>) -> tensor<1x9x16xf32>
  return %y : tensor<1x9x16xf32>
}

// Five vectors of 8 columns: three and two. Each group has panels of its own.
// CHECK-LABEL: func @groups(
// CHECK:       amp.pad {{.*}} : tensor<2x12x35xf32>, f32 to tensor<2x12x48xf32>
// CHECK:       amp.conv {{.*}} (tensor<1x9x8xf32>, tensor<4x3x4x24xf32>) -> tensor<1x7x70xf32>
// WIDE-LABEL:  func @groups(
// WIDE:        amp.conv {{.*}} (tensor<1x9x8xf32>, tensor<2x3x4x48xf32>) -> tensor<1x7x70xf32>
func.func @groups(%x: tensor<1x9x8xf32>, %w: tensor<3x4x70xf32>) -> tensor<1x7x70xf32> {
  %y = amp.conv %x, %w {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 2 : i64}
    : (tensor<1x9x8xf32>, tensor<3x4x70xf32>) -> tensor<1x7x70xf32>
  return %y : tensor<1x7x70xf32>
}

// Half-width weights are multiplied in f32, whose vectors count. Few columns
// take shorter ones.
// CHECK-LABEL: func @half(
// CHECK:       amp.conv {{.*}} (tensor<1x9x8xf16>, tensor<1x3x8x8xf16>) -> tensor<1x7x5xf16>
// WIDE-LABEL:  func @half(
// WIDE:        amp.conv {{.*}} (tensor<1x9x8xf16>, tensor<1x3x8x8xf16>) -> tensor<1x7x5xf16>
func.func @half(%x: tensor<1x9x8xf16>, %w: tensor<3x8x5xf16>) -> tensor<1x7x5xf16> {
  %y = amp.conv %x, %w {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 1 : i64}
    : (tensor<1x9x8xf16>, tensor<3x8x5xf16>) -> tensor<1x7x5xf16>
  return %y : tensor<1x7x5xf16>
}

// CHECK-LABEL: func @depthwise(
// CHECK-NEXT:  amp.conv %arg0, %arg1
func.func @depthwise(%x: tensor<1x9x8xf32>, %w: tensor<3x1x8xf32>) -> tensor<1x7x8xf32> {
  %y = amp.conv %x, %w {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 8 : i64}
    : (tensor<1x9x8xf32>, tensor<3x1x8xf32>) -> tensor<1x7x8xf32>
  return %y : tensor<1x7x8xf32>
}

// CHECK-LABEL: func @channels_first(
// CHECK-NEXT:  amp.conv %arg0, %arg1
func.func @channels_first(%x: tensor<1x8x9xf32>, %w: tensor<16x8x1xf32>) -> tensor<1x16x9xf32> {
  %y = amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 1 : i64}
    : (tensor<1x8x9xf32>, tensor<16x8x1xf32>) -> tensor<1x16x9xf32>
  return %y : tensor<1x16x9xf32>
}

// Right operands of products, where weights alone decide them; outside of loops.
// CHECK-LABEL: func @product(
// CHECK:       %[[W:.*]] = amp.weight @w
// CHECK:       %[[S:.*]] = amp.reshape %[[W]] to [] : tensor<20x8xf32> to tensor<1x20x8xf32>
// CHECK:       %[[F:.*]] = amp.transpose %[[S]] [0, 2, 1]
// CHECK:       %[[A:.*]] = amp.pad %[[F]], {{.*}} : tensor<1x8x20xf32>, f32 to tensor<1x8x24xf32>
// CHECK:       %[[P:.*]] = amp.reshape %[[A]] to [] : tensor<1x8x24xf32> to tensor<1x8x1x24xf32>
// CHECK:       %[[T:.*]] = amp.transpose %[[P]] [0, 2, 1, 3]
// CHECK:       %[[R:.*]] = amp.reshape %[[T]] to [] : tensor<1x1x8x24xf32> to tensor<1x8x24xf32>
// CHECK:       scf.for
// CHECK-NEXT:    amp.matmul %{{.*}}, %[[R]] {panels} : (tensor<?x8xf32>, tensor<1x8x24xf32>) -> tensor<?x20xf32>
amp.weight_data @w = dense<1.0> : tensor<20x8xf32>
func.func @product(%x: tensor<?x8xf32>, %init: tensor<?x20xf32>, %n: index) -> tensor<?x20xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = amp.weight @w : tensor<20x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<?x20xf32> {
    %y = amp.matmul %x, %w {transpose_rhs} : (tensor<?x8xf32>, tensor<20x8xf32>) -> tensor<?x20xf32>
    scf.yield %y : tensor<?x20xf32>
  }
  return %r : tensor<?x20xf32>
}

// Not what an input has a part in, nor a single column.
// CHECK-LABEL: func @kept(
// CHECK-NOT:   panels
amp.weight_data @v = dense<1.0> : tensor<8x1xf32>
func.func @kept(%x: tensor<?x8xf32>, %w: tensor<8x20xf32>) -> (tensor<?x20xf32>, tensor<?x1xf32>) {
  %v = amp.weight @v : tensor<8x1xf32>
  %y = amp.matmul %x, %w : (tensor<?x8xf32>, tensor<8x20xf32>) -> tensor<?x20xf32>
  %z = amp.matmul %x, %v : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
  return %y, %z : tensor<?x20xf32>, tensor<?x1xf32>
}
