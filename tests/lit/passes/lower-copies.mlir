// RUN: amp-opt %s -amp-lower-copies | FileCheck %s

// CHECK-LABEL: func @copy
// CHECK-SAME:    (%[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<3x?xf32, strided<[8, 1]>>)
// CHECK:       %[[A:.*]] = memref.cast %[[X]] : memref<?x4xf32> to memref<3x4xf32>
// CHECK:       %[[B:.*]] = memref.cast %[[Y]] : {{.*}} to memref<3x4xf32, strided<[8, 1]>>
// CHECK:       amp.kernel ins(%[[I:.*]] = %[[A]] : memref<3x4xf32>) outs(%[[B]] : memref<3x4xf32, strided<[8, 1]>>)
// CHECK-NEXT:    amp.yield %[[I]] : tensor<3x4xf32>
// CHECK-NOT:   memref.copy
func.func @copy(%x: memref<?x4xf32>, %y: memref<3x?xf32, strided<[8, 1]>>) {
  memref.copy %x, %y : memref<?x4xf32> to memref<3x?xf32, strided<[8, 1]>>
  memref.copy %x, %x : memref<?x4xf32> to memref<?x4xf32>
  return
}
