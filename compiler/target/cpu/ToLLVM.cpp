//===- ToLLVM.cpp - What is left becomes the LLVM dialect -----------------===//

#include "compiler/target/cpu/CpuPasses.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc::cpu {
#define GEN_PASS_DEF_CPUTOLLVM
#include "compiler/target/cpu/CpuPasses.h.inc"
} // namespace ampc::cpu

using namespace mlir;

namespace {
/// vector.fma would become LLVM's fmuladd, which may round twice.
struct FuseAlways : OpRewritePattern<vector::FMAOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::FMAOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, op.getLhs(), op.getRhs(),
                                             op.getAcc());
    return success();
  }
};

struct ToLLVM : public ampc::cpu::impl::CpuToLLVMBase<ToLLVM> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(checkMemory()))
      return signalPassFailure();
    simplify();

    LowerToLLVMOptions options(context);
    options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    vector::populateVectorMaskMaterializationPatterns(
        patterns, /*force32BitVectorIndices=*/true);
    vector::populateVectorTransferLoweringPatterns(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns,
                                           /*reassociateFPReductions=*/false,
                                           /*force32BitVectorIndices=*/true);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    verifyAllConverted();
  }

private:
  /// Upstream would lower these to calls of functions that no model has.
  LogicalResult checkMemory() {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<memref::AllocOp, memref::DeallocOp, memref::CopyOp>(op))
        return WalkResult::advance();
      op->emitOpError("must be gone before the conversion to LLVM: memory is "
                      "planned and copies are kernels");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Ops of arith and vector that have no counterpart in LLVM become ones that
  /// have. Only these and what they become are visited: they are few, and a
  /// greedy run over the module would try to fold everything else again.
  void simplify() {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
              vector::BroadcastOp, vector::ConstantMaskOp,
              vector::CreateMaskOp, vector::FMAOp, vector::InterleaveOp,
              vector::DeinterleaveOp, vector::ShapeCastOp,
              vector::TransferReadOp, vector::TransferWriteOp,
              vector::TransposeOp>(op))
        ops.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseAlways>(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorInterleaveLoweringPatterns(patterns);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransformsOptions());
    vector::populateVectorTransferLoweringPatterns(patterns,
                                                   /*maxTransferRank=*/1);
    GreedyRewriteConfig config;
    config.strictMode = GreedyRewriteStrictness::ExistingAndNewOps;
    (void)applyOpPatternsAndFold(ops, std::move(patterns), config);
  }

  /// A clear error for an op that no pattern knew.
  void verifyAllConverted() {
    getOperation()->walk([&](Operation *op) {
      if (isa<ModuleOp, UnrealizedConversionCastOp>(op) ||
          isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return;
      op->emitOpError("cannot be converted to LLVM");
      signalPassFailure();
    });
  }
};
} // namespace
