// RUN: amp-opt %s --pass-pipeline='builtin.module(llvm.func(amp-cpu-fold-offsets,canonicalize,cse))' | FileCheck %s

// The constant of a row is added last, so that rows share the rest.
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME: %[[ROW:.*]]: i64, %[[COLUMN:.*]]: i64
// CHECK: %[[START:.*]] = llvm.mul %[[ROW]], %{{.*}}
// CHECK: %[[COMMON:.*]] = llvm.add %[[START]], %[[COLUMN]]
// CHECK: llvm.call @use(%[[COMMON]])
// CHECK: %[[THIRD:.*]] = llvm.add %[[COMMON]], %[[C600:.*]]
// CHECK: llvm.call @use(%[[THIRD]])
llvm.func @use(i64)
llvm.func @rows(%row: i64, %column: i64) {
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %c200 = llvm.mlir.constant(200 : i64) : i64
  %0 = llvm.mul %row, %c200 : i64
  %1 = llvm.add %0, %column : i64
  llvm.call @use(%1) : (i64) -> ()
  %2 = llvm.add %row, %c3 : i64
  %3 = llvm.mul %2, %c200 : i64
  %4 = llvm.add %3, %column : i64
  llvm.call @use(%4) : (i64) -> ()
  llvm.return
}

// Constants of both operands meet, at any depth.
// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: %[[X:.*]]: i64, %[[Y:.*]]: i64
// CHECK-DAG: %[[C29:.*]] = llvm.mlir.constant(29 : i64) : i64
// CHECK-DAG: %[[BOTH:.*]] = llvm.add %[[X]], %[[Y]]
// CHECK: %[[SUM:.*]] = llvm.add %[[BOTH]], %[[C29]]
// CHECK: llvm.return %[[SUM]]
llvm.func @sum(%x: i64, %y: i64) -> i64 {
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c7 = llvm.mlir.constant(7 : i64) : i64
  %c20 = llvm.mlir.constant(20 : i64) : i64
  %0 = llvm.add %c2, %x : i64
  %1 = llvm.add %0, %c7 : i64
  %2 = llvm.add %y, %c20 : i64
  %3 = llvm.add %1, %2 : i64
  llvm.return %3 : i64
}
