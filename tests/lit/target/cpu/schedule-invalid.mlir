// RUN: amp-opt %s -split-input-file -verify-diagnostics -amp-cpu-emit-kernels

func.func @tile(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: a tile of 7 rows and 2 vectors takes 17 registers, the target has 16}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<tile_rows = 7, block_rows = 40>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @zero(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: tile_rows is 0, not 1 to 28}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<tile_rows = 0>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @vectors(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: tile_vectors is -1, not 1 to 16}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<tile_vectors = -1>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @block(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: block_rows is 8, neither a multiple of tile_rows (6) nor all rows}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<block_rows = 8>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @steps(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: k_steps is -4}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<k_steps = -4>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @flag(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: pack is 2, neither 0 nor 1}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<pack = 2>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @prefetch(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: prefetch is for operands in panels}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<prefetch = 1>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @stack(%x: memref<400x64000xf32>, %y: memref<64000x96xf32>, %r: memref<400x96xf32>) {
  // expected-error @below {{has an impossible schedule: it takes more than 256 KiB of stack}}
  amp.kernel ins(%a = %x, %b = %y : memref<400x64000xf32>, memref<64000x96xf32>) outs(%r : memref<400x96xf32>)
             attributes {schedule = #amp.schedule<pack = 1, k_steps = 0>}
             args(tensor<400x64000xf32>, tensor<64000x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<400x64000xf32>, tensor<64000x96xf32>) -> tensor<400x96xf32>
    amp.yield %0 : tensor<400x96xf32>
  }
  return
}

// -----

func.func @unknown(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  // expected-error @below {{has an impossible schedule: contractions know no color}}
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<color = 3>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// -----

func.func @panels(%x: memref<1x8x8x32xf32>, %w: memref<2x3x3x32x16xf32>, %r: memref<1x6x6x32xf32>) {
  // expected-error @below {{has an impossible schedule: tile_vectors is 3, no multiple of a panel's 2}}
  amp.kernel ins(%a = %x, %f = %w : memref<1x8x8x32xf32>, memref<2x3x3x32x16xf32>)
             outs(%r : memref<1x6x6x32xf32>) attributes {schedule = #amp.schedule<tile_vectors = 3>}
             args(tensor<1x8x8x32xf32>, tensor<2x3x3x32x16xf32>) {
    %y = amp.conv %a, %f {channels_last, panels, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
       : (tensor<1x8x8x32xf32>, tensor<2x3x3x32x16xf32>) -> tensor<1x6x6x32xf32>
    amp.yield %y : tensor<1x6x6x32xf32>
  }
  return
}

// -----

func.func @depthwise(%x: memref<1x8x8x32xf32>, %w: memref<3x3x1x32xf32>, %r: memref<1x6x6x32xf32>) {
  // expected-error @below {{has an impossible schedule: a tile of 4 by 4 does not fit 16 registers}}
  amp.kernel ins(%a = %x, %f = %w : memref<1x8x8x32xf32>, memref<3x3x1x32xf32>)
             outs(%r : memref<1x6x6x32xf32>) attributes {schedule = #amp.schedule<tile_rows = 4>}
             args(tensor<1x8x8x32xf32>, tensor<3x3x1x32xf32>) {
    %y = amp.conv %a, %f {channels_last, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 0, 0, 0, 0>, groups = 32 : i64}
       : (tensor<1x8x8x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x6x6x32xf32>
    amp.yield %y : tensor<1x6x6x32xf32>
  }
  return
}

// -----

func.func @rootless(%x: memref<8xf32>, %r: memref<8xf32>) {
  // expected-error @below {{has a schedule, which only bufferized kernels with a root may have}}
  amp.kernel ins(%a = %x : memref<8xf32>) outs(%r : memref<8xf32>)
             attributes {schedule = #amp.schedule<tile_rows = 4>} args(tensor<8xf32>) {
    %y = math.absf %a : tensor<8xf32>
    amp.yield %y : tensor<8xf32>
  }
  return
}

// -----

func.func @twice() {
  // expected-error @below {{has 'tile_rows' twice}}
  %0 = arith.constant {s = #amp.schedule<tile_rows = 4, tile_rows = 5>} 1 : i32
  return
}
