// RUN: amp-opt %s -canonicalize -split-input-file | FileCheck %s

// A check that holds is no check; one that fails is for the run to report.

// CHECK-LABEL: func @checks
// CHECK-NOT:     "fine"
// CHECK:         amp.check %{{.*}}, 6, "not fine"
func.func @checks() {
  %true = arith.constant true
  %false = arith.constant false
  amp.check %true, 6, "fine"
  amp.check %false, 6, "not fine"
  return
}

// -----

// CHECK-LABEL: func @there_and_back
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi64>
// CHECK-NEXT:    return %[[X]], %[[X]]
func.func @there_and_back(%x: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %0 = amp.to_host %x : tensor<4xi64>
  %1 = amp.to_device %0 : tensor<4xi64>
  %2 = amp.to_device %x : tensor<4xi64>
  %3 = amp.to_host %2 : tensor<4xi64>
  return %1, %3 : tensor<4xi64>, tensor<4xi64>
}

// -----

// CHECK-LABEL: func @known_size
// CHECK-SAME:    (%[[X:.*]]: tensor<?x8xf32>
// CHECK-NEXT:    %[[R:.*]] = amp.reshape %[[X]] to [] : tensor<?x8xf32> to tensor<16xf32>
// CHECK-NEXT:    tensor.cast %[[R]] : tensor<16xf32> to tensor<?xf32>
func.func @known_size(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %n = arith.constant 16 : index
  %0 = amp.reshape %x to [%n] : tensor<?x8xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @constant
// CHECK-NEXT:    arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
func.func @constant() -> tensor<2x2xi64> {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %1 = amp.reshape %0 to [] : tensor<4xi64> to tensor<2x2xi64>
  return %1 : tensor<2x2xi64>
}

// -----

// Two dynamic dimensions may have traded sizes.

// CHECK-LABEL: func @two_dynamic
// CHECK:         amp.reshape
func.func @two_dynamic(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %0 = amp.reshape %x to [%n, %m] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
