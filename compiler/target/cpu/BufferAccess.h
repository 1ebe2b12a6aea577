//===- BufferAccess.h - Elements and vectors in buffers ---------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_BUFFERACCESS_H
#define AMPC_TARGET_CPU_BUFFERACCESS_H

#include "mlir/IR/Builders.h"

namespace ampc::cpu {

/// The element at `indices`, or `lanes` elements from there on along the
/// innermost dimension, whatever its stride. Lanes that are false in `mask` (or
/// null for all) are not accessed and unspecified. Bytes are read as booleans
/// if `element` is i1.
mlir::Value loadElements(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value buffer,
                         llvm::ArrayRef<mlir::Value> indices,
                         mlir::Type element, int64_t lanes,
                         mlir::Value mask = {});

/// Stores what loadElements() reads; booleans become bytes.
void storeElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   mlir::Value buffer, llvm::ArrayRef<mlir::Value> indices,
                   mlir::Value mask = {});

/// `lanes` elements `stride` apart along the innermost dimension of a buffer
/// whose innermost stride is 1. Reads nothing beyond the last of them.
mlir::Value loadEvery(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value buffer, llvm::ArrayRef<mlir::Value> indices,
                      int64_t stride, int64_t lanes);

/// `value` in every lane.
mlir::Value fillLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      int64_t lanes);

/// A mask of the lanes below `count`, an index value.
mlir::Value firstLanes(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value count, int64_t lanes);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_BUFFERACCESS_H
