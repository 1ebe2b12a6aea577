// RUN: amp-opt %s -amp-narrow-weights | FileCheck %s
// RUN: amp-opt %s -amp-narrow-weights=format=bf16 | FileCheck %s --check-prefix=BF16
// RUN: not amp-opt %s -amp-narrow-weights=format=f8 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: has no 16-bit format 'f8'; known are f16, bf16

// A weight that contractions multiply by, few elements, a weight that leaves the
// function, and one beyond what f16 holds.
// CHECK: amp.weight_data @w = dense<1.500000e+00> : tensor<1x64x64xf16>
// CHECK: amp.weight_data @few = dense<1.000000e+00> : tensor<4xf32>
// CHECK: amp.weight_data @out = dense<1.000000e+00> : tensor<4096xf32>
// CHECK: amp.weight_data @large = dense<7.000000e+04> : tensor<1x64x64xf32>
// BF16:  amp.weight_data @w = dense<1.500000e+00> : tensor<1x64x64xbf16>
// BF16:  amp.weight_data @large = dense<7.014400e+04> : tensor<1x64x64xbf16>
amp.weight_data @w = dense<1.5> : tensor<1x64x64xf32>
amp.weight_data @few = dense<1.0> : tensor<4xf32>
amp.weight_data @out = dense<1.0> : tensor<4096xf32>
amp.weight_data @large = dense<7.0e4> : tensor<1x64x64xf32>

// CHECK-LABEL: func @main(
// CHECK:         %[[W:.*]] = amp.weight @w : tensor<1x64x64xf16>
// CHECK:         %[[V:.*]] = amp.reshape %[[W]] to [] : tensor<1x64x64xf16> to tensor<64x64xf16>
// CHECK:         amp.kernel ins(%{{.*}}, %[[B:.*]] = %[[W]] : tensor<?x64xf32>, tensor<1x64x64xf16>)
// CHECK-NEXT:      amp.matmul %{{.*}}, %[[B]] {panels} : (tensor<?x64xf32>, tensor<1x64x64xf16>) -> tensor<?x64xf32>
// CHECK:         amp.kernel ins(%[[T:.*]] = %[[V]]
// CHECK-NEXT:      %[[E:.*]] = arith.extf %[[T]] : tensor<64x64xf16> to tensor<64x64xf32>
// CHECK-NEXT:      amp.gather 0 %[[E]]
func.func @main(%x: tensor<?x64xf32>, %i: tensor<?xi64>, %n: index) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<4096xf32>) {
  %w = amp.weight @w : tensor<1x64x64xf32>
  %v = amp.reshape %w to [] : tensor<1x64x64xf32> to tensor<64x64xf32>
  %b = amp.weight @out : tensor<4096xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %y = amp.kernel ins(%a = %x, %m = %w : tensor<?x64xf32>, tensor<1x64x64xf32>) outs(%e : tensor<?x64xf32>) {
    %p = amp.matmul %a, %m {panels} : (tensor<?x64xf32>, tensor<1x64x64xf32>) -> tensor<?x64xf32>
    amp.yield %p : tensor<?x64xf32>
  } : tensor<?x64xf32>
  %z = amp.kernel ins(%t = %v, %j = %i : tensor<64x64xf32>, tensor<?xi64>) outs(%e : tensor<?x64xf32>) {
    %g = amp.gather 0 %t[%j] : tensor<64x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
    amp.yield %g : tensor<?x64xf32>
  } : tensor<?x64xf32>
  return %y, %z, %b : tensor<?x64xf32>, tensor<?x64xf32>, tensor<4096xf32>
}

// CHECK-LABEL: func @range(
// CHECK:         amp.matmul {{.*}} (tensor<?x64xf32>, tensor<1x64x64xf32>)
// BF16-LABEL:  func @range(
// BF16:          amp.matmul {{.*}} (tensor<?x64xf32>, tensor<1x64x64xbf16>)
func.func @range(%x: tensor<?x64xf32>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = amp.weight @large : tensor<1x64x64xf32>
  %y = amp.kernel ins(%a = %x, %m = %w : tensor<?x64xf32>, tensor<1x64x64xf32>) outs(%e : tensor<?x64xf32>) {
    %p = amp.matmul %a, %m {panels} : (tensor<?x64xf32>, tensor<1x64x64xf32>) -> tensor<?x64xf32>
    amp.yield %p : tensor<?x64xf32>
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
