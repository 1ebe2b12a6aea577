//===- WeightLayout.h - Where weights lie in the weights' memory -*- C++
//-*-===//

#ifndef AMPC_IR_WEIGHTLAYOUT_H
#define AMPC_IR_WEIGHTLAYOUT_H

#include "compiler/ir/Amp.h"

#include "llvm/ADT/StringMap.h"

namespace amp {

/// The place of every `amp.weight_data` of a module that an `amp.weight` names:
/// in the module's order, each 64-byte aligned. Generated code and whoever
/// writes the bytes must agree, so both ask here. Outlives the module's ops.
class WeightLayout {
public:
  struct Entry {
    mlir::ElementsAttr value;
    uint64_t offset, size; ///< Bytes.
  };

  explicit WeightLayout(mlir::ModuleOp module);

  uint64_t offsetOf(llvm::StringRef name) const { return offsets.lookup(name); }
  llvm::ArrayRef<Entry> entries() const { return all; }
  /// Bytes of all weights with the padding between and after them.
  uint64_t size() const { return total; }

  static constexpr uint64_t alignment = 64;
  /// What generated code may read of any buffer, see runtime/abi.h.
  static constexpr uint64_t readableBytes = 256;

private:
  llvm::SmallVector<Entry> all;
  llvm::StringMap<uint64_t> offsets;
  uint64_t total = 0;
};

/// Bytes of a weight of type `type` as it lies in memory: booleans and types
/// under 8 bits take a byte.
uint64_t weightBytes(mlir::ShapedType type);

/// Bytes that `op` is stored in if it is a weight or constant: a splat takes
/// none, nor does any other op.
uint64_t storedBytes(mlir::Operation *op);

} // namespace amp

#endif // AMPC_IR_WEIGHTLAYOUT_H
