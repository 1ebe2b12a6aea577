// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{has axis 1, which is outside of [0, 1)}}
  amp.gather 1 %x[%i] : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{may not change the element type}}
  amp.gather 0 %x[%i] : tensor<4xf32>, tensor<2xi64> -> tensor<2xf64>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2x?xi64>) {
  // expected-error @+1 {{has a result of sizes [2, 5] where [2, ?, 5] is needed}}
  amp.gather 0 %x[%i] : tensor<4x5xf32>, tensor<2x?xi64> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{has indices of rank 1 for an operand of rank 2}}
  amp.gather_elements 0 %x[%i] : tensor<4x5xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>) {
  // expected-error @+1 {{has a result of sizes [4, 5] where [2, 5] is needed}}
  amp.gather_elements 0 %x[%i] : tensor<4x5xf32>, tensor<2x5xi64> -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2x?xi64>) {
  // expected-error @+1 {{needs index tuples of static length}}
  amp.gather_nd 0 %x[%i] : tensor<4x5xf32>, tensor<2x?xi64> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2x2xi64>) {
  // expected-error @+1 {{has tuples of 2 indices after 1 batch dimensions for an operand of rank 2}}
  amp.gather_nd 1 %x[%i] : tensor<4x5xf32>, tensor<2x2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2x1xi64>) {
  // expected-error @+1 {{has batch dimensions of sizes [2] where [4] is needed}}
  amp.gather_nd 1 %x[%i] : tensor<4x5xf32>, tensor<2x1xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<2x1xi64>) {
  // expected-error @+1 {{has a result of sizes [2] where [2, 5] is needed}}
  amp.gather_nd 0 %x[%i] : tensor<4x5xf32>, tensor<2x1xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{has a result of another type than its operand}}
  amp.scatter_elements 0 add %x[%i] = %u
      : tensor<3xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<2xf16>) {
  // expected-error @+1 {{has updates of another element type than its operand}}
  amp.scatter_elements 0 add %x[%i] = %u
      : tensor<3xf32>, tensor<2xi64>, tensor<2xf16> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{has axis -1, which is outside of [0, 1)}}
  amp.scatter_elements -1 add %x[%i] = %u
      : tensor<3xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3x3xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{has indices of rank 1 for an operand of rank 2}}
  amp.scatter_elements 0 max %x[%i] = %u
      : tensor<3x3xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{has updates of sizes [3] where [2] is needed}}
  amp.scatter_elements 0 min %x[%i] = %u
      : tensor<3xf32>, tensor<2xi64>, tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %i: tensor<4x2xi64>, %u: tensor<4xf32>) {
  // expected-error @+1 {{has tuples of 2 indices after 0 batch dimensions for an operand of rank 1}}
  amp.scatter_nd mul %x[%i] = %u
      : tensor<8xf32>, tensor<4x2xi64>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x2xf32>, %i: tensor<4x1xi64>, %u: tensor<4xf32>) {
  // expected-error @+1 {{has updates of sizes [4] where [4, 2] is needed}}
  amp.scatter_nd replace %x[%i] = %u
      : tensor<8x2xf32>, tensor<4x1xi64>, tensor<4xf32> -> tensor<8x2xf32>
  return
}
