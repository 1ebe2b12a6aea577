//===- NarrowWeights.cpp - Weights of 32 bits are stored in 16 ------------===//
//
// Storage alone: kernels widen what they read, in registers, and compute in f32
// as before. Weights that only matter for the size of nothing much stay
// (biases, scales: small, and added to sums), as do those that a kernel can
// only read in the format that it computes in.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"
#include "passes/NarrowReaders.h"
#include "passes/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>
#include <cstring>

namespace amp {
#define GEN_PASS_DEF_NARROWWEIGHTS
#include "passes/Passes.h.inc"
} // namespace amp

using namespace mlir;
using namespace amp;

namespace {

constexpr int64_t kFewElements = 4096;

/// To nearest even. Only the values' range is the format's concern.
uint16_t toF16(float value) {
  _Float16 narrow = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}
uint16_t toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value))
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/// Whether a finite value would become infinite.
bool overflows(uint16_t bits, uint16_t infinity, float value) {
  return (bits & 0x7fff) == infinity && std::isfinite(value);
}

struct NarrowWeights : public amp::impl::NarrowWeightsBase<NarrowWeights> {
  using NarrowWeightsBase::NarrowWeightsBase;

  void runOnOperation() override;

private:
  ElementsAttr narrow(WeightDataOp data, FloatType type);
};

/// Values that are kept in the IR.
ElementsAttr narrowDense(DenseFPElementsAttr values, FloatType type) {
  bool fits = true;
  auto narrowed = values.mapValues(type, [&](const APFloat &value) {
    APFloat result = value;
    bool inexact;
    result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &inexact);
    fits &= result.isInfinity() == value.isInfinity();
    return result.bitcastToAPInt();
  });
  return fits ? ElementsAttr(narrowed) : nullptr;
}

/// Null if the format has not the weight's range, or its bytes are not at hand.
ElementsAttr NarrowWeights::narrow(WeightDataOp data, FloatType type) {
  if (auto dense = dyn_cast<DenseFPElementsAttr>(data.getValue()))
    return narrowDense(dense, type);
  auto resource = dyn_cast<DenseResourceElementsAttr>(data.getValue());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  auto wide = cast<RankedTensorType>(data.getValue().getType());
  const size_t count = wide.getNumElements();
  if (!blob || blob->getData().size() < count * sizeof(float))
    return nullptr;
  const bool isF16 = type.isF16();
  const uint16_t infinity = isF16 ? 0x7c00 : 0x7f80;
  std::vector<uint16_t> bits(count);
  const char *source = blob->getData().data();
  for (size_t i = 0; i < count; ++i) {
    float value; // The file need not align it.
    std::memcpy(&value, source + i * sizeof value, sizeof value);
    bits[i] = isF16 ? toF16(value) : toBF16(value);
    if (overflows(bits[i], infinity, value))
      return nullptr;
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(bits.data()),
                       bits.size() * sizeof bits[0]);
  return DenseResourceElementsAttr::get(
      wide.clone(type), data.getSymName(),
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64));
}

void NarrowWeights::runOnOperation() {
  ModuleOp module = getOperation();
  FloatType type;
  if (format == "f16")
    type = FloatType::getF16(&getContext());
  else if (format == "bf16")
    type = FloatType::getBF16(&getContext());
  else {
    module.emitError("has no 16-bit format '")
        << format << "'; known are f16, bf16";
    return signalPassFailure();
  }
  DenseMap<StringAttr, SmallVector<WeightOp>> weights;
  module.walk(
      [&](WeightOp op) { weights[op.getDataAttr().getAttr()].push_back(op); });
  for (auto data : module.getOps<WeightDataOp>()) {
    auto wide = dyn_cast<RankedTensorType>(data.getValue().getType());
    if (!wide || !wide.getElementType().isF32() ||
        wide.getNumElements() < kFewElements)
      continue;
    NarrowReaders readers;
    auto add = [&](WeightOp op) { return readers.add(op.getResult()); };
    auto isWeight = [](Value source) {
      return source.getDefiningOp<WeightOp>() != nullptr;
    };
    if (!llvm::all_of(weights[data.getSymNameAttr()], add) ||
        readers.getSources().size() != weights[data.getSymNameAttr()].size() ||
        !llvm::all_of(readers.getSources(), isWeight) || !readers.canBe(type))
      continue;
    ElementsAttr stored = narrow(data, type);
    if (!stored)
      continue;
    data.setValueAttr(stored);
    readers.narrow(type);
  }
}

} // namespace
