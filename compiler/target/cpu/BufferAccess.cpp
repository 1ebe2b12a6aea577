//===- BufferAccess.cpp - Elements and vectors in buffers -----------------===//

#include "compiler/target/cpu/BufferAccess.h"

#include "compiler/ir/Conversions.h"
#include "compiler/target/cpu/KernelValues.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

Value fillLanes(OpBuilder &b, Location loc, Value value, int64_t lanes) {
  if (lanes == 1)
    return value;
  return b.create<vector::BroadcastOp>(
      loc, VectorType::get({lanes}, value.getType()), value);
}

Value firstLanes(OpBuilder &b, Location loc, Value count, int64_t lanes) {
  return b.create<vector::CreateMaskOp>(
      loc, VectorType::get({lanes}, b.getI1Type()), count);
}

/// The indices `offset` elements further along the innermost dimension.
static SmallVector<Value> shifted(OpBuilder &b, Location loc,
                                  ArrayRef<Value> indices, int64_t offset) {
  SmallVector<Value> result(indices);
  if (offset)
    result.back() = b.createOrFold<arith::AddIOp>(
        loc, result.back(), b.create<arith::ConstantIndexOp>(loc, offset));
  return result;
}

/// Whether lane `lane` of `mask` is set, as an i1.
static Value maskBit(OpBuilder &b, Location loc, Value mask, int64_t lane) {
  return b.create<vector::ExtractOp>(loc, mask, lane);
}

static Value fromBytes(OpBuilder &b, Location loc, Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value,
                                 amp::splatInteger(b, loc, value.getType(), 0));
}

Value loadElements(OpBuilder &b, Location loc, Value buffer,
                   ArrayRef<Value> indices, Type element, int64_t lanes,
                   Value mask) {
  auto type = cast<MemRefType>(buffer.getType());
  Type stored = type.getElementType();
  if (lanes == 1)
    return fromBytes(b, loc, b.create<memref::LoadOp>(loc, buffer, indices),
                     element);
  auto vectorType = VectorType::get({lanes}, stored);
  if (type.getRank() && hasUnitInnermostStride(type) && !stored.isIndex()) {
    Value loaded;
    if (mask) {
      Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vectorType));
      loaded = b.create<vector::MaskedLoadOp>(loc, vectorType, buffer, indices,
                                              mask, zero);
    } else {
      loaded = b.create<vector::LoadOp>(loc, vectorType, buffer, indices);
    }
    return fromBytes(b, loc, loaded, element);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> at = shifted(b, loc, indices, lane);
    // A lane that is masked off reads the first lane's element again.
    if (mask)
      at.back() = b.create<arith::SelectOp>(loc, maskBit(b, loc, mask, lane),
                                            at.back(), indices.back());
    elements.push_back(b.create<memref::LoadOp>(loc, buffer, at));
  }
  return fromBytes(b, loc,
                   b.create<vector::FromElementsOp>(loc, vectorType, elements),
                   element);
}

void storeElements(OpBuilder &b, Location loc, Value value, Value buffer,
                   ArrayRef<Value> indices, Value mask) {
  auto type = cast<MemRefType>(buffer.getType());
  Type stored = type.getElementType();
  auto vectorType = dyn_cast<VectorType>(value.getType());
  if (getElementTypeOrSelf(value.getType()) != stored) {
    Type bytes = vectorType
                     ? Type(VectorType::get(vectorType.getShape(), stored))
                     : stored;
    value = b.create<arith::ExtUIOp>(loc, bytes, value);
  }
  if (!vectorType) {
    b.create<memref::StoreOp>(loc, value, buffer, indices);
    return;
  }
  if (hasUnitInnermostStride(type) && !stored.isIndex()) {
    if (mask)
      b.create<vector::MaskedStoreOp>(loc, buffer, indices, mask, value);
    else
      b.create<vector::StoreOp>(loc, value, buffer, indices);
    return;
  }
  for (int64_t lane = 0; lane < vectorType.getDimSize(0); ++lane) {
    Value element = b.create<vector::ExtractOp>(loc, value, lane);
    auto store = [&](OpBuilder &nested, Location) {
      nested.create<memref::StoreOp>(loc, element, buffer,
                                     shifted(nested, loc, indices, lane));
    };
    if (!mask) {
      store(b, loc);
      continue;
    }
    b.create<scf::IfOp>(loc, maskBit(b, loc, mask, lane),
                        [&](OpBuilder &nested, Location) {
                          store(nested, loc);
                          nested.create<scf::YieldOp>(loc);
                        });
  }
}

Value loadEvery(OpBuilder &b, Location loc, Value buffer,
                ArrayRef<Value> indices, int64_t stride, int64_t lanes) {
  auto type = cast<MemRefType>(buffer.getType());
  auto vectorType = VectorType::get({lanes}, type.getElementType());
  if (stride == 1)
    return b.create<vector::LoadOp>(loc, vectorType, buffer, indices);
  if (stride == 2) {
    // The elements wanted are at 0, 2, ... of the first half and, since the
    // second load starts one early so as not to read past the last element, at
    // 1, 3, ... of the second.
    Value low = b.create<vector::LoadOp>(loc, vectorType, buffer, indices);
    Value high = b.create<vector::LoadOp>(loc, vectorType, buffer,
                                          shifted(b, loc, indices, lanes - 1));
    SmallVector<int64_t> pick;
    for (int64_t i = 0; i < lanes / 2; ++i)
      pick.push_back(2 * i);
    for (int64_t i = 0; i < lanes / 2; ++i)
      pick.push_back(lanes + 2 * i + 1);
    return b.create<vector::ShuffleOp>(loc, low, high, pick);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane)
    elements.push_back(b.create<memref::LoadOp>(
        loc, buffer, shifted(b, loc, indices, lane * stride)));
  return b.create<vector::FromElementsOp>(loc, vectorType, elements);
}

} // namespace ampc::cpu
