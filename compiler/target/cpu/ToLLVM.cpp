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
struct ToLLVM : public ampc::cpu::impl::CpuToLLVMBase<ToLLVM> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(simplify()))
      return signalPassFailure();

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
    // memref.copy would call memrefCopy, which nobody defines.
    target.addIllegalOp<memref::CopyOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    verifyAllConverted();
  }

private:
  /// Ops of arith and vector that have no counterpart in LLVM become ones that
  /// have.
  LogicalResult simplify() {
    RewritePatternSet patterns(&getContext());
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
    config.maxIterations = 2;
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                       config);
    return success();
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
