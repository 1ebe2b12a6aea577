// RUN: amp-opt %s -split-input-file -verify-diagnostics -amp-cpu-emit-kernels

func.func @on_tensors(%x: tensor<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{must be bufferized before CPU code is emitted}}
  %r = amp.kernel ins(%a = %x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    %s = arith.negf %a : tensor<4xf32>
    amp.yield %s : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @padded(%x: memref<1x3x8x8xf32>, %w: memref<4x3x3x3xf32>, %r: memref<1x4x8x8xf32>) {
  amp.kernel ins(%a = %x, %f = %w : memref<1x3x8x8xf32>, memref<4x3x3x3xf32>)
             outs(%r : memref<1x4x8x8xf32>) args(tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) {
    // expected-error @below {{has padding, which must be an amp.pad of its own}}
    %y = amp.conv %a, %f {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64}
       : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    amp.yield %y : tensor<1x4x8x8xf32>
  }
  return
}

// -----

func.func @not_packed(%x: memref<1x8x8x3xf32>, %w: memref<1x1x3x4xf32>, %r: memref<1x8x8x4xf32>) {
  amp.kernel ins(%a = %x, %f = %w : memref<1x8x8x3xf32>, memref<1x1x3x4xf32>)
             outs(%r : memref<1x8x8x4xf32>) args(tensor<1x8x8x3xf32>, tensor<1x1x3x4xf32>) {
    // expected-error @below {{has a filter that is not in panels (run amp-pack-panels)}}
    %y = amp.conv %a, %f {channels_last, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
       : (tensor<1x8x8x3xf32>, tensor<1x1x3x4xf32>) -> tensor<1x8x8x4xf32>
    amp.yield %y : tensor<1x8x8x4xf32>
  }
  return
}

// -----

func.func @no_emitter(%x: memref<1x3x5xf32>, %w: memref<3x8x2xf32>, %r: memref<1x8x10xf32>) {
  amp.kernel ins(%a = %x, %f = %w : memref<1x3x5xf32>, memref<3x8x2xf32>) outs(%r : memref<1x8x10xf32>)
             args(tensor<1x3x5xf32>, tensor<3x8x2xf32>) {
    // expected-error @below {{has no kernel for CPU targets}}
    %y = amp.conv_transpose %a, %f {strides = array<i64: 2>, dilations = array<i64: 1>,
         pads = array<i64: 0, 0>, output_padding = array<i64: 0>, groups = 1 : i64}
       : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x10xf32>
    amp.yield %y : tensor<1x8x10xf32>
  }
  return
}

// -----

func.func @size_of_heads(%q: memref<1x2x4x?xf32>, %r: memref<1x2x4x?xf32>) {
  amp.kernel ins(%a = %q : memref<1x2x4x?xf32>) outs(%r : memref<1x2x4x?xf32>) args(tensor<1x2x4x?xf32>) {
    // expected-error @below {{has heads whose size is not known or large}}
    %y = amp.attention %a, %a, %a {scale = 1.0 : f32}
       : (tensor<1x2x4x?xf32>, tensor<1x2x4x?xf32>, tensor<1x2x4x?xf32>) -> tensor<1x2x4x?xf32>
    amp.yield %y : tensor<1x2x4x?xf32>
  }
  return
}

// -----

func.func @algorithm(%a: memref<4x4xf32>, %r: memref<4x4xf32>) {
  amp.kernel ins(%x = %a : memref<4x4xf32>) outs(%r : memref<4x4xf32>) args(tensor<4x4xf32>) {
    // expected-error @below {{which CPU targets do not have}}
    %y = amp.matmul %x, %x {algorithm = #amp.algorithm<multiply = tf32, accumulate = f32, passes = 3>}
       : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    amp.yield %y : tensor<4x4xf32>
  }
  return
}
