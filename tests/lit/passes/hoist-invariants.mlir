// RUN: amp-opt %s -amp-hoist-invariants | FileCheck %s

// What all iterations compute alike is computed before the loop, and before the
// loop around it; a broadcast stays where it is used.

// CHECK-LABEL: func @invariant
// CHECK:       amp.transpose
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK-NEXT:      amp.broadcast
// CHECK-NEXT:      amp.matmul
func.func @invariant(%w: tensor<4x4xf32>, %b: tensor<4xf32>, %h0: tensor<2x4xf32>, %n: index)
    -> tensor<2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%g = %h0) -> tensor<2x4xf32> {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%h = %g) -> tensor<2x4xf32> {
      %t = amp.transpose %w [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
      %c = amp.broadcast %b to [] : tensor<4xf32> to tensor<2x4xf32>
      %p = amp.matmul %h, %t : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      %q = arith.addf %p, %c : tensor<2x4xf32>
      scf.yield %q : tensor<2x4xf32>
    }
    scf.yield %s : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}
