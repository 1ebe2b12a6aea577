// RUN: amp-opt %s -amp-elide-rounding | FileCheck %s
// RUN: amp-opt %s -amp-elide-rounding=strict | FileCheck %s --check-prefix=STRICT

// Inside nothing is rounded; ops that round nothing pass the rounding on.
// CHECK-LABEL: func @inside(
// CHECK:       %[[E:.*]] = math.exp
// CHECK-NEXT:  %[[T:.*]] = math.tanh %[[E]]
// CHECK-NEXT:  %[[N:.*]] = arith.negf %[[T]]
// CHECK-NEXT:  %[[R:.*]] = amp.round %[[N]] to bf16
// CHECK-NEXT:  amp.yield %[[R]]
// STRICT-LABEL: func @inside(
// STRICT:       math.exp
// STRICT-NEXT:  amp.round
// STRICT-NEXT:  math.tanh
// STRICT-NEXT:  amp.round
// STRICT-NEXT:  arith.negf
// STRICT-NEXT:  amp.round
func.func @inside(%x: tensor<8xf32>) -> tensor<8xf32> {
  %init = tensor.empty() : tensor<8xf32>
  %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
    %0 = math.exp %a : tensor<8xf32>
    %1 = amp.round %0 to bf16 : tensor<8xf32>
    %2 = math.tanh %1 : tensor<8xf32>
    %3 = amp.round %2 to bf16 : tensor<8xf32>
    %4 = arith.negf %3 : tensor<8xf32>
    amp.yield %4 : tensor<8xf32>
  } : tensor<8xf32>
  return %r : tensor<8xf32>
}

// What is computed from rounded numbers is not rounded by that. A constant that
// the format has may be mixed with them, another one may not.
// CHECK-LABEL: func @constants(
// CHECK:       amp.yield
// CHECK:       %[[A:.*]] = arith.maximumf
// CHECK-NEXT:  %[[R:.*]] = amp.round %[[A]] to bf16
// CHECK-NEXT:  amp.yield %[[R]]
// CHECK:       %[[B:.*]] = arith.maximumf
// CHECK-NEXT:  amp.yield %[[B]]
// CHECK:       %[[C:.*]] = arith.addf
// CHECK-NEXT:  amp.yield %[[C]]
func.func @constants(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %init = tensor.empty() : tensor<8xf32>
  %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
    %0 = amp.round %a to bf16 : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  %init0 = tensor.empty() : tensor<8xf32>
  %s = amp.kernel ins(%a = %r : tensor<8xf32>) outs(%init0 : tensor<8xf32>) {
    %c = arith.constant dense<0.5> : tensor<8xf32>
    %0 = arith.maximumf %a, %c : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  %init1 = tensor.empty() : tensor<8xf32>
  %t = amp.kernel ins(%a = %r : tensor<8xf32>) outs(%init1 : tensor<8xf32>) {
    %c = arith.constant dense<0.1> : tensor<8xf32>
    %0 = arith.maximumf %a, %c : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  %init2 = tensor.empty() : tensor<8xf32>
  %u = amp.kernel ins(%a = %r : tensor<8xf32>) outs(%init2 : tensor<8xf32>) {
    %0 = arith.addf %a, %a : tensor<8xf32>
    amp.yield %0 : tensor<8xf32>
  } : tensor<8xf32>
  return %s, %t, %u : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
