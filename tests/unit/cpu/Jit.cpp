//===- Jit.cpp - Run emitted kernels in the test's process ----------------===//

#include "Jit.h"

#include "compiler/ir/Amp.h"
#include "compiler/target/cpu/CpuPasses.h"
#include "compiler/target/cpu/KernelEmitter.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;

namespace ampc::test {

/// Runs each launch on the calling thread, chunk by chunk.
static void lowerLaunches(ModuleOp module, int64_t chunk) {
  SmallVector<amp::LaunchOp> launches;
  module.walk([&](amp::LaunchOp launch) { launches.push_back(launch); });
  for (amp::LaunchOp launch : launches) {
    OpBuilder b(launch);
    Location loc = launch.getLoc();
    Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
    Value step = b.create<arith::ConstantIndexOp>(loc, chunk);
    auto loop = b.create<scf::ForOp>(loc, zero, launch.getCount(), step);
    b.setInsertionPointToStart(loop.getBody());
    Value lo = loop.getInductionVar();
    Value end = b.create<arith::AddIOp>(loc, lo, step);
    Value hi = b.create<arith::MinSIOp>(loc, end, launch.getCount());
    SmallVector<Value> operands(launch.getArguments());
    operands.append({lo, hi});
    b.create<func::CallOp>(loc, launch.getCallee(), TypeRange(), operands);
    launch.erase();
  }
}

static LogicalResult compile(ModuleOp module, const cpu::CpuTarget &target,
                             int64_t chunk) {
  MLIRContext *context = module.getContext();
  module.walk([&](func::FuncOp function) {
    if (!function.isExternal() && !function.isPrivate())
      function->setAttr("llvm.emit_c_interface", UnitAttr::get(context));
  });
  PassManager emission(context);
  emission.addPass(cpu::createCpuEmitKernelsPass(target));
  emission.addPass(cpu::createCpuExpandMathPass());
  emission.addPass(createCanonicalizerPass());
  emission.addPass(createCSEPass());
  if (failed(emission.run(module)))
    return failure();
  lowerLaunches(module, chunk);
  PassManager lowering(context);
  lowering.addPass(createLoopInvariantCodeMotionPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  lowering.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass(expand));
  lowering.addPass(memref::createExpandStridedMetadataPass());
  lowering.addPass(createConvertSCFToCFPass());
  lowering.addPass(createLowerAffinePass());
  lowering.addPass(createConvertVectorToLLVMPass());
  lowering.addPass(createConvertMathToLLVMPass());
  lowering.addPass(createFinalizeMemRefToLLVMConversionPass());
  lowering.addPass(createArithToLLVMConversionPass());
  lowering.addPass(createConvertFuncToLLVMPass());
  lowering.addPass(createConvertControlFlowToLLVMPass());
  lowering.addPass(createReconcileUnrealizedCastsPass());
  return lowering.run(module);
}

Jit::Jit(const std::string &source, const cpu::CpuTarget &target,
         int64_t chunk) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  DialectRegistry registry;
  registry.insert<amp::AmpDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  amp::registerExternalModels(registry);
  cpu::registerCpuKernelEmitters(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(source, context.get());
  if (!module || failed(compile(*module, target, chunk)))
    return;
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto created = ExecutionEngine::create(*module, options);
  if (created)
    engine = std::move(*created);
  else
    diagnostics += llvm::toString(created.takeError());
}

Jit::Jit(Jit &&) = default;
Jit::~Jit() = default;

void Jit::call(const std::string &function, Arguments &arguments) {
  llvm::Error error = engine->invokePacked(
      "_mlir_ciface_" + function, MutableArrayRef<void *>(arguments.slots));
  if (error) {
    diagnostics += llvm::toString(std::move(error));
    std::fprintf(stderr, "%s\n", diagnostics.c_str());
    std::abort();
  }
}

} // namespace ampc::test
