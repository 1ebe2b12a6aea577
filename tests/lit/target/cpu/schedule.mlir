// RUN: amp-opt %s | amp-opt | FileCheck %s --check-prefix=TEXT
// RUN: amp-opt %s -amp-cpu-emit-kernels | FileCheck %s

// Kernels with other schedules are other kernels; equal ones are one.

// TEXT: attributes {schedule = #amp.schedule<block_rows = 40, k_steps = 0, pack = 0, tile_rows = 3, tile_vectors = 4>}
// CHECK-LABEL: func.func @main
// CHECK: amp.launch @{{[a-z_]+}}_0
// CHECK: amp.launch @{{[a-z_]+}}_1
// CHECK: amp.launch @{{[a-z_]+}}_0
func.func @main(%x: memref<40x64xf32>, %y: memref<64x96xf32>, %r: memref<40x96xf32>) {
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<tile_rows = 3, tile_vectors = 4, block_rows = 40, k_steps = 0, pack = 0>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  amp.kernel ins(%a = %x, %b = %y : memref<40x64xf32>, memref<64x96xf32>) outs(%r : memref<40x96xf32>)
             attributes {schedule = #amp.schedule<block_rows = 40, k_steps = 0, pack = 0, tile_rows = 3, tile_vectors = 4>}
             args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %a, %b : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}

// Twelve sums, and no panel is copied.
// CHECK: func.func private @{{[a-z_]+}}_0
// CHECK-NOT: memref.alloca
// CHECK: iter_args({{(%[a-z0-9_]+ = %[a-z0-9_]+, ){11}%[a-z0-9_]+ = %[a-z0-9_]+}})
// CHECK: func.func private @{{[a-z_]+}}_1
