// RUN: amp-opt %s -amp-pack-panels='vector-bytes=64 dot-pairs=true' | FileCheck %s
// RUN: amp-opt %s -amp-pack-panels=vector-bytes=64 | FileCheck %s --check-prefix=NONE

// NONE-NOT: pairs

amp.weight_data @w = dense<1.0> : tensor<50x40xbf16>

// Columns in sixteens, k in multiples of 32.
// CHECK-LABEL: func @product(
// CHECK:       %[[W:.*]] = amp.weight @w
// CHECK:       amp.pad {{.*}} {grows} : tensor<1x50x40xbf16>, bf16 to tensor<1x64x48xbf16>
// CHECK:       amp.transpose {{.*}} [0, 3, 1, 4, 2] : tensor<1x32x2x3x16xbf16> to tensor<1x3x32x16x2xbf16>
// CHECK:       amp.matmul {{.*}}pairs, panels{{.*}} (tensor<?x50xbf16>, tensor<3x32x16x2xbf16>) -> tensor<?x40xf32>
func.func @product(%x: tensor<?x50xbf16>) -> tensor<?x40xf32> {
  %w = amp.weight @w : tensor<50x40xbf16>
  %y = amp.matmul %x, %w {algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
    : (tensor<?x50xbf16>, tensor<50x40xbf16>) -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}

// Input channels are filled up at each position of the filter.
// CHECK-LABEL: func @conv(
// CHECK:       amp.reshape %arg1 to [] : tensor<3x3x40x33xbf16> to tensor<9x40x33xbf16>
// CHECK:       amp.pad {{.*}} : tensor<9x40x33xbf16>, bf16 to tensor<9x64x48xbf16>
// CHECK:       amp.transpose {{.*}} [3, 0, 1, 4, 2] : tensor<9x32x2x3x16xbf16> to tensor<3x9x32x16x2xbf16>
// CHECK:       amp.conv {{.*}}pairs, panels{{.*}} (tensor<1x9x9x40xbf16>, tensor<3x3x3x32x16x2xbf16>) -> tensor<1x7x7x33xf32>
func.func @conv(%x: tensor<1x9x9x40xbf16>, %w: tensor<3x3x40x33xbf16>) -> tensor<1x7x7x33xf32> {
  %y = amp.conv %x, %w {channels_last, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
      algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
    : (tensor<1x9x9x40xbf16>, tensor<3x3x40x33xbf16>) -> tensor<1x7x7x33xf32>
  return %y : tensor<1x7x7x33xf32>
}

// Groups, products in f32, and an operand read down its columns have no pairs.
// CHECK-LABEL: func @others(
// CHECK-NOT:   pairs
func.func @others(%x: tensor<1x9x64xbf16>, %v: tensor<3x32x64xbf16>, %a: tensor<50x8xbf16>) -> (tensor<1x7x64xf32>, tensor<8x40xf32>, tensor<8x40xf32>) {
  %y = amp.conv %x, %v {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 2 : i64,
      algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
    : (tensor<1x9x64xbf16>, tensor<3x32x64xbf16>) -> tensor<1x7x64xf32>
  %w = amp.weight @w : tensor<50x40xbf16>
  %z = amp.matmul %a, %w {transpose_lhs, algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
    : (tensor<50x8xbf16>, tensor<50x40xbf16>) -> tensor<8x40xf32>
  %u = amp.matmul %a, %w {transpose_lhs, algorithm = #amp.algorithm<multiply = f32, accumulate = f32, passes = 1>}
    : (tensor<50x8xbf16>, tensor<50x40xbf16>) -> tensor<8x40xf32>
  return %y, %z, %u : tensor<1x7x64xf32>, tensor<8x40xf32>, tensor<8x40xf32>
}
