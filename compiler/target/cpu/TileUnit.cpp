//===- TileUnit.cpp - The instructions of Intel's AMX ---------------------===//

#include "compiler/target/cpu/TileUnit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

void TileUnit::call(StringRef name, ValueRange operands) {
  b.create<LLVM::CallIntrinsicOp>(loc, Type(), ("llvm.x86." + name).str(),
                                  operands);
}

Value TileUnit::number(int tile) {
  return b.create<LLVM::ConstantOp>(loc, b.getI8Type(),
                                    b.getI8IntegerAttr(tile));
}

Value TileUnit::bytes(int64_t count) {
  return b.create<LLVM::ConstantOp>(loc, b.getI64Type(),
                                    b.getI64IntegerAttr(count));
}

Value TileUnit::pointer(Value address) {
  Value bits = b.create<arith::IndexCastOp>(loc, b.getI64Type(), address);
  return b.create<LLVM::IntToPtrOp>(
      loc, LLVM::LLVMPointerType::get(b.getContext()), bits);
}

Value TileUnit::addressOf(Value buffer) {
  return b.create<memref::ExtractAlignedPointerAsIndexOp>(loc, buffer);
}

void TileUnit::configure(OpBuilder &allocas) {
  // Intel SDM, volume 1, 18.3: palette 1, bytes a row from byte 16 on in 16
  // bits each, rows from byte 48 on.
  SmallVector<int8_t> layout(64, 0);
  layout[0] = 1;
  for (int tile = 0; tile < 8; ++tile) {
    layout[16 + 2 * tile] = 64;
    layout[48 + tile] = 16;
  }
  auto type = VectorType::get({64}, b.getI8Type());
  Value buffer = allocas.create<memref::AllocaOp>(
      loc, MemRefType::get({64}, b.getI8Type()), b.getI64IntegerAttr(64));
  Value values = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(layout)));
  Value first = b.create<arith::ConstantIndexOp>(loc, 0);
  b.create<vector::StoreOp>(loc, values, buffer, first);
  call("ldtilecfg", pointer(addressOf(buffer)));
}

void TileUnit::release() { call("tilerelease", {}); }

void TileUnit::zero(int tile) { call("tilezero", number(tile)); }

void TileUnit::load(int tile, Value address, int64_t stride) {
  call("tileloadd64", {number(tile), pointer(address), bytes(stride)});
}

void TileUnit::store(int tile, Value address, int64_t stride) {
  call("tilestored64", {number(tile), pointer(address), bytes(stride)});
}

void TileUnit::fetch(Value address) {
  constexpr unsigned read = 0, secondCache = 2, data = 1;
  b.create<LLVM::Prefetch>(loc, pointer(address), read, secondCache, data);
}

void TileUnit::multiplyAdd(int sums, int a, int b) {
  call("tdpbf16ps", {number(sums), number(a), number(b)});
}

} // namespace ampc::cpu
