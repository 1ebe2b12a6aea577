// RUN: amp-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @suppress
func.func @suppress(%boxes: tensor<2x?x4xf32>, %scores: tensor<2x8x?xf32>,
                    %order: tensor<2x8x?xi64>, %n: index, %o: f32, %s: f32) -> tensor<2x8x?xi1> {
  // CHECK: amp.suppress_boxes %{{.*}}, %{{.*}}, %{{.*}} limit %{{.*}} overlap %{{.*}} score %{{.*}} {centered} : tensor<2x?x4xf32>, tensor<2x8x?xf32>, tensor<2x8x?xi64> to tensor<2x8x?xi1>
  %keep = amp.suppress_boxes %boxes, %scores, %order limit %n overlap %o score %s {centered}
     : tensor<2x?x4xf32>, tensor<2x8x?xf32>, tensor<2x8x?xi64> to tensor<2x8x?xi1>
  return %keep : tensor<2x8x?xi1>
}

// -----

func.func @f(%boxes: tensor<2x9x5xf32>, %scores: tensor<2x8x9xf32>,
             %order: tensor<2x8x9xi64>, %n: index, %o: f32, %s: f32) {
  // expected-error @+1 {{boxes}}
  amp.suppress_boxes %boxes, %scores, %order limit %n overlap %o score %s
     : tensor<2x9x5xf32>, tensor<2x8x9xf32>, tensor<2x8x9xi64> to tensor<2x8x9xi1>
  return
}
