// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error @+1 {{counts along dimension 1 of a tensor of rank 1}}
  amp.iota 1 to [] : tensor<4xi64>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{cannot count in 'i1'}}
  amp.iota 0 to [] : tensor<4xi1>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{has 0 sizes for 1 dynamic dimensions}}
  amp.iota 0 to [] : tensor<?xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has an operand of rank 2 and a result of rank 3}}
  amp.transpose %x [1, 0] : tensor<2x3xf32> to tensor<3x2x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{needs a permutation of the dimensions}}
  amp.transpose %x [1, 1] : tensor<2x3xf32> to tensor<3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{needs a permutation of the dimensions}}
  amp.transpose %x [0] : tensor<2x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x?xf32>) {
  // expected-error @+1 {{has a result of sizes [?, 3] where [?, 2] is needed}}
  amp.transpose %x [1, 0] : tensor<2x?xf32> to tensor<?x3xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{may not change the element type}}
  amp.slice %x [0] step [1] to [] : tensor<9xf32> to tensor<2xf16>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{has 2 starts for 1 dimensions}}
  amp.slice %x [0, 0] step [1] to [] : tensor<9xf32> to tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{has 0 steps for 1 dimensions}}
  amp.slice %x [0] step [] to [] : tensor<9xf32> to tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{marks 1 dynamic starts but has 0 operands}}
  "amp.slice"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>,
      static_starts = array<i64: -9223372036854775808>, static_steps = array<i64: 1>}>
    : (tensor<9xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{has a step of zero}}
  amp.slice %x [0] step [0] to [] : tensor<9xf32> to tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{reads element 10 of dimension 0, which has 9}}
  amp.slice %x [4] step [2] to [] : tensor<9xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{reads element -1 of dimension 0, which has 9}}
  amp.slice %x [1] step [-1] to [] : tensor<9xf32> to tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>) {
  // expected-error @+1 {{has 0 sizes for 1 dynamic dimensions}}
  amp.slice %x [1] step [1] to [] : tensor<9xf32> to tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4x9xf32>, %v: f32) {
  // expected-error @+1 {{has 1 low sizes for 2 dimensions}}
  amp.pad %x, %v low [0] interior [0, 0] constant to [] : tensor<4x9xf32>, f32 to tensor<4x9xf32>
  return
}

// -----

func.func @f(%x: tensor<4x9xf32>, %v: f32) {
  // expected-error @+1 {{has 1 interior sizes for 2 dimensions}}
  amp.pad %x, %v low [0, 0] interior [0] constant to [] : tensor<4x9xf32>, f32 to tensor<4x9xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %v: i32) {
  // expected-error @+1 {{pads a tensor of 'f32' with a 'i32'}}
  amp.pad %x, %v low [0] interior [0] constant to [] : tensor<9xf32>, i32 to tensor<12xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %v: f32) {
  // expected-error @+1 {{has a negative interior size}}
  amp.pad %x, %v low [0] interior [-1] constant to [] : tensor<9xf32>, f32 to tensor<12xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %v: f32) {
  // expected-error @+1 {{may only spread elements in constant mode}}
  amp.pad %x, %v low [0] interior [1] edge to [] : tensor<9xf32>, f32 to tensor<17xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %v: f32) {
  // expected-error @+1 {{has 0 sizes for 1 dynamic dimensions}}
  amp.pad %x, %v low [0] interior [0] edge to [] : tensor<9xf32>, f32 to tensor<?xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{needs an operand}}
  amp.concat 0 () : () -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{has axis 1, which is outside of [0, 1)}}
  amp.concat 1 (%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2x1xf32>) {
  // expected-error @+1 {{joins 'tensor<2x1xf32>' into 'tensor<4xf32>'}}
  amp.concat 0 (%x, %y) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{joins operands that differ in dimension 1}}
  amp.concat 0 (%x, %y) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{joins 7 elements into 8}}
  amp.concat 1 (%x, %y) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot fill 5 elements with whole copies of 2}}
  amp.tile %x to [] : tensor<2x3xf32> to tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<0xf32>) {
  // expected-error @+1 {{cannot fill 5 elements with whole copies of 0}}
  amp.tile %x to [] : tensor<0xf32> to tensor<5xf32>
  return
}
