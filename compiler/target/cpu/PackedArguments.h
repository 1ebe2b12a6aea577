//===- PackedArguments.h - Kernel arguments in memory -----------*- C++ -*-===//
//
// How a launch hands its operands to a kernel function through the one pointer
// that the pool passes. Of a memref only what its type leaves open is stored:
// the address, dynamic sizes, and, where the layout is not contiguous, dynamic
// strides.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_PACKEDARGUMENTS_H
#define AMPC_TARGET_CPU_PACKEDARGUMENTS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace ampc::cpu {

class PackedArguments {
public:
  PackedArguments(const mlir::LLVMTypeConverter &converter,
                  mlir::TypeRange types);

  /// Bytes that the arguments take at most.
  int64_t size() const { return 8 * int64_t(fields.size()); }

  /// Stores `values` at `memory`.
  void store(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::ValueRange values, mlir::Value memory) const;

  /// The values of the original types, read from `memory`.
  llvm::SmallVector<mlir::Value>
  load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory) const;

private:
  mlir::Value fieldPointer(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value memory, unsigned field) const;

  const mlir::LLVMTypeConverter &converter;
  llvm::SmallVector<mlir::Type> types, fields;
};

/// `buffer`, given as its parts, as a value of the memref type `type`: sizes
/// and strides are taken from `type` where it knows them; contiguous strides
/// are computed from the sizes. An offset that `type` leaves open is part of
/// `pointer`.
mlir::Value buildMemRef(mlir::OpBuilder &builder, mlir::Location loc,
                        const mlir::LLVMTypeConverter &converter,
                        mlir::MemRefType type, mlir::Value pointer,
                        mlir::ValueRange dynamicSizes,
                        mlir::ValueRange dynamicStrides = {});

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_PACKEDARGUMENTS_H
