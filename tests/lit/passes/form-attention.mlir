// RUN: amp-opt %s -amp-form-attention -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func @example
// CHECK-NEXT:  %[[Y:.*]] = amp.attention %arg0, %arg1, %arg2 mask %arg3 {scale = 5.000000e-01 : f32}
// CHECK-NEXT:  return %[[Y]]
func.func @example(%q: tensor<2x4x?x8xf32>, %k: tensor<2x4x?x8xf32>, %v: tensor<2x4x?x8xf32>,
                   %mask: tensor<2x1x1x?xf32>, %m: index, %n: index) -> tensor<2x4x?x8xf32> {
  %half = arith.constant 0.5 : f32
  %t = amp.transpose %k [0, 1, 3, 2] : tensor<2x4x?x8xf32> to tensor<2x4x8x?xf32>
  %s = amp.matmul %q, %t : (tensor<2x4x?x8xf32>, tensor<2x4x8x?xf32>) -> tensor<2x4x?x?xf32>
  %c = amp.splat %half to [%m, %n] : f32 to tensor<2x4x?x?xf32>
  %1 = arith.mulf %s, %c : tensor<2x4x?x?xf32>
  %b = amp.broadcast %mask to [%m, %n] : tensor<2x1x1x?xf32> to tensor<2x4x?x?xf32>
  %2 = arith.addf %1, %b : tensor<2x4x?x?xf32>
  %p = amp.softmax %2 3 : tensor<2x4x?x?xf32>
  %y = amp.matmul %p, %v : (tensor<2x4x?x?xf32>, tensor<2x4x?x8xf32>) -> tensor<2x4x?x8xf32>
  return %y : tensor<2x4x?x8xf32>
}

// -----

// Division, the mask first, keys transposed by the product; no leading
// dimensions but one.
// CHECK-LABEL: func @rank_three
// CHECK-DAG:   %[[Q:.*]] = amp.reshape %arg0 to [] : tensor<3x5x8xf32> to tensor<1x3x5x8xf32>
// CHECK-DAG:   %[[K:.*]] = amp.reshape %arg1 to [] : tensor<3x7x8xf32> to tensor<1x3x7x8xf32>
// CHECK-DAG:   %[[V:.*]] = amp.reshape %arg2 to [] : tensor<3x7x4xf32> to tensor<1x3x7x4xf32>
// CHECK:       %[[Y:.*]] = amp.attention %[[Q]], %[[K]], %[[V]] mask %arg3 {scale = 2.500000e-01 : f32}
// CHECK-SAME:    tensor<5x7xf32>) -> tensor<1x3x5x4xf32>
// CHECK:       amp.reshape %[[Y]] to [] : tensor<1x3x5x4xf32> to tensor<3x5x4xf32>
func.func @rank_three(%q: tensor<3x5x8xf32>, %k: tensor<3x7x8xf32>, %v: tensor<3x7x4xf32>,
                      %mask: tensor<5x7xf32>) -> tensor<3x5x4xf32> {
  %s = amp.matmul %q, %k {transpose_rhs} : (tensor<3x5x8xf32>, tensor<3x7x8xf32>) -> tensor<3x5x7xf32>
  %c = arith.constant dense<4.0> : tensor<3x5x7xf32>
  %1 = arith.divf %s, %c : tensor<3x5x7xf32>
  %b = amp.broadcast %mask to [] : tensor<5x7xf32> to tensor<3x5x7xf32>
  %2 = arith.addf %b, %1 : tensor<3x5x7xf32>
  %p = amp.softmax %2 2 : tensor<3x5x7xf32>
  %y = amp.matmul %p, %v : (tensor<3x5x7xf32>, tensor<3x7x4xf32>) -> tensor<3x5x4xf32>
  return %y : tensor<3x5x4xf32>
}

// -----

// CHECK-LABEL: func @no_scale_no_mask
// CHECK:       amp.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f32}
func.func @no_scale_no_mask(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = amp.matmul %q, %k {transpose_rhs} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
  %p = amp.softmax %s 1 : tensor<?x?xf32>
  %y = amp.matmul %p, %v : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Scores, or what the softmax makes of them, that someone else reads.
// CHECK-LABEL: func @scores_are_used
// CHECK-NOT:   amp.attention
func.func @scores_are_used(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x4xf32>)
    -> (tensor<5x4xf32>, tensor<5x7xf32>, tensor<5x4xf32>, tensor<5x7xf32>) {
  %s = amp.matmul %q, %k {transpose_rhs} : (tensor<5x8xf32>, tensor<7x8xf32>) -> tensor<5x7xf32>
  %p = amp.softmax %s 1 : tensor<5x7xf32>
  %y = amp.matmul %p, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  %c = arith.constant dense<4.0> : tensor<5x7xf32>
  %t = arith.mulf %s, %c : tensor<5x7xf32>
  %r = amp.softmax %t 1 : tensor<5x7xf32>
  %z = amp.matmul %r, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  return %y, %p, %z, %s : tensor<5x4xf32>, tensor<5x7xf32>, tensor<5x4xf32>, tensor<5x7xf32>
}

// -----

// A softmax along another axis, or a logarithm; heads whose size is not known,
// or too large for a kernel; keys or values that are repeated.
// CHECK-LABEL: func @others
// CHECK-NOT:   amp.attention
func.func @others(%q: tensor<5x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x?xf32>, %w: tensor<5x300xf32>,
                  %h: tensor<2x5x8xf32>, %g: tensor<1x5x8xf32>)
    -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x?xf32>, tensor<5x300xf32>, tensor<2x5x8xf32>) {
  %s = amp.matmul %q, %k {transpose_rhs} : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
  %p = amp.softmax %s 0 : tensor<5x5xf32>
  %0 = amp.matmul %p, %k : (tensor<5x5xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  %s1 = amp.matmul %q, %q {transpose_rhs} : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
  %p1 = amp.softmax %s1 1 {log} : tensor<5x5xf32>
  %1 = amp.matmul %p1, %k : (tensor<5x5xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  %s2 = amp.matmul %k, %q {transpose_rhs} : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
  %p2 = amp.softmax %s2 1 : tensor<5x5xf32>
  %2 = amp.matmul %p2, %v : (tensor<5x5xf32>, tensor<5x?xf32>) -> tensor<5x?xf32>
  %s3 = amp.matmul %k, %k {transpose_rhs} : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
  %p3 = amp.softmax %s3 1 : tensor<5x5xf32>
  %3 = amp.matmul %p3, %w : (tensor<5x5xf32>, tensor<5x300xf32>) -> tensor<5x300xf32>
  %s4 = amp.matmul %h, %g {transpose_rhs} : (tensor<2x5x8xf32>, tensor<1x5x8xf32>) -> tensor<2x5x5xf32>
  %p4 = amp.softmax %s4 2 : tensor<2x5x5xf32>
  %4 = amp.matmul %p4, %h : (tensor<2x5x5xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  return %0, %1, %2, %3, %4 : tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x?xf32>, tensor<5x300xf32>, tensor<2x5x8xf32>
}
