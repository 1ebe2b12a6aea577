// RUN: amp-opt %s -amp-fold-casts | FileCheck %s

// CHECK-LABEL: func @again(
// CHECK:       %[[R:.*]] = amp.round %arg0 to bf16
// CHECK:       %[[M:.*]] = arith.maximumf %[[R]]
// CHECK:       %[[P:.*]] = amp.pad %[[M]]
// CHECK-NEXT:  math.exp %[[P]]
func.func @again(%x: tensor<8xf32>) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = amp.splat %zero to [] : f32 to tensor<8xf32>
  %0 = amp.round %x to bf16 : tensor<8xf32>
  %1 = arith.maximumf %0, %zeros : tensor<8xf32>
  %2 = amp.round %1 to bf16 : tensor<8xf32>
  %3 = amp.pad %2, %zero low [1] interior [0] constant to [] {grows} : tensor<8xf32>, f32 to tensor<10xf32>
  %4 = amp.round %3 to bf16 : tensor<10xf32>
  %5 = math.exp %4 : tensor<10xf32>
  return %5 : tensor<10xf32>
}

// Another format, and arithmetic.
// CHECK-LABEL: func @stays(
// CHECK-COUNT-3: amp.round
func.func @stays(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = amp.round %x to f16 : tensor<8xf32>
  %1 = amp.round %0 to bf16 : tensor<8xf32>
  %2 = arith.addf %1, %1 : tensor<8xf32>
  %3 = amp.round %2 to bf16 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
