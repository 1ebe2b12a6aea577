//===- Pipeline.cpp - From buffers to the LLVM dialect on a CPU -----------===//

#include "compiler/target/cpu/Pipeline.h"

#include "compiler/target/cpu/CpuPasses.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void ampc::cpu::addKernelPasses(OpPassManager &passes,
                                const CpuTarget &target) {
  passes.addPass(createCpuEmitKernelsPass(target));
  // Functions are many and small: what can work on one at a time does so in
  // parallel. Emitters make each constant anew, tens of thousands where
  // elements are evaluated lane by lane, and canonicalization takes time
  // quadratic in their number: CSE comes first.
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createCSEPass());
  // Index arithmetic of loops goes before math becomes polynomials.
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  // What a row's elements share is computed once; LLVM's mid-end does not run.
  functions.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createCpuExpandMathPass());
  addLoweringToLLVM(passes);
}

void ampc::cpu::addLoweringToLLVM(OpPassManager &passes) {
  passes.addPass(createCpuBF16ToBits());
  // A failed check returns from the middle of host code.
  passes.addNestedPass<func::FuncOp>(createConvertSCFToCFPass());
  passes.addPass(createCpuLowerAbi());
  // Subviews become arithmetic on offsets, which may be affine.
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  passes.addPass(createCpuToLLVM());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addNestedPass<LLVM::LLVMFuncOp>(createCpuFoldOffsets());
  // Descriptors are built and taken apart at once; nobody else would fold that,
  // as LLVM's mid-end does not run. CSE does the work of early GVN in kernels.
  passes.addNestedPass<LLVM::LLVMFuncOp>(createCanonicalizerPass());
  passes.addNestedPass<LLVM::LLVMFuncOp>(createCSEPass());
}

void ampc::cpu::registerCodeGeneration(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
