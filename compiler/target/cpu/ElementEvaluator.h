//===- ElementEvaluator.h - Elements of kernel values on demand -*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_ELEMENTEVALUATOR_H
#define AMPC_TARGET_CPU_ELEMENTEVALUATOR_H

#include "compiler/target/cpu/KernelValues.h"

#include <map>
#include <memory>

namespace ampc::cpu {

/// Emits the elements of the tensors in a kernel's body where they are needed.
/// An element is computed once for each place and indices: what has been
/// emitted and is visible at the insertion point is used again.
///
/// Lanes run along the innermost dimension. Where dimensions are merged (see
/// MergedDims) the index of the last of them runs over all and the others are
/// zero.
class ElementEvaluator final : public amp::ElementAccess {
public:
  /// `mask`, if any, tells which lanes count; the others are neither read nor
  /// meaningful. The builder's insertion point may move between calls, forward
  /// only. Ops are added through this very builder.
  ElementEvaluator(KernelValues &values, mlir::OpBuilder &builder,
                   int64_t lanes, mlir::Value mask = {});
  ~ElementEvaluator();

  /// The element of `tensor` at `indices`, or null after an error.
  mlir::Value at(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);

  /// Makes at(tensor, indices) be `element`: a root's result in its epilogue.
  void bind(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
            mlir::Value element);

  /// Whether some element could not be evaluated; an error has been emitted.
  bool failed() const { return anyFailed; }

  mlir::Value read(mlir::Value operand,
                   llvm::ArrayRef<mlir::Value> indices) override;
  mlir::Value readOne(mlir::Value operand,
                      llvm::ArrayRef<mlir::Value> indices) override;
  mlir::Value readScalar(mlir::Value operand) override;
  mlir::Value dim(mlir::Value operand, int64_t dim) override;
  int64_t lanes() const override { return numLanes; }

private:
  using Key = llvm::SmallVector<const void *, 6>;

  Key keyFor(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  mlir::Value emit(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  mlir::Value emitElementwise(mlir::Operation *op,
                              llvm::ArrayRef<mlir::Value> indices);
  mlir::Value emitConstant(mlir::arith::ConstantOp op,
                           llvm::ArrayRef<mlir::Value> indices);
  mlir::Value emitLaneByLane(mlir::Value tensor,
                             llvm::ArrayRef<mlir::Value> indices);
  mlir::Value fail(mlir::Operation *op, const llvm::Twine &why);
  ElementEvaluator &scalars();

  KernelValues &values;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t numLanes;
  mlir::Value mask;
  bool anyFailed = false;
  /// The op whose element is being emitted; null outside of emitElement().
  mlir::Operation *consumer = nullptr;
  /// The innermost index that was asked for outside of emitElement().
  mlir::Value laneIndex;
  std::map<Key, mlir::Value> known;
  std::unique_ptr<ElementEvaluator> scalarEvaluator;
};

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_ELEMENTEVALUATOR_H
