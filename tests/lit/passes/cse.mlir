// RUN: amp-opt %s -amp-cse -mlir-print-debuginfo | FileCheck %s

// The op that stays carries the names of both.

// CHECK-LABEL: func @names
// CHECK:       %[[E:.*]] = math.exp %{{.*}} loc(#[[BOTH:.*]])
// CHECK-NEXT:  arith.addf %[[E]], %[[E]]
// CHECK-DAG:   #[[A:.*]] = loc("first")
// CHECK-DAG:   #[[B:.*]] = loc("second")
// CHECK:       #[[BOTH]] = loc(fused[#[[A]], #[[B]]])
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32> loc("first")
  %1 = math.exp %x : tensor<4xf32> loc("second")
  %2 = arith.addf %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A value of a branch is none of the other's.

// CHECK-LABEL: func @scopes
// CHECK-COUNT-2: math.exp
func.func @scopes(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> tensor<4xf32> {
    %0 = math.exp %x : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    %0 = math.exp %x : tensor<4xf32>
    %1 = arith.negf %0 : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
