// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{may not change the element type}}
  amp.broadcast %x to [] : tensor<3xf32> to tensor<2x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has a result of lower rank than its operand}}
  amp.broadcast %x to [] : tensor<2x3xf32> to tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{repeats dimension 1 of size 3 to 4}}
  amp.broadcast %x to [] : tensor<2x3xf32> to tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x3xf32>, %n: index) {
  // expected-error @+1 {{lists 1 in maybe_one, which is no dynamic dimension of the operand}}
  amp.broadcast %x to [%n] {maybe_one = array<i64: 1>} : tensor<?x3xf32> to tensor<?x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3xf32>) {
  // expected-error @+1 {{has 0 sizes for 1 dynamic dimensions}}
  amp.broadcast %x to [] : tensor<1x3xf32> to tensor<?x3xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{fills a tensor of 'f16' with a 'f32'}}
  amp.splat %x to [] : f32 to tensor<3xf16>
  return
}

// -----

func.func @f(%x: f32, %n: index) {
  // expected-error @+1 {{has 1 sizes for 0 dynamic dimensions}}
  amp.splat %x to [%n] : f32 to tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xcomplex<f32>>) {
  // expected-error @+1 {{cannot convert elements of type 'complex<f32>'}}
  amp.cast %x source : tensor<3xcomplex<f32>> to tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  amp.cast %x source : tensor<3xf32> to tensor<4xf16>
  return
}
