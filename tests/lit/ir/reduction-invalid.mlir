// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has axis 2, which is outside of [0, 2)}}
  amp.reduce sum %x [2] : tensor<2x3xf32> to tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{reduces dimension 1 twice}}
  amp.reduce sum %x [1, 1] : tensor<2x3xf32> to tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf16>) {
  // expected-error @+1 {{may not change the element type}}
  amp.reduce sum %x [1] : tensor<2x3xf16> to tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has a result of sizes [3] where [2] is needed}}
  amp.reduce max %x [1] : tensor<2x3xf32> to tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{finds the max or the min, no sum}}
  amp.arg_reduce sum %x 1 : tensor<2x3xf32> to tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{gives indices, which are integers}}
  amp.arg_reduce max %x 1 : tensor<2x3xf32> to tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has a result of sizes [2, 1] where [2] is needed}}
  amp.arg_reduce max %x 1 : tensor<2x3xf32> to tensor<2x1xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has axis -1, which is outside of [0, 2)}}
  amp.softmax %x -1 : tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has a result of another type than its source}}
  amp.layer_norm rms %x {axis = 1 : i64, epsilon = 1.0e-5 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %g: tensor<2xf32>) {
  // expected-error @+1 {{has a scale of sizes [2] where [3] is needed}}
  amp.layer_norm layer %x scale %g {axis = 1 : i64, epsilon = 1.0e-5 : f32}
      : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @+1 {{has a bias of sizes [3] where [2, 3] is needed}}
  amp.layer_norm layer %x bias %g {axis = 0 : i64, epsilon = 1.0e-5 : f32}
      : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{has a kernel of 1 dimensions for an operand of rank 4}}
  amp.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>,
                   dilations = array<i64: 1>, pads = array<i64: 0, 0>}
      : tensor<1x8x4x4xf32> to tensor<1x8x2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{needs 1 strides and dilations and 2 pads}}
  amp.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2, 2>,
                   dilations = array<i64: 1>, pads = array<i64: 0, 0>}
      : tensor<1x8x4xf32> to tensor<1x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{needs positive kernel sizes, strides and dilations}}
  amp.pool max %x {kernel = array<i64: 2>, strides = array<i64: 0>,
                   dilations = array<i64: 1>, pads = array<i64: 0, 0>}
      : tensor<1x8x4xf32> to tensor<1x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{needs pads of zero or more}}
  amp.pool average %x {kernel = array<i64: 2>, strides = array<i64: 2>,
                       dilations = array<i64: 1>, pads = array<i64: 0, -1>}
      : tensor<1x8x4xf32> to tensor<1x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x5xf32>) {
  // expected-error @+1 {{has a result of sizes [1, 8, 2] where [1, 8, 3] is needed}}
  amp.pool sum %x {kernel = array<i64: 2>, strides = array<i64: 2>, ceil_mode,
                   dilations = array<i64: 1>, pads = array<i64: 0, 0>}
      : tensor<1x8x5xf32> to tensor<1x8x2xf32>
  return
}

// -----

// In ceil mode a window that would start in the high padding is dropped.

func.func @f(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{has a result of sizes [1, 8, 4] where [1, 8, 3] is needed}}
  amp.pool sum %x {kernel = array<i64: 2>, strides = array<i64: 2>, ceil_mode,
                   dilations = array<i64: 1>, pads = array<i64: 1, 2>}
      : tensor<1x8x4xf32> to tensor<1x8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{gives indices, which are integers}}
  amp.pool_arg %x {kernel = array<i64: 2>, strides = array<i64: 2>,
                   dilations = array<i64: 1>, pads = array<i64: 0, 0>}
      : tensor<1x8x4xf32> to tensor<1x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{runs a sum or a prod, no max}}
  amp.scan max %x 1 : tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{gives values of its operand's type and integer indices}}
  amp.top_k %x 1 to [] : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has indices of sizes [2, 1] where [2, 2] is needed}}
  amp.top_k %x 1 to [] : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x1xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %k: index) {
  // expected-error @+1 {{takes k exactly when the axis of the result is dynamic}}
  amp.top_k %x 1 to [%k] : tensor<2x3xf32> to tensor<2x2xf32>, tensor<2x2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{takes 4 of 3 elements}}
  amp.top_k %x 1 to [] : tensor<2x3xf32> to tensor<2x4xf32>, tensor<2x4xi64>
  return
}
