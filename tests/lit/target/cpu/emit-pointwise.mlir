// RUN: amp-opt %s -split-input-file -amp-cpu-emit-kernels -canonicalize -cse | FileCheck %s
// RUN: amp-opt %s -split-input-file -amp-cpu-emit-kernels=vector-bytes=64 -canonicalize -cse | FileCheck %s --check-prefix=WIDE

// All dimensions are one where everything is dense: vectors, then single
// elements.
// CHECK-LABEL: func.func @dense(
// CHECK: amp.launch @[[F:.*]](%{{.*}}, %{{.*}}, %{{.*}}) range %{{.*}} grain {{[0-9]+}}
// CHECK: func.func private @[[F]](
// CHECK: scf.for
// CHECK: scf.for {{.*}} step %c8
// CHECK-NEXT: vector.load %{{.*}}[%c0, %[[I:.*]]] : memref<?x6xf32>, vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.store
// CHECK: scf.for {{.*}} step %c1
// CHECK-NEXT: memref.load
// CHECK: arith.addf {{.*}} : f32
// CHECK: memref.store
// WIDE-LABEL: func.func @dense(
// WIDE: arith.addf {{.*}} : vector<16xf32>
func.func @dense(%x: memref<?x6xf32>, %y: memref<?x6xf32>, %r: memref<?x6xf32>) {
  amp.kernel ins(%a = %x, %b = %y : memref<?x6xf32>, memref<?x6xf32>)
             outs(%r : memref<?x6xf32>) args(tensor<?x6xf32>, tensor<?x6xf32>) {
    %s = arith.addf %a, %b : tensor<?x6xf32>
    amp.yield %s : tensor<?x6xf32>
  }
  return
}

// -----

// What is used twice is computed once; a scalar fills all lanes.
// CHECK-LABEL: func.func @once(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK-NOT: math.exp {{.*}} : vector<8xf32>
// CHECK: vector.broadcast {{.*}} : f32 to vector<8xf32>
// CHECK: math.exp {{.*}} : f32
// CHECK-NOT: math.exp
func.func @once(%x: memref<?xf32>, %s: f32, %r: memref<?xf32>, %q: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  amp.kernel ins(%a = %x, %k = %s, %d = %n : memref<?xf32>, f32, index)
             outs(%r, %q : memref<?xf32>, memref<?xf32>) args(tensor<?xf32>, f32, index) {
    %e = math.exp %a : tensor<?xf32>
    %kk = amp.splat %k to [%d] : f32 to tensor<?xf32>
    %m = arith.mulf %e, %kk : tensor<?xf32>
    %p = arith.addf %e, %m : tensor<?xf32>
    amp.yield %m, %p : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// -----

// Equal kernels share a function; other strides need another.
// CHECK-LABEL: func.func @shared(
// CHECK: amp.launch @{{[a-z_]+}}_0(
// CHECK: amp.launch @{{[a-z_]+}}_0(
// CHECK: amp.launch @{{[a-z_]+}}_1(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: func.func private @{{[a-z_]+}}_1(
// CHECK-NOT: func.func private
func.func @shared(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32, strided<[16, 1]>>) {
  amp.kernel ins(%a = %x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) args(tensor<4x8xf32>) {
    %s = arith.negf %a : tensor<4x8xf32>
    amp.yield %s : tensor<4x8xf32>
  }
  amp.kernel ins(%a = %y : memref<4x8xf32>) outs(%x : memref<4x8xf32>) args(tensor<4x8xf32>) {
    %s = arith.negf %a : tensor<4x8xf32>
    amp.yield %s : tensor<4x8xf32>
  }
  amp.kernel ins(%a = %y : memref<4x8xf32>) outs(%z : memref<4x8xf32, strided<[16, 1]>>) args(tensor<4x8xf32>) {
    %s = arith.negf %a : tensor<4x8xf32>
    amp.yield %s : tensor<4x8xf32>
  }
  return
}

// -----

// Booleans are bytes in memory and i1 between.
// CHECK-LABEL: func.func @mask(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: %[[M:.*]] = vector.load {{.*}} : memref<?xi8>, vector<8xi8>
// CHECK: arith.cmpi ne, %[[M]], {{.*}} : vector<8xi8>
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xf32>
func.func @mask(%m: memref<?xi8>, %x: memref<?xf32>, %r: memref<?xf32>) {
  amp.kernel ins(%p = %m, %a = %x : memref<?xi8>, memref<?xf32>) outs(%r : memref<?xf32>)
             args(tensor<?xi1>, tensor<?xf32>) {
    %n = arith.negf %a : tensor<?xf32>
    %s = arith.select %p, %a, %n : tensor<?xi1>, tensor<?xf32>
    amp.yield %s : tensor<?xf32>
  }
  return
}

// -----

// 16-bit floats are f32 between load and store.
// CHECK-LABEL: func.func @half(
// CHECK: func.func private @{{[a-z_]+}}_0(
// CHECK: arith.extf {{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
func.func @half(%x: memref<?xf16>, %r: memref<?xf16>) {
  amp.kernel ins(%a = %x : memref<?xf16>) outs(%r : memref<?xf16>) args(tensor<?xf16>) {
    %s = arith.mulf %a, %a : tensor<?xf16>
    amp.yield %s : tensor<?xf16>
  }
  return
}
