// RUN: amp-opt %s -amp-narrow-buffers | FileCheck %s

// Between kernels; pads and concats hold what is written into them.
// CHECK-LABEL: func @between(
// CHECK:       %[[I:.*]] = tensor.empty() : tensor<8xbf16>
// CHECK:       %[[K:.*]] = amp.kernel {{.*}} outs(%[[I]] : tensor<8xbf16>)
// CHECK-NEXT:  %[[C:.*]] = amp.cast %{{.*}} ampc : tensor<8xf32> to tensor<8xbf16>
// CHECK-NEXT:  amp.yield %[[C]]
// CHECK:       %[[Z:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK:       %[[P:.*]] = amp.pad %[[K]], %[[Z]] {{.*}} tensor<8xbf16>, bf16 to tensor<10xbf16>
// CHECK:       amp.kernel ins(%[[A:.*]] = %[[P]] : tensor<10xbf16>)
// CHECK-NEXT:  %[[W:.*]] = arith.extf %[[A]]
// CHECK-NEXT:  math.exp %[[W]]
func.func @between(%x: tensor<8xf32>) -> tensor<10xf32> {
  %init = tensor.empty() : tensor<8xf32>
  %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
    %0 = amp.round %a to bf16 : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %p = amp.pad %r, %zero low [1] interior [0] constant to [] {grows} : tensor<8xf32>, f32 to tensor<10xf32>
  %init0 = tensor.empty() : tensor<10xf32>
  %s = amp.kernel ins(%a = %p : tensor<10xf32>) outs(%init0 : tensor<10xf32>) {
    %0 = math.exp %a : tensor<10xf32>
    amp.yield %0 : tensor<10xf32>
  } : tensor<10xf32>
  return %s : tensor<10xf32>
}

// What somebody else reads stays, as does what is filled up by a number that
// the format has not.
// CHECK-LABEL: func @outside(
// CHECK-NOT:   bf16>
func.func @outside(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<10xf32>) {
  %init = tensor.empty() : tensor<8xf32>
  %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
    %0 = amp.round %a to bf16 : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  %init1 = tensor.empty() : tensor<8xf32>
  %t = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init1 : tensor<8xf32>) {
    %0 = amp.round %a to bf16 : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  %tenth = arith.constant 0.1 : f32
  %p = amp.pad %t, %tenth low [1] interior [0] constant to [] {grows} : tensor<8xf32>, f32 to tensor<10xf32>
  %init0 = tensor.empty() : tensor<10xf32>
  %s = amp.kernel ins(%a = %p : tensor<10xf32>) outs(%init0 : tensor<10xf32>) {
    %0 = math.exp %a : tensor<10xf32>
    amp.yield %0 : tensor<10xf32>
  } : tensor<10xf32>
  return %r, %s : tensor<8xf32>, tensor<10xf32>
}
