// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{needs operands of rank 2 or more}}
  amp.matmul %a, %b : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error @+1 {{multiplies 'f32' by 'f64'}}
  amp.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) {
  // expected-error @+1 {{gives 'f32' from 'i8'}}
  amp.matmul %a, %b : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{sums over 3 elements of the left and 4 of the right operand}}
  amp.matmul %a, %b {transpose_rhs} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<5x2x3xf32>, %b: tensor<6x3x4xf32>) {
  // expected-error @+1 {{has batch dimensions that do not broadcast}}
  amp.matmul %a, %b : (tensor<5x2x3xf32>, tensor<6x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{has a result of sizes [2, 4] where [5, 2, 4] is needed}}
  amp.matmul %a, %b : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x3xf32>, %b: tensor<1x3x4xf32>) {
  // expected-error @+1 {{has a result of sizes [7, 2, 4] where [1, 2, 4] is needed}}
  amp.matmul %a, %b : (tensor<1x2x3xf32>, tensor<1x3x4xf32>) -> tensor<7x2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{has a bias that does not broadcast to the result}}
  amp.matmul %a, %b bias %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4xf16>) {
  // expected-error @+1 {{has a bias of another element type than the result}}
  amp.matmul %a, %b bias %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3xf32>, %w: tensor<8x3xf32>) {
  // expected-error @+1 {{needs a filter of rank 3 or more}}
  amp.conv %x, %w {strides = array<i64>, dilations = array<i64>, pads = array<i64>, groups = 1 : i64}
      : (tensor<1x3xf32>, tensor<8x3xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x2x2x2x2xf32>, %w: tensor<8x3x1x1x1x1xf32>) {
  // expected-error @+1 {{has 4 spatial dimensions; 1 to 3 are supported}}
  amp.conv %x, %w {strides = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1, 1, 1>,
                   pads = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, groups = 1 : i64}
      : (tensor<1x3x2x2x2x2xf32>, tensor<8x3x1x1x1x1xf32>) -> tensor<1x8x2x2x2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5x5xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{has operands and a result of different ranks}}
  amp.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
                   pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
      : (tensor<1x3x5x5xf32>, tensor<8x3x3xf32>) -> tensor<1x8x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x3xf64>) {
  // expected-error @+1 {{has an input of 'f32' and a filter of 'f64'}}
  amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x3xf64>) -> tensor<1x8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x?xf32>) {
  // expected-error @+1 {{needs a filter whose spatial sizes are static}}
  amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x?xf32>) -> tensor<1x8x?xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{needs 1 strides and dilations and 2 pads}}
  amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x3xf32>) -> tensor<1x8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{needs positive strides, dilations and groups}}
  amp.conv %x, %w {strides = array<i64: 0>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x3xf32>) -> tensor<1x8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{has 3 input channels where the filter is for 6}}
  amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 2 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x3xf32>) -> tensor<1x8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x6x5xf32>, %w: tensor<7x3x3xf32>) {
  // expected-error @+1 {{splits 7 channels into 2 groups}}
  amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 2 : i64}
      : (tensor<1x6x5xf32>, tensor<7x3x3xf32>) -> tensor<1x7x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x3xf32>, %b: tensor<7xf32>) {
  // expected-error @+1 {{needs a bias with one element an output channel}}
  amp.conv %x, %w bias %b {strides = array<i64: 1>, dilations = array<i64: 1>,
                           pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x3xf32>, tensor<7xf32>) -> tensor<1x8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{has a result of sizes [1, 8, 5] where [1, 8, 2] is needed}}
  amp.conv %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<8x3x3xf32>) -> tensor<1x8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<3x8x2xf32>) {
  // expected-error @+1 {{needs 1 output paddings}}
  amp.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, output_padding = array<i64>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x10xf32>
  return
}

// -----

func.func @f(%x: tensor<1x3x5xf32>, %w: tensor<3x8x2xf32>) {
  // expected-error @+1 {{has a result of sizes [1, 8, 10] where [1, 8, 11] is needed}}
  amp.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, output_padding = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x10xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8xf32>) {
  // expected-error @+1 {{needs query, key, value and result of rank 4}}
  amp.attention %q, %q, %q {scale = 1.0 : f32}
      : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x15xf32>) {
  // expected-error @+1 {{has keys of sizes [2, 4, 8, 15] where [2, 4, 8, 16] is needed}}
  amp.attention %q, %k, %q {scale = 1.0 : f32}
      : (tensor<2x4x8x16xf32>, tensor<2x4x8x15xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %v: tensor<2x4x9x16xf32>) {
  // expected-error @+1 {{has values of sizes [2, 4, 9, 16] where [2, 4, 8, 16] is needed}}
  amp.attention %q, %q, %v {scale = 1.0 : f32}
      : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x3x8x16xf32>) {
  // expected-error @+1 {{has 4 query heads for 3 key heads}}
  amp.attention %q, %k, %k {scale = 1.0 : f32}
      : (tensor<2x4x8x16xf32>, tensor<2x3x8x16xf32>, tensor<2x3x8x16xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x9x3x16xf32>) {
  // expected-error @+1 {{has 8 query heads for 3 key heads}}
  amp.attention %q, %k, %k {scale = 1.0 : f32, heads_inner}
      : (tensor<2x4x8x16xf32>, tensor<2x9x3x16xf32>, tensor<2x9x3x16xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %m: tensor<8x8xf16>) {
  // expected-error @+1 {{gives 'f32' from 'f16'}}
  amp.attention %q, %q, %q mask %m {scale = 1.0 : f32}
      : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf16>)
      -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%q: tensor<2x4x8x16xf32>, %m: tensor<3x8xf32>) {
  // expected-error @+1 {{has a mask that does not broadcast to the result}}
  amp.attention %q, %q, %q mask %m {scale = 1.0 : f32}
      : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<3x8xf32>)
      -> tensor<2x4x8x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x5x3xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{has a filter in panels, which takes channels_last}}
  amp.conv %x, %w {panels, strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x5x3xf32>, tensor<8x3x3xf32>) -> tensor<1x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x5x3xf32>, %w: tensor<3x3x8xf32>) {
  // expected-error @+1 {{has a result of sizes [1, 8, 3] where [1, 3, 8] is needed}}
  amp.conv %x, %w {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x5x3xf32>, tensor<3x3x8xf32>) -> tensor<1x8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x5x4xf32>, %w: tensor<3x3x8xf32>) {
  // expected-error @+1 {{has 4 input channels where the filter is for 3}}
  amp.conv %x, %w {channels_last, strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x5x4xf32>, tensor<3x3x8xf32>) -> tensor<1x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x5x4xf32>, %w: tensor<2x3x2x8xf32>) {
  // expected-error @+1 {{has 2 panels where 4 are needed}}
  amp.conv %x, %w {channels_last, panels, strides = array<i64: 1>, dilations = array<i64: 1>,
                   pads = array<i64: 0, 0>, groups = 2 : i64}
      : (tensor<1x5x4xf32>, tensor<2x3x2x8xf32>) -> tensor<1x3x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) {
  // expected-error @+1 {{needs panels of rank 3 or more}}
  amp.matmul %x, %w {panels} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<1x8x16xf32>) {
  // expected-error @+1 {{has panels, which cannot be transposed}}
  amp.matmul %x, %w {panels, transpose_rhs} : (tensor<4x8xf32>, tensor<1x8x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<1x8x16xf32>) {
  // expected-error @+1 {{needs panels and columns of static size}}
  amp.matmul %x, %w {panels} : (tensor<4x8xf32>, tensor<1x8x16xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x8x16xf32>) {
  // expected-error @+1 {{has 2 panels where 3 are needed}}
  amp.matmul %x, %w {panels} : (tensor<4x8xf32>, tensor<2x8x16xf32>) -> tensor<4x40xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x9x16xf32>) {
  // expected-error @+1 {{sums over 8 elements of the left and 9 of the right operand}}
  amp.matmul %x, %w {panels} : (tensor<4x8xf32>, tensor<2x9x16xf32>) -> tensor<4x20xf32>
  return
}

// -----

// What adds in f32 multiplies f32 or narrower.
func.func @f(%x: tensor<4x8xf64>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{multiplies 'f64' by 'f32'}}
  amp.matmul %x, %w : (tensor<4x8xf64>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @pairs_without_panels(%a: tensor<4x8xbf16>, %b: tensor<8x16xbf16>) {
  // expected-error @+1 {{has pairs, which are for panels}}
  %0 = amp.matmul %a, %b {pairs} : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @pairs_of_three(%a: tensor<4x8xbf16>, %b: tensor<1x16x16x3xbf16>) {
  // expected-error @+1 {{needs pairs along the last dimension}}
  %0 = amp.matmul %a, %b {panels, pairs} : (tensor<4x8xbf16>, tensor<1x16x16x3xbf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @pairs_too_few(%a: tensor<4x40xbf16>, %b: tensor<1x16x16x2xbf16>) {
  // expected-error @+1 {{sums over 40 elements where pairs hold 32}}
  %0 = amp.matmul %a, %b {panels, pairs} : (tensor<4x40xbf16>, tensor<1x16x16x2xbf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @round_to_wider(%a: tensor<4xf32>) {
  // expected-error @+1 {{cannot round to f64}}
  %0 = amp.round %a to f64 : tensor<4xf32>
  return
}

// -----

func.func @round_of_half(%a: tensor<4xf16>) {
  // expected-error @+1 {{rounds numbers of f32 only}}
  %0 = amp.round %a to bf16 : tensor<4xf16>
  return
}
