// RUN: amp-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize -split-input-file | FileCheck %s

// Sizes of results are computed from the operands, so that values which nothing
// else uses are not kept for their shape.

// CHECK-LABEL: func @sizes_given
// CHECK-SAME:    (%{{[^:]*}}: tensor<1xf32>, %{{[^:]*}}: f32, %[[N:.*]]: index
// CHECK-NEXT:    return %[[N]], %[[N]], %[[N]], %[[N]], %[[N]], %[[N]], %[[N]], %[[N]]
func.func @sizes_given(%x: tensor<1xf32>, %v: f32, %n: index)
    -> (index, index, index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %0 = amp.broadcast %x to [%n] : tensor<1xf32> to tensor<?xf32>
  %1 = amp.splat %v to [%n] : f32 to tensor<?xf32>
  %2 = amp.iota 0 to [%n] : tensor<?xi64>
  %3 = amp.slice %1 [0] step [1] to [%n] : tensor<?xf32> to tensor<?xf32>
  %4 = amp.pad %x, %v low [0] interior [0] constant to [%n] : tensor<1xf32>, f32 to tensor<?xf32>
  %5 = amp.tile %x to [%n] : tensor<1xf32> to tensor<?xf32>
  %6 = amp.reshape %1 to [%n] : tensor<?xf32> to tensor<?xf32>
  %7 = amp.resize %x axes [0] scales (%v) nearest asymmetric floor to [%n]
     : tensor<1xf32> to tensor<?xf32>
  %d0 = tensor.dim %0, %c0 : tensor<?xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?xf32>
  %d2 = tensor.dim %2, %c0 : tensor<?xi64>
  %d3 = tensor.dim %3, %c0 : tensor<?xf32>
  %d4 = tensor.dim %4, %c0 : tensor<?xf32>
  %d5 = tensor.dim %5, %c0 : tensor<?xf32>
  %d6 = tensor.dim %6, %c0 : tensor<?xf32>
  %d7 = tensor.dim %7, %c0 : tensor<?xf32>
  return %d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7
      : index, index, index, index, index, index, index, index
}

// -----

// CHECK-LABEL: func @pointwise_chain
// CHECK-SAME:    (%[[X:.*]]: tensor<4x?xf32>
// CHECK:         %[[D:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK-NEXT:    return %[[D]]
func.func @pointwise_chain(%x: tensor<4x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = amp.cast %x source : tensor<4x?xf32> to tensor<4x?xf16>
  %1 = arith.addf %0, %0 : tensor<4x?xf16>
  %2 = amp.sigmoid %1 : tensor<4x?xf16>
  %3 = amp.softmax %2 1 : tensor<4x?xf16>
  %4 = amp.scan sum %3 1 : tensor<4x?xf16>
  %5 = amp.transpose %4 [1, 0] : tensor<4x?xf16> to tensor<?x4xf16>
  %6 = amp.reduce max %5 [1] : tensor<?x4xf16> to tensor<?xf16>
  %d = tensor.dim %6, %c0 : tensor<?xf16>
  return %d : index
}

// -----

// CHECK-LABEL: func @concat
// CHECK:         %[[A:.*]] = tensor.dim %arg0
// CHECK:         %[[B:.*]] = tensor.dim %arg1
// CHECK:         %[[AB:.*]] = arith.addi %[[A]], %[[B]] : index
// CHECK:         %[[S:.*]] = arith.addi %[[AB]], %{{.*}} : index
// CHECK:         return %[[S]]
func.func @concat(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<3xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = amp.concat 0 (%a, %b, %c) : (tensor<?xf32>, tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  %d = tensor.dim %0, %c0 : tensor<?xf32>
  return %d : index
}

// -----

// CHECK-LABEL: func @gather
// CHECK:         %[[I:.*]] = tensor.dim %arg1
// CHECK:         %[[X:.*]] = tensor.dim %arg0
// CHECK:         return %[[I]], %[[X]]
func.func @gather(%x: tensor<3x?xf32>, %i: tensor<?xi64>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = amp.gather 0 %x[%i] : tensor<3x?xf32>, tensor<?xi64> -> tensor<?x?xf32>
  %d0 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}

// -----

// CHECK-LABEL: func @matmul
// CHECK:         %[[B:.*]] = tensor.dim %arg1, %c0
// CHECK:         %[[M:.*]] = tensor.dim %arg0, %c1
// CHECK:         return %[[B]], %[[M]]
func.func @matmul(%a: tensor<1x?x8xf32>, %b: tensor<?x8x4xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = amp.matmul %a, %b : (tensor<1x?x8xf32>, tensor<?x8x4xf32>) -> tensor<?x?x4xf32>
  %d0 = tensor.dim %0, %c0 : tensor<?x?x4xf32>
  %d1 = tensor.dim %0, %c1 : tensor<?x?x4xf32>
  return %d0, %d1 : index, index
}

// -----

// (in + 2 - 3) / 2 + 1, where no window fits below 0 before the division.

// CHECK-LABEL: func @conv
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -2 : index
// CHECK-DAG:     %[[GROW:.*]] = arith.constant -1 : index
// CHECK:         %[[IN:.*]] = tensor.dim %arg0
// CHECK:         %[[SPAN:.*]] = arith.addi %[[IN]], %[[GROW]]
// CHECK:         %[[LOW:.*]] = arith.maxsi %[[SPAN]], %[[LEAST]]
// CHECK:         %[[UP:.*]] = arith.addi %[[LOW]], %[[TWO]]
// CHECK:         %[[OUT:.*]] = arith.divui %[[UP]], %[[TWO]]
// CHECK:         return %[[OUT]]
func.func @conv(%x: tensor<1x3x?xf32>, %w: tensor<8x3x3xf32>) -> index {
  %c2 = arith.constant 2 : index
  %0 = amp.conv %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
                        pads = array<i64: 1, 1>, groups = 1 : i64}
     : (tensor<1x3x?xf32>, tensor<8x3x3xf32>) -> tensor<1x8x?xf32>
  %d = tensor.dim %0, %c2 : tensor<1x8x?xf32>
  return %d : index
}

// -----

// Padding that makes up for the window leaves the size as it was.
// CHECK-LABEL: func @same
// CHECK:         %[[IN:.*]] = tensor.dim %arg0
// CHECK:         return %[[IN]]
func.func @same(%x: tensor<1x3x?xf32>, %w: tensor<8x3x3xf32>) -> index {
  %c2 = arith.constant 2 : index
  %0 = amp.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
                        pads = array<i64: 1, 1>, groups = 1 : i64}
     : (tensor<1x3x?xf32>, tensor<8x3x3xf32>) -> tensor<1x8x?xf32>
  %d = tensor.dim %0, %c2 : tensor<1x8x?xf32>
  return %d : index
}

// -----

// CHECK-LABEL: func @channels_last
// CHECK:         %[[IN:.*]] = tensor.dim %arg0
// CHECK:         %[[OUT:.*]] = arith.divui
// CHECK:         return %[[OUT]]
func.func @channels_last(%x: tensor<1x?x3xf32>, %w: tensor<2x3x3x8xf32>) -> index {
  %c1 = arith.constant 1 : index
  %0 = amp.conv %x, %w {channels_last, panels, strides = array<i64: 2>, dilations = array<i64: 1>,
                        pads = array<i64: 1, 1>, groups = 1 : i64}
     : (tensor<1x?x3xf32>, tensor<2x3x3x8xf32>) -> tensor<1x?x12xf32>
  %d = tensor.dim %0, %c1 : tensor<1x?x12xf32>
  return %d : index
}

// -----

// CHECK-LABEL: func @top_k
// CHECK-SAME:    (%{{[^:]*}}: tensor<4x?xf32>, %[[K:.*]]: index
// CHECK:         return %[[K]], %[[K]]
func.func @top_k(%x: tensor<4x?xf32>, %k: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  %v, %i = amp.top_k %x 1 to [%k] : tensor<4x?xf32> to tensor<4x?xf32>, tensor<4x?xi64>
  %d0 = tensor.dim %v, %c1 : tensor<4x?xf32>
  %d1 = tensor.dim %i, %c1 : tensor<4x?xi64>
  return %d0, %d1 : index, index
}
