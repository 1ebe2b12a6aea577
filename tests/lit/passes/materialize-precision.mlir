// RUN: amp-opt %s -amp-assign-precision=uniform=bf16 | FileCheck %s --check-prefix=LABEL
// RUN: amp-opt %s -amp-assign-precision=uniform=bf16 -amp-materialize-precision | FileCheck %s
// RUN: not amp-opt %s -amp-assign-precision=uniform=f12 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: has no format 'f12' to give

amp.weight_data @w = dense<1.0> : tensor<8x16xf32>

// The weight is narrow for good; what leaves the function is not rounded.
// CHECK-LABEL: func @product(
// CHECK:       %[[W:.*]] = amp.weight @w
// CHECK:       %[[X:.*]] = amp.round %arg0 to bf16
// CHECK:       %[[N:.*]] = amp.cast %[[W]] ampc : tensor<8x16xf32> to tensor<8x16xbf16>
// CHECK:       %[[Y:.*]] = amp.matmul %[[X]], %[[N]] {algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
// CHECK:       %[[R:.*]] = amp.round %[[Y]] to bf16
// CHECK:       %[[T:.*]] = math.tanh %[[R]]
// CHECK:       return %[[T]]
// LABEL-LABEL: func @product(
// LABEL:       amp.matmul {{.*}} {amp.precision = #amp<format bf16>}
// LABEL:       math.tanh {{.*}} {amp.precision = #amp<format bf16>}
func.func @product(%x: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %w = amp.weight @w : tensor<8x16xf32>
  %y = amp.matmul %x, %w : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %z = math.tanh %y : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// Operands that are computed are rounded, and stay f32. What moves values has
// no format of its own.
// CHECK-LABEL: func @scores(
// CHECK:       %[[T:.*]] = amp.transpose %arg1
// CHECK:       %[[A:.*]] = amp.round %arg0 to bf16
// CHECK:       %[[B:.*]] = amp.round %[[T]] to bf16
// CHECK:       amp.matmul %[[A]], %[[B]]
// CHECK-SAME:  (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// LABEL-LABEL: func @scores(
// LABEL:       amp.transpose
// LABEL-NOT:   amp.precision
// LABEL:       amp.matmul
func.func @scores(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %t = amp.transpose %k [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
  %y = amp.matmul %q, %t : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// Within a node of the source nothing is rounded; integers and f64 never are.
// CHECK-LABEL: func @node(
// CHECK:       %[[E:.*]] = math.exp
// CHECK-NEXT:  %[[S:.*]] = arith.addf %[[E]], %arg0
// CHECK-NEXT:  %[[R:.*]] = amp.round %[[S]] to bf16
// CHECK-NEXT:  math.tanh %[[R]]
// CHECK-NEXT:  arith.addf %arg1, %arg1
// CHECK-NEXT:  math.exp
func.func @node(%x: tensor<4xf32>, %d: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  %e = math.exp %x : tensor<4xf32> loc("softplus"("Softplus"))
  %s = arith.addf %e, %x : tensor<4xf32> loc("softplus"("Softplus"))
  %t = math.tanh %s : tensor<4xf32> loc("tanh"("Tanh"))
  %u = arith.addf %d, %d : tensor<4xf64>
  %v = math.exp %u : tensor<4xf64>
  return %t, %v : tensor<4xf32>, tensor<4xf64>
}
