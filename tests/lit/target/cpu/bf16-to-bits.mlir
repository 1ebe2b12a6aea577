// RUN: amp-opt %s -amp-cpu-expand-math -amp-cpu-bf16-to-bits | FileCheck %s

// CHECK-NOT: bf16
// CHECK: memref.global constant @table : memref<2xi16> = dense<[16256, -32768]>
memref.global constant @table : memref<2xbf16> = dense<[1.0, -0.0]>

// CHECK-LABEL: func @move(
// CHECK-SAME:    %{{.*}}: memref<?xi16>, %[[I:.*]]: index) -> vector<8xi16>
// CHECK:         %[[ONE:.*]] = arith.constant 16256 : i16
// CHECK:         memref.store %[[ONE]]
// CHECK:         vector.broadcast %{{.*}} : i16 to vector<8xi16>
func.func @move(%m: memref<?xbf16>, %i: index) -> vector<8xbf16> {
  %one = arith.constant 1.0 : bf16
  memref.store %one, %m[%i] : memref<?xbf16>
  %x = memref.load %m[%i] : memref<?xbf16>
  %v = vector.broadcast %x : bf16 to vector<8xbf16>
  return %v : vector<8xbf16>
}

// Arithmetic is done in f32 and rounded once, on the bits.
// CHECK-LABEL: func @subtract(
// CHECK:         arith.subf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.truncf
func.func @subtract(%a: bf16, %b: bf16) -> bf16 {
  %0 = arith.subf %a, %b : bf16
  return %0 : bf16
}
