// RUN: amp-opt %s -amp-cse | FileCheck %s
// RUN: amp-opt %s -amp-cse -mlir-print-debuginfo | FileCheck %s --check-prefix=NAMES

// The op that stays carries the names of both.

// NAMES:       #[[A:.*]] = loc("first")
// NAMES:       #[[B:.*]] = loc("second")
// NAMES:       loc(fused[#[[A]], #[[B]]])

// CHECK-LABEL: func @names
// CHECK:       %[[E:.*]] = math.exp %{{.*}}
// CHECK-NEXT:  arith.addf %[[E]], %[[E]]
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
