//===- NarrowReaders.h - Who reads a buffer, and in how many bits -*- C++ -*-=//
//
// Kernels compute in f32 whatever they read: numbers in 16 bits are widened in
// registers, element by element or as factors of products.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PASSES_NARROWREADERS_H
#define AMP_PASSES_NARROWREADERS_H

#include "compiler/ir/Amp.h"

namespace amp {

/// Values that share their elements (a buffer, its views, what is concatenated
/// or padded into one buffer), and the operands of kernels that they are.
class NarrowReaders {
public:
  /// Adds `value` and all that shares elements with it; false if something of
  /// it goes elsewhere, too.
  bool add(mlir::Value value);

  /// Values that nothing here gives: kernels' results, weights, ...
  llvm::ArrayRef<mlir::Value> getSources() const { return sources; }

  /// Whether kernels can read elements of `type`, and paddings are such.
  bool canBe(mlir::FloatType type) const;

  /// Makes all be of `type`. Whoever gives the sources has to see to it that
  /// they are.
  void narrow(mlir::FloatType type);

private:
  llvm::SmallSetVector<mlir::Value, 8> values;
  llvm::SmallVector<mlir::Value> sources;
  llvm::SmallVector<mlir::OpOperand *> uses;
  llvm::SmallSetVector<mlir::Operation *, 4> pads;
};

/// `number` in `type`, or null if it would be rounded.
mlir::FloatAttr exactlyIn(mlir::FloatType type, mlir::FloatAttr number);

} // namespace amp

#endif // AMP_PASSES_NARROWREADERS_H
