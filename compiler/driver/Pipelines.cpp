//===- Pipelines.cpp - The order of passes --------------------------------===//

#include "compiler/driver/Pipelines.h"

#include "autotune/Passes.h"
#include "compiler/target/cpu/CpuTarget.h"
#include "compiler/target/cpu/Pipeline.h"
#include "passes/Passes.h"

#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void ampc::addTensorPasses(OpPassManager &passes,
                           const cpu::CpuTarget &target) {
  // Function bodies of the source are calls until here; everything after works
  // on one function.
  passes.addPass(createInlinerPass({}, [](OpPassManager &nested) {
    nested.addPass(amp::createCanonicalize());
  }));
  passes.addPass(createSymbolDCEPass());
  // Shape arithmetic folds first, so that the passes below see static sizes.
  passes.addPass(amp::createCanonicalize());
  passes.addPass(amp::createCSE());
  // Before what kernels have no code for is written out.
  passes.addNestedPass<func::FuncOp>(amp::createFormAttention());
  passes.addNestedPass<func::FuncOp>(amp::createDecomposeOps());
  // Decomposition repeats broadcasts and sizes.
  passes.addPass(amp::createCanonicalize());
  passes.addPass(amp::createCSE());
  passes.addNestedPass<func::FuncOp>(amp::createHoistInvariants());
  passes.addNestedPass<func::FuncOp>(amp::createFoldScales());
  // Padding is an op of its own by now, which can be transposed like others.
  passes.addNestedPass<func::FuncOp>(amp::createAssignLayout());
  passes.addNestedPass<func::FuncOp>(
      amp::createPackPanels({target.vectorBytes, target.hasTiles}));
  // Transposes that move nothing are views.
  passes.addPass(amp::createCanonicalize());
  passes.addPass(amp::createCSE());
  passes.addNestedPass<func::FuncOp>(amp::createFormKernels());
  passes.addNestedPass<func::FuncOp>(amp::createElideRounding());
  passes.addNestedPass<func::FuncOp>(amp::createNarrowBuffers());
  passes.addNestedPass<func::FuncOp>(amp::createPlaceSlices());
}

void ampc::addBufferPasses(OpPassManager &passes) {
  // Sizes that grouping computed twice are one before they become buffers.
  passes.addPass(amp::createCanonicalize());
  passes.addPass(amp::createCSE());
  passes.addPass(amp::createBufferize());
  passes.addPass(amp::createBoolToByte());
  // memref.dim of an allocation folds to its size; the arena needs to see that.
  passes.addPass(amp::createCanonicalize());
  passes.addPass(amp::createCSE());
  passes.addNestedPass<func::FuncOp>(amp::createHoistShapes());
  passes.addNestedPass<func::FuncOp>(amp::createPlanArena());
  // After planning, which itself copies some outputs.
  passes.addNestedPass<func::FuncOp>(amp::createLowerCopies());
  passes.addPass(amp::createCanonicalize());
}

void ampc::addCpuPasses(OpPassManager &passes, const cpu::CpuTarget &target,
                        const tune::ScheduleSources *schedules, bool profile) {
  if (schedules)
    passes.addPass(tune::createCpuApplySchedulesPass(*schedules, target));
  cpu::addKernelPasses(passes, target, profile);
}

void ampc::registerPipelines() {
  PassPipelineRegistration<>(
      "amp-tensor-pipeline", "an imported model to kernels on tensors",
      [](OpPassManager &passes) { addTensorPasses(passes, cpu::CpuTarget()); });
  PassPipelineRegistration<>("amp-buffer-pipeline",
                             "kernels on tensors to kernels on planned buffers",
                             addBufferPasses);
  PassPipelineRegistration<>(
      "amp-cpu-pipeline", "kernels on buffers to the LLVM dialect (AVX2)",
      [](OpPassManager &passes) { addCpuPasses(passes, cpu::CpuTarget()); });
}
