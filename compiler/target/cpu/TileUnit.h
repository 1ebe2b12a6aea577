//===- TileUnit.h - The instructions of Intel's AMX -------------*- C++ -*-===//
//
// Registers are named by number: LLVM's own allocation of tiles does not
// survive loops. A program may use them once the operating system has allowed
// it (see runtime/CpuFeatures.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_TARGET_CPU_TILEUNIT_H
#define AMPC_TARGET_CPU_TILEUNIT_H

#include "mlir/IR/Builders.h"

namespace ampc::cpu {

/// Emits what works on the 8 tile registers of 16 rows of 64 bytes.
class TileUnit {
public:
  TileUnit(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// Makes all registers be of full size, and zero. Memory for what is said to
  /// the unit is allocated at `allocas`.
  void configure(mlir::OpBuilder &allocas);
  /// Leaves the unit as others expect it.
  void release();

  void zero(int tile);
  /// `address` and `stride` between rows are in bytes, of type index.
  void load(int tile, mlir::Value address, int64_t stride);
  void store(int tile, mlir::Value address, int64_t stride);
  /// Has the line at `address` fetched into the second cache.
  void fetch(mlir::Value address);
  /// sums[i, j] += a[i, 2k] b[k, 2j] + a[i, 2k+1] b[k, 2j+1], a and b in bf16.
  void multiplyAdd(int sums, int a, int b);

  /// The address of a buffer's first element, which must have no offset.
  mlir::Value addressOf(mlir::Value buffer);

private:
  void call(llvm::StringRef name, mlir::ValueRange operands);
  mlir::Value number(int tile);
  mlir::Value pointer(mlir::Value address);
  mlir::Value bytes(int64_t count);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_TILEUNIT_H
