// RUN: amp-opt %s -split-input-file -amp-cpu-emit-kernels -canonicalize -cse | FileCheck %s

// Along a row, 16 lanes are two vectors; the rest goes to its lanes one by one, and
// then lane l meets lane l + 8, l + 4, l + 2 and l + 1.
// CHECK-LABEL: func.func @along(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: %[[LANES:.*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK: %[[V:.*]]:2 = scf.for {{.*}} step %c16 iter_args
// CHECK-COUNT-2: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.store %[[V]]#0, %[[LANES]]
// CHECK: scf.for {{.*}} step %c1
// CHECK: arith.addf {{.*}} : f32
// CHECK: %[[A:.*]] = vector.load %[[LANES]][%c0]
// CHECK: %[[B:.*]] = vector.load %[[LANES]][%c8]
// CHECK: %[[S8:.*]] = arith.addf %[[A]], %[[B]] : vector<8xf32>
// CHECK: vector.shuffle %[[S8]], %[[S8]] [0, 1, 2, 3]
// CHECK: vector.shuffle %[[S8]], %[[S8]] [4, 5, 6, 7]
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
func.func @along(%x: memref<?x?xf32>, %r: memref<?xf32>) {
  amp.kernel ins(%a = %x : memref<?x?xf32>) outs(%r : memref<?xf32>) args(tensor<?x?xf32>) {
    %s = amp.reduce sum %a [1] : tensor<?x?xf32> to tensor<?xf32>
    amp.yield %s : tensor<?xf32>
  }
  return
}

// -----

// Across rows, each of the 16 lanes is a vector of neighbouring rows.
// CHECK-LABEL: func.func @across(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: memref.alloca() {{.*}} : memref<128xf32>
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c16
// CHECK: arith.muli %[[LANE]], %c8
// CHECK: arith.addf {{.*}} : vector<8xf32>
func.func @across(%x: memref<?x?xf32>, %r: memref<?xf32>) {
  amp.kernel ins(%a = %x : memref<?x?xf32>) outs(%r : memref<?xf32>) args(tensor<?x?xf32>) {
    %s = amp.reduce sum %a [0] : tensor<?x?xf32> to tensor<?xf32>
    amp.yield %s : tensor<?xf32>
  }
  return
}

// -----

// The exponentials wait in the output; the epilogue follows the quotient.
// CHECK-LABEL: func.func @softmax(
// CHECK: func.func private @{{[a-z_]+}}_0(%{{.*}}: memref<?x64xf32>, %[[OUT:.*]]: memref<?x64xf32>
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK: %[[E:.*]] = math.exp {{.*}} : vector<8xf32>
// CHECK: vector.store %[[E]], %[[OUT]]
// CHECK: %[[W:.*]] = vector.load %[[OUT]]
// CHECK: %[[Q:.*]] = arith.divf %[[W]]
// CHECK: %[[N:.*]] = arith.negf %[[Q]]
// CHECK: vector.store %[[N]], %[[OUT]]
func.func @softmax(%x: memref<?x64xf32>, %r: memref<?x64xf32>) {
  amp.kernel ins(%a = %x : memref<?x64xf32>) outs(%r : memref<?x64xf32>) args(tensor<?x64xf32>) {
    %s = amp.softmax %a 1 : tensor<?x64xf32>
    %n = arith.negf %s : tensor<?x64xf32>
    amp.yield %n : tensor<?x64xf32>
  }
  return
}

// -----

// The prologue of a norm is computed where its elements are read.
// CHECK-LABEL: func.func @norm(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.divf {{.*}} : vector<8xf32>
func.func @norm(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %g: memref<64xf32>, %r: memref<?x64xf32>) {
  amp.kernel ins(%a = %x, %b = %y, %s = %g : memref<?x64xf32>, memref<?x64xf32>, memref<64xf32>)
             outs(%r : memref<?x64xf32>) args(tensor<?x64xf32>, tensor<?x64xf32>, tensor<64xf32>) {
    %p = arith.addf %a, %b : tensor<?x64xf32>
    %n = amp.layer_norm layer %p scale %s {axis = 1 : i64, epsilon = 1.0e-5 : f32}
       : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    amp.yield %n : tensor<?x64xf32>
  }
  return
}

// -----

// Windows at the borders are done one by one, those inside as vectors.
// CHECK-LABEL: func.func @pool(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: scf.for
// CHECK: arith.maximumf {{.*}} : f32
// CHECK: scf.for {{.*}} step %c8
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
func.func @pool(%x: memref<?x8x?x?xf32>, %r: memref<?x8x?x?xf32>) {
  amp.kernel ins(%a = %x : memref<?x8x?x?xf32>) outs(%r : memref<?x8x?x?xf32>) args(tensor<?x8x?x?xf32>) {
    %y = amp.pool max %a {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
         dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>}
       : tensor<?x8x?x?xf32> to tensor<?x8x?x?xf32>
    amp.yield %y : tensor<?x8x?x?xf32>
  }
  return
}
