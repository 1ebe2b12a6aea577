//===- Bufferization.cpp - How amp ops become ops on buffers --------------===//
//
// Kernels read their ins and write their outs; weights are read-only memory;
// a reshape is another view of a contiguous buffer. Bodies of kernels stay on
// tensors: the bufferization pass filters them out.
//
//===----------------------------------------------------------------------===//

#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace amp;

/// The memref of a tensor whose elements lie in row-major order, nothing
/// between them.
static MemRefType contiguous(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

namespace {

struct KernelModel
    : BufferizableOpInterface::ExternalModel<KernelModel, KernelOp> {
  static bool isOut(Operation *op, OpOperand &operand) {
    return operand.getOperandNumber() >= cast<KernelOp>(op).getIns().size();
  }

  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !isOut(op, operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return isOut(op, operand);
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (!isOut(op, operand))
      return {};
    unsigned index =
        operand.getOperandNumber() - cast<KernelOp>(op).getIns().size();
    return {{op->getResult(index), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options) const {
    auto kernel = cast<KernelOp>(op);
    SmallVector<Value> ins, outs;
    auto collect = [&](ValueRange operands, SmallVector<Value> &buffers) {
      for (Value operand : operands) {
        if (!isa<TensorType>(operand.getType())) {
          buffers.push_back(operand);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, operand, options);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    rewriter.setInsertionPoint(op);
    if (failed(collect(kernel.getIns(), ins)) ||
        failed(collect(kernel.getOuts(), outs)))
      return failure();
    auto buffered =
        rewriter.create<KernelOp>(op->getLoc(), TypeRange(), ins, outs);
    for (NamedAttribute attr : op->getDiscardableAttrs())
      buffered->setDiscardableAttr(attr.getName(), attr.getValue());
    rewriter.inlineRegionBefore(kernel.getBody(), buffered.getBody(),
                                buffered.getBody().begin());
    // One result for each out that was a tensor: all of them, before.
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};

struct WeightModel
    : BufferizableOpInterface::ExternalModel<WeightModel, WeightOp> {
  bool isWritable(Operation *, Value, const AnalysisState &) const {
    return false;
  }

  FailureOr<BaseMemRefType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          SmallVector<Value> &) const {
    return BaseMemRefType(contiguous(value.getType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &) const {
    auto weight = cast<WeightOp>(op);
    Value buffer = rewriter.create<WeightOp>(
        op->getLoc(), contiguous(weight.getResult().getType()),
        weight.getDataAttr());
    replaceOpWithBufferizedValues(rewriter, op, buffer);
    return success();
  }
};

struct ReshapeModel
    : BufferizableOpInterface::ExternalModel<ReshapeModel, ReshapeOp> {
  // A source that is not contiguous is copied, which reads it.
  bool bufferizesToMemoryRead(Operation *, OpOperand &operand,
                              const AnalysisState &) const {
    return isa<TensorType>(operand.get().getType());
  }

  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (!isa<TensorType>(operand.get().getType()))
      return {};
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  FailureOr<BaseMemRefType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          SmallVector<Value> &) const {
    return BaseMemRefType(contiguous(value.getType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options) const {
    auto reshape = cast<ReshapeOp>(op);
    Location loc = op->getLoc();
    FailureOr<Value> buffer = getBuffer(rewriter, reshape.getSource(), options);
    if (failed(buffer))
      return failure();
    Value source = *buffer;
    auto sourceType = cast<MemRefType>(source.getType());
    if (!sourceType.getLayout().isIdentity()) {
      SmallVector<Value> dynamic;
      for (int64_t i = 0; i < sourceType.getRank(); ++i)
        if (sourceType.isDynamicDim(i))
          dynamic.push_back(rewriter.create<memref::DimOp>(loc, source, i));
      auto dense = contiguous(reshape.getSource().getType());
      FailureOr<Value> copy =
          options.createAlloc(rewriter, loc, dense, dynamic);
      if (failed(copy) ||
          failed(options.createMemCpy(rewriter, loc, source, *copy)))
        return failure();
      source = *copy;
    }
    auto type = contiguous(reshape.getResult().getType());
    SmallVector<OpFoldResult> sizes =
        getMixedValues(type.getShape(), reshape.getDims(), rewriter);
    replaceOpWithBufferizedValues(rewriter, op,
                                  view(rewriter, loc, source, type, sizes));
    return success();
  }

  /// `source`, contiguous, under the shape `sizes`.
  static Value view(OpBuilder &builder, Location loc, Value source,
                    MemRefType type, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> strides(sizes.size());
    OpFoldResult stride = builder.getIndexAttr(1);
    for (int64_t i = int64_t(sizes.size()) - 1; i >= 0; --i) {
      strides[i] = stride;
      if (i == 0)
        break;
      auto a = getConstantIntValue(stride), b = getConstantIntValue(sizes[i]);
      if (a && b) {
        stride = builder.getIndexAttr(*a * *b);
        continue;
      }
      stride =
          builder
              .create<arith::MulIOp>(
                  loc, getValueOrCreateConstantIndexOp(builder, loc, stride),
                  getValueOrCreateConstantIndexOp(builder, loc, sizes[i]))
              .getResult();
    }
    // The type's strides are unknown from its first dynamic size on; so must
    // the op's be, though a product of constants may stand there.
    auto [typeStrides, offset] = getStridesAndOffset(type);
    for (auto [known, value] : llvm::zip(typeStrides, strides))
      if (ShapedType::isDynamic(known))
        value = getValueOrCreateConstantIndexOp(builder, loc, value);
    return builder.create<memref::ReinterpretCastOp>(
        loc, type, source, OpFoldResult(builder.getIndexAttr(0)), sizes,
        strides);
  }
};

/// amp.to_host and amp.to_device where there is one memory.
template <typename Op>
struct PlaceModel : BufferizableOpInterface::ExternalModel<PlaceModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
  }

  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &,
                                      const AnalysisState &) const {
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options) const {
    FailureOr<Value> buffer = getBuffer(rewriter, op->getOperand(0), options);
    if (failed(buffer))
      return failure();
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

} // namespace

void amp::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AmpDialect *) {
    KernelOp::attachInterface<KernelModel>(*context);
    WeightOp::attachInterface<WeightModel>(*context);
    ReshapeOp::attachInterface<ReshapeModel>(*context);
    ToHostOp::attachInterface<PlaceModel<ToHostOp>>(*context);
    ToDeviceOp::attachInterface<PlaceModel<ToDeviceOp>>(*context);
    // What the models above create.
    context->loadDialect<memref::MemRefDialect, BufferizationDialect>();
  });
}
