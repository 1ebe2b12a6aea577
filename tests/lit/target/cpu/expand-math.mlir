// RUN: amp-opt %s -amp-cpu-expand-math | FileCheck %s

// CHECK: func.func private @erf(f64) -> f64

// Vectors and scalars get the same formula.
// CHECK-LABEL: func.func @exp(
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK: math.fma {{.*}} : f32
// CHECK: return
func.func @exp(%v: vector<8xf32>, %s: f32) -> (vector<8xf32>, f32) {
  %x = math.exp %v : vector<8xf32>
  %y = math.exp %s : f32
  return %x, %y : vector<8xf32>, f32
}

// f64 calls the C library, element by element.
// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-2: call @erf(%{{.*}}) : (f64) -> f64
// CHECK: vector.from_elements
func.func @wide(%v: vector<2xf64>) -> vector<2xf64> {
  %x = math.erf %v : vector<2xf64>
  return %x : vector<2xf64>
}

// Narrow floats are computed with in f32.
// CHECK-LABEL: func.func @narrow(
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @narrow(%s: f16) -> f16 {
  %x = math.tanh %s : f16
  return %x : f16
}

// What processors have instructions for stays.
// CHECK-LABEL: func.func @native(
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK: math.fma
func.func @native(%v: vector<8xf32>) -> vector<8xf32> {
  %x = math.sqrt %v : vector<8xf32>
  %y = math.floor %x : vector<8xf32>
  %z = math.fma %x, %y, %v : vector<8xf32>
  return %z : vector<8xf32>
}

// A constant divisor is two factors; one where the reciprocal is exact.
// CHECK-LABEL: func.func @divide(
// CHECK-NOT: arith.divf
// CHECK: %[[LOW:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[SIXTH:.*]] = math.fma %{{.*}}, %{{.*}}, %[[LOW]] : f32
// CHECK: %[[EIGHTH:.*]] = arith.mulf %[[SIXTH]], %{{.*}} : f32
// CHECK: arith.divf %[[EIGHTH]], %{{.*}} : f32
func.func @divide(%x: f32, %y: f32) -> f32 {
  %c6 = arith.constant 6.0 : f32
  %c8 = arith.constant 8.0 : f32
  %0 = arith.divf %x, %c6 : f32
  %1 = arith.divf %0, %c8 : f32
  %2 = arith.divf %1, %y : f32
  return %2 : f32
}

// Bounds that are constants need no care for NaN.
// CHECK-LABEL: func.func @clip(
// CHECK: %[[LESS:.*]] = arith.cmpf ogt, %[[ZERO:.*]], %[[X:.*]] : vector<8xf32>
// CHECK: arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK: arith.maximumf
func.func @clip(%v: vector<8xf32>, %w: vector<8xf32>) -> vector<8xf32> {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %x = arith.maximumf %v, %zero : vector<8xf32>
  %y = arith.maximumf %x, %w : vector<8xf32>
  return %y : vector<8xf32>
}
