// RUN: amp-opt %s -amp-form-kernels -cse -split-input-file | FileCheck %s

// Pointwise ops on one shape are one kernel; what is used outside is stored.

// CHECK-LABEL: func @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf32>
// CHECK:       %[[R:.*]]:2 = amp.kernel ins(%[[A:.*]] = %[[X]] : tensor<4x8xf32>)
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[E]], %[[A]]
// CHECK-NEXT:    %[[T:.*]] = math.tanh %[[S]]
// CHECK-NEXT:    amp.yield %[[S]], %[[T]]
// CHECK-NOT:   amp.kernel
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @chain(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = arith.addf %0, %x : tensor<4x8xf32>
  %2 = math.tanh %1 : tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The epilogue of a contraction: bias, activation, residual. The broadcast costs
// no buffer. Sizes come from the operands.

// CHECK-LABEL: func @epilogue
// CHECK-SAME:    (%[[A:.*]]: tensor<?x8xf32>, %[[B:.*]]: tensor<8x2xf32>, %[[C:.*]]: tensor<2xf32>, %[[R:.*]]: tensor<?x2xf32>
// CHECK:       %[[N:.*]] = tensor.dim %[[A]], %{{.*}}
// CHECK:       %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x2xf32>
// CHECK:       amp.kernel {{.*}} outs(%[[INIT]] : tensor<?x2xf32>)
// CHECK-NEXT:    amp.matmul
// CHECK-NEXT:    amp.broadcast
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    amp.yield
// CHECK-NOT:   amp.kernel
func.func @epilogue(%a: tensor<?x8xf32>, %b: tensor<8x2xf32>, %c: tensor<2xf32>,
                    %r: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %a, %zero : tensor<?x8xf32>
  %0 = amp.matmul %a, %b : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
  %1 = amp.broadcast %c to [%n] : tensor<2xf32> to tensor<?x2xf32>
  %2 = arith.addf %0, %1 : tensor<?x2xf32>
  %3 = arith.addf %2, %r : tensor<?x2xf32>
  return %3 : tensor<?x2xf32>
}

// -----

// A value that the contraction itself reads is not its epilogue's to compute,
// even if the epilogue also adds it.

// CHECK-LABEL: func @residual
// CHECK:       %[[RELU:.*]] = amp.kernel
// CHECK:         arith.maximumf
// CHECK:       amp.kernel ins(%{{.*}} = %[[RELU]]
// CHECK:         amp.matmul
// CHECK-NEXT:    arith.addf
func.func @residual(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = arith.maximumf %x, %zero : tensor<8x8xf32>
  %1 = amp.matmul %0, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = arith.addf %1, %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A path through another kernel keeps two ops apart: exp and the last add
// cannot be one kernel, since the sum between them needs all of exp.

// CHECK-LABEL: func @no_cycle
// CHECK:       amp.kernel
// CHECK:         math.exp
// CHECK:       amp.kernel
// CHECK:         amp.reduce sum
// CHECK:       amp.kernel
// CHECK:         amp.broadcast
// CHECK:         arith.divf
func.func @no_cycle(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = amp.reduce sum %0 [1] : tensor<4x8xf32> to tensor<4xf32>
  %2 = amp.reshape %1 to [] : tensor<4xf32> to tensor<4x1xf32>
  %3 = amp.broadcast %2 to [] : tensor<4x1xf32> to tensor<4x8xf32>
  %4 = arith.divf %0, %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// A cheap prologue is evaluated inside the reduction.

// CHECK-LABEL: func @prologue
// CHECK:       amp.kernel
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    amp.reduce sum
// CHECK-NEXT:    math.sqrt
// CHECK-NEXT:    amp.yield
// CHECK-NOT:   amp.kernel
func.func @prologue(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x : tensor<4x8xf32>
  %1 = amp.reduce sum %0 [1] : tensor<4x8xf32> to tensor<4xf32>
  %2 = math.sqrt %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Checks run before the kernels that rely on them.

// CHECK-LABEL: func @checks_first
// CHECK:       amp.check
// CHECK:       amp.kernel
func.func @checks_first(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %0 = math.exp %x : tensor<?xf32>
  %m = tensor.dim %x, %zero : tensor<?xf32>
  %n = tensor.dim %y, %zero : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  amp.check %same, 5, "sizes differ"
  %1 = arith.addf %0, %y : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A root that reads from memory only is given a buffer for a constant, too.
// CHECK-LABEL: func @splat_into_root
// CHECK:         %[[ZEROS:.*]] = amp.kernel ins() outs(
// CHECK:           amp.splat
// CHECK:         amp.kernel ins(%[[A:.*]] = %[[ZEROS]]
// CHECK-NEXT:      amp.scatter_elements 0 replace %[[A]]
func.func @splat_into_root(%i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %r = amp.scatter_elements 0 replace %zeros[%i] = %u
      : tensor<8xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A convolution reads an image of few channels where it lies; one of many
// channels is transposed first.
// CHECK-LABEL: func @image_read_through_transpose(
// CHECK-SAME:    %[[IMAGE:.*]]: tensor<1x3x8x8xf32>
// CHECK:         amp.kernel ins(%[[X:.*]] = %[[IMAGE]]
// CHECK-NEXT:      %[[T:.*]] = amp.transpose %[[X]]
// CHECK-NEXT:      amp.conv %[[T]]
func.func @image_read_through_transpose(%x: tensor<1x3x8x8xf32>, %w: tensor<1x3x3x3x16xf32>) -> tensor<1x6x6x16xf32> {
  %t = amp.transpose %x [0, 2, 3, 1] : tensor<1x3x8x8xf32> to tensor<1x8x8x3xf32>
  %y = amp.conv %t, %w {channels_last, panels, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<1x3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
  return %y : tensor<1x6x6x16xf32>
}

// CHECK-LABEL: func @image_transposed_first(
// CHECK:         amp.transpose
// CHECK-NEXT:    amp.yield
// CHECK:         amp.conv
func.func @image_transposed_first(%x: tensor<1x16x8x8xf32>, %w: tensor<1x3x3x16x16xf32>) -> tensor<1x6x6x16xf32> {
  %t = amp.transpose %x [0, 2, 3, 1] : tensor<1x16x8x8xf32> to tensor<1x8x8x16xf32>
  %y = amp.conv %t, %w {channels_last, panels, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<1x3x3x16x16xf32>) -> tensor<1x6x6x16xf32>
  return %y : tensor<1x6x6x16xf32>
}
