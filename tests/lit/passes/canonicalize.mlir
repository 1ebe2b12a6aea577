// RUN: amp-opt %s -amp-canonicalize | FileCheck %s

// CHECK-LABEL: func @difference
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[Y:.*]] = amp.splat %c0_i64 to [%[[N]]] : i64 to tensor<?x4xi64>
// CHECK: return %[[Y]]
func.func @difference(%x: tensor<?x4xi64>) -> tensor<?x4xi64> {
  %y = arith.subi %x, %x : tensor<?x4xi64>
  return %y : tensor<?x4xi64>
}

// The result has another element type than the operand.
// CHECK-LABEL: func @equal
// CHECK: amp.splat %true to [%{{.*}}, %{{.*}}] : i1 to tensor<?x?xi1>
func.func @equal(%x: tensor<?x?xi64>) -> tensor<?x?xi1> {
  %y = arith.cmpi eq, %x, %x : tensor<?x?xi64>
  return %y : tensor<?x?xi1>
}

// Operands that become equal in the course of it, and what then folds too.
// CHECK-LABEL: func @view
// CHECK-NOT: dense
// CHECK: amp.splat %{{.*}} to [%{{.*}}] : i64 to tensor<?xi64>
func.func @view(%x: tensor<?xi64>) -> tensor<?xi64> {
  %a = amp.transpose %x [0] : tensor<?xi64> to tensor<?xi64>
  %y = arith.subi %x, %a : tensor<?xi64>
  %z = arith.xori %y, %y : tensor<?xi64>
  return %z : tensor<?xi64>
}

// Static sizes stay with the type, and x - x may be NaN.
// CHECK-LABEL: func @untouched
// CHECK-DAG: arith.constant dense<0> : tensor<4xi64>
// CHECK-DAG: arith.subf
func.func @untouched(%x: tensor<4xi64>, %f: tensor<?xf32>) -> (tensor<4xi64>, tensor<?xf32>) {
  %y = arith.subi %x, %x : tensor<4xi64>
  %z = arith.subf %f, %f : tensor<?xf32>
  return %y, %z : tensor<4xi64>, tensor<?xf32>
}

// A target size of -1 stands for the size that is there, which is never -1.
// CHECK-LABEL: func @as_it_is
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: tensor.dim
// CHECK-NEXT: return
func.func @as_it_is(%x: tensor<?xf32>) -> index {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %asked = arith.cmpi eq, %size, %c-1 : index
  %target = arith.select %asked, %c1, %size : index
  %one = arith.cmpi eq, %size, %c1 : index
  %result = arith.select %one, %target, %size : index
  return %result : index
}
