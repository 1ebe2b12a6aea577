// RUN: amp-opt %s -split-input-file -amp-cpu-emit-kernels -canonicalize -cse | FileCheck %s
// RUN: amp-opt %s -split-input-file -amp-cpu-emit-kernels=vector-bytes=64 -canonicalize -cse | FileCheck %s --check-prefix=WIDE

// A tile of 6 rows and 16 columns stays in registers through the k loop; 12 by 32
// where there are 32 registers.
// CHECK-LABEL: func.func @relu(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: scf.for {{.*}} step %c6
// CHECK: %{{.*}}:12 = scf.for {{.*}} step %c4 iter_args
// CHECK-COUNT-48: math.fma {{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK: vector.store
// WIDE-LABEL: func.func @relu(
// WIDE: func.func private @{{[a-z_]+}}_0(
// WIDE: scf.for {{.*}} step %c12
// WIDE: %{{.*}}:24 = scf.for {{.*}} step %c4 iter_args
// WIDE-COUNT-96: math.fma {{.*}} : vector<16xf32>
func.func @relu(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %n: index, %c: memref<?x96xf32>) {
  amp.kernel ins(%x = %a, %y = %b, %d = %n : memref<?x64xf32>, memref<64x96xf32>, index)
             outs(%c : memref<?x96xf32>) args(tensor<?x64xf32>, tensor<64x96xf32>, index) {
    %zero = arith.constant 0.0 : f32
    %r = amp.matmul %x, %y : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
    %z = amp.splat %zero to [%d] : f32 to tensor<?x96xf32>
    %m = arith.maximumf %r, %z : tensor<?x96xf32>
    amp.yield %m : tensor<?x96xf32>
  }
  return
}

// -----

// A right operand whose columns are not adjacent is packed, squares of it turned
// in registers.
// CHECK-LABEL: func.func @transposed(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<{{[0-9]+}}xf32>
// CHECK: vector.shuffle {{.*}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xf32>, vector<8xf32>
// CHECK: math.fma {{.*}} : vector<8xf32>
func.func @transposed(%a: memref<?x64xf32>, %b: memref<?x64xf32>, %c: memref<?x?xf32>) {
  amp.kernel ins(%x = %a, %y = %b : memref<?x64xf32>, memref<?x64xf32>)
             outs(%c : memref<?x?xf32>) args(tensor<?x64xf32>, tensor<?x64xf32>) {
    %r = amp.matmul %x, %y {transpose_rhs} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32>
    amp.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Columns at the border are masked.
// CHECK-LABEL: func.func @border(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: vector.constant_mask [5] : vector<8xi1>
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
func.func @border(%a: memref<4x7xf32>, %b: memref<7x21xf32>, %c: memref<4x21xf32>) {
  amp.kernel ins(%x = %a, %y = %b : memref<4x7xf32>, memref<7x21xf32>)
             outs(%c : memref<4x21xf32>) args(tensor<4x7xf32>, tensor<7x21xf32>) {
    %r = amp.matmul %x, %y : (tensor<4x7xf32>, tensor<7x21xf32>) -> tensor<4x21xf32>
    amp.yield %r : tensor<4x21xf32>
  }
  return
}

// -----

// Depthwise: one row of the filter, vectors along the image's rows, all filter
// positions written out.
// CHECK-LABEL: func.func @depthwise(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK-NOT: memref.alloca
// CHECK-COUNT-9: math.fma {{.*}} : vector<8xf32>
func.func @depthwise(%x: memref<?x32x?x?xf32>, %w: memref<32x1x3x3xf32>, %r: memref<?x32x?x?xf32>) {
  amp.kernel ins(%a = %x, %f = %w : memref<?x32x?x?xf32>, memref<32x1x3x3xf32>)
             outs(%r : memref<?x32x?x?xf32>) args(tensor<?x32x?x?xf32>, tensor<32x1x3x3xf32>) {
    %y = amp.conv %a, %f {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 0, 0, 0, 0>, groups = 32 : i64}
       : (tensor<?x32x?x?xf32>, tensor<32x1x3x3xf32>) -> tensor<?x32x?x?xf32>
    amp.yield %y : tensor<?x32x?x?xf32>
  }
  return
}

// -----

// Channels last: six pixels by a panel's two vectors; nothing is packed, since
// the panels are. Rows of the filter are one loop, of k in order.
// CHECK-LABEL: func.func @channels_last(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK-NOT: memref.alloca
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-48: math.fma {{.*}} : vector<8xf32>
// CHECK: vector.store
func.func @channels_last(%x: memref<1x8x8x32xf32>, %w: memref<2x3x3x32x16xf32>, %r: memref<1x6x6x32xf32>) {
  amp.kernel ins(%a = %x, %f = %w : memref<1x8x8x32xf32>, memref<2x3x3x32x16xf32>)
             outs(%r : memref<1x6x6x32xf32>) args(tensor<1x8x8x32xf32>, tensor<2x3x3x32x16xf32>) {
    %y = amp.conv %a, %f {channels_last, panels, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
       : (tensor<1x8x8x32xf32>, tensor<2x3x3x32x16xf32>) -> tensor<1x6x6x32xf32>
    amp.yield %y : tensor<1x6x6x32xf32>
  }
  return
}

// -----

// Depthwise with channels last: two rows by four columns of a vector of
// channels, and an element of the input meets all weights it needs at once.
// CHECK-LABEL: func.func @depthwise_last(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK-COUNT-72: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.fma
// CHECK-COUNT-8: vector.store
// CHECK-NOT: vector.maskedstore
func.func @depthwise_last(%x: memref<1x10x10x32xf32>, %w: memref<3x3x1x32xf32>, %r: memref<1x8x8x32xf32>) {
  amp.kernel ins(%a = %x, %f = %w : memref<1x10x10x32xf32>, memref<3x3x1x32xf32>)
             outs(%r : memref<1x8x8x32xf32>) args(tensor<1x10x10x32xf32>, tensor<3x3x1x32xf32>) {
    %y = amp.conv %a, %f {channels_last, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
         pads = array<i64: 0, 0, 0, 0>, groups = 32 : i64}
       : (tensor<1x10x10x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x8x8x32xf32>
    amp.yield %y : tensor<1x8x8x32xf32>
  }
  return
}

// -----

// 16-bit operands are multiplied in f32, and the result is rounded once.
// CHECK-LABEL: func.func @half(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: arith.extf {{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
func.func @half(%a: memref<?x64xf16>, %b: memref<64x16xf16>, %c: memref<?x16xf16>) {
  amp.kernel ins(%x = %a, %y = %b : memref<?x64xf16>, memref<64x16xf16>)
             outs(%c : memref<?x16xf16>) args(tensor<?x64xf16>, tensor<64x16xf16>) {
    %r = amp.matmul %x, %y : (tensor<?x64xf16>, tensor<64x16xf16>) -> tensor<?x16xf16>
    amp.yield %r : tensor<?x16xf16>
  }
  return
}
