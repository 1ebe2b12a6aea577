// RUN: amp-opt %s -amp-cpu-lower-abi -canonicalize | FileCheck %s

// CHECK-DAG:   llvm.mlir.global internal constant @[[MESSAGE:.*]]("not eight\00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[FIRST:.*]](dense<3> : tensor<1xi32>)
// CHECK-DAG:   llvm.mlir.global internal constant @[[LAST:.*]](dense<4> : tensor<1xi32>)

// A kernel takes its arguments from memory: of a memref the address, dynamic
// sizes and, where the layout leaves them open, strides.

// CHECK-LABEL: func private @kernel_0
// CHECK-SAME:    (%[[ARGS:.*]]: !llvm.ptr, %[[LO:.*]]: i64, %[[HI:.*]]: i64)
// CHECK:       %[[P:.*]] = llvm.getelementptr %[[ARGS]][0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, i64, ptr, f32)>
// CHECK:       %[[X:.*]] = llvm.load %[[P]] : !llvm.ptr -> !llvm.ptr
// CHECK:       llvm.insertvalue %[[X]], %{{.*}}[1]
// CHECK:       arith.index_cast %[[LO]] : i64 to index

// CHECK-LABEL: func @ampc_main
// CHECK-SAME:    (%[[EXEC:.*]]: !llvm.ptr) -> i32
// CHECK-DAG:   %[[C16:.*]] = llvm.mlir.constant(16 : i64) : i64
// CHECK-DAG:   %[[C32:.*]] = llvm.mlir.constant(32 : i64) : i64
// CHECK-DAG:   %[[OK:.*]] = llvm.mlir.constant(0 : i32) : i32
// Inputs and weights come from the context. Weights are 64 bytes apart; the one
// that nobody uses has no place.
// CHECK:       llvm.getelementptr %[[EXEC]][0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr)>
// CHECK:       llvm.getelementptr %[[EXEC]][0, 1]
// CHECK:       %[[WEIGHTS:.*]] = llvm.load
// CHECK:       cf.cond_br %{{.*}}, ^{{.*}}, ^[[FAIL:.*]]
// CHECK:       llvm.getelementptr %[[WEIGHTS]][64]
// CHECK:       %[[BASE:.*]] = llvm.call @ampc_rt_arena(%[[EXEC]],
// CHECK:       %[[NULL:.*]] = llvm.icmp "ne" %[[BASE]]
// CHECK:       cf.cond_br %[[NULL]], ^{{.*}}, ^[[NOTED:.*]]
// CHECK:       %[[Y:.*]] = llvm.call @ampc_rt_output(%[[EXEC]], %[[OK]],
// CHECK:       %[[PRODUCT:.*]] = "llvm.intr.smul.with.overflow"(%{{.*}}, %{{.*}})
// CHECK:       %[[BYTES:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i64
// CHECK:       llvm.call @ampc_rt_side_alloc(%[[EXEC]], %[[BYTES]])
// CHECK:       llvm.store %[[Y]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:       llvm.call @ampc_rt_parallel(%[[EXEC]], %{{.*}}, %{{.*}}, %{{.*}}, %[[C16]])
// CHECK:       return %[[OK]] : i32
// CHECK:       ^[[FAIL]]:
// CHECK:       %[[STATUS:.*]] = llvm.call @ampc_rt_fail(%[[EXEC]],
// CHECK:       return %[[STATUS]]
// CHECK:       ^[[NOTED]]:
// CHECK-NEXT:  return %{{.*}} : i32
// CHECK-NOT:   amp.

amp.weight_data @a = dense<1.0> : tensor<3xf32>
amp.weight_data @unused = dense<1.0> : tensor<100xf32>
amp.weight_data @w = dense<1.0> : tensor<4xf32>
func.func private @kernel_0(%x: memref<?x8xf32>, %w: memref<4xf32, strided<[2], offset: ?>>, %s: f32, %lo: index, %hi: index) {
  memref.store %s, %x[%lo, %hi] : memref<?x8xf32>
  return
}
func.func private @kernel_1(%x: memref<4xf32>, %w: memref<3xf32>, %lo: index, %hi: index) {
  return
}
func.func @main(%x: memref<?x8xf32>) attributes {amp.outputs = []} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %ok = arith.cmpi ne, %n, %c8 : index
  amp.check %ok, 5, "not eight"
  %w = amp.weight @w : memref<4xf32>
  %u = amp.weight @a : memref<3xf32>
  %base, %o = amp.arena 0 sizes(%n) first [3] last [4] : memref<?xi8>, index
  %v = memref.view %base[%o][] : memref<?xi8> to memref<8xf32>
  %sub = memref.subview %v[%n] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: ?>>
  %y = amp.output 0 [%n, %c8] (%n) : memref<?x8xf32>
  %t = amp.side_alloc(%n) : memref<?x8xf32>
  amp.launch @kernel_1(%w, %u) range %n grain 1 : memref<4xf32>, memref<3xf32>
  amp.launch @kernel_0(%y, %sub, %one) range %n grain 16 : memref<?x8xf32>, memref<4xf32, strided<[2], offset: ?>>, f32
  return
}
