//===- KernelCompiler.cpp - Kernels as code in this process ---------------===//

#include "autotune/KernelCompiler.h"

#include "autotune/TunableKernel.h"
#include "compiler/target/cpu/CodeGenerator.h"
#include "compiler/target/cpu/Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <atomic>
#include <thread>

using namespace mlir;
using namespace ampc::tune;

/// What the runtime has for launches, on the calling thread alone.
static void runWhole(ampc_exec *, void (*kernel)(void *, int64_t, int64_t),
                     void *arguments, int64_t count, int64_t) {
  kernel(arguments, 0, count);
}

KernelCompiler::KernelCompiler(const DialectRegistry &registry,
                               const cpu::Processor &processor)
    : registry(registry), processor(processor) {}

KernelCompiler::~KernelCompiler() = default;

KernelCompiler::Object KernelCompiler::compileOne(StringRef text,
                                                  StringRef schedule) const {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  context.loadAllAvailableDialects();
  llvm::Expected<TunableKernel> tunable =
      parseTunable(text, processor.kernelTarget(), &context);
  if (!tunable) {
    consumeError(tunable.takeError());
    return {};
  }
  // The first is what the emitter does by itself; that is what it is to say.
  tunable->kernel.setScheduleAttr(parseSchedule(schedule, &context));
  PassManager passes(&context);
  cpu::addKernelPasses(passes, processor.kernelTarget());
  if (failed(passes.run(*tunable->module)))
    return {};
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      cpu::translateToLLVM(*tunable->module, llvmContext, processor);
  if (!module)
    return {};
  module->getFunction("ampc_main")
      ->setLinkage(llvm::GlobalValue::ExternalLinkage);
  Object object;
  llvm::raw_svector_ostream stream(object);
  if (llvm::Error error = cpu::writeObject(*module, processor, stream)) {
    consumeError(std::move(error));
    return {};
  }
  return object;
}

KernelCode KernelCompiler::load(const Object &object) {
  using namespace llvm::orc;
  auto load = [&]() -> llvm::Expected<KernelCode> {
    if (!jit) {
      auto made = LLJITBuilder().create();
      if (!made)
        return made.takeError();
      jit = std::move(*made);
    }
    // Each has symbols of its own.
    llvm::Expected<JITDylib &> library =
        jit->createJITDylib("kernel" + std::to_string(loaded++));
    if (!library)
      return library.takeError();
    auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit->getDataLayout().getGlobalPrefix());
    if (!process)
      return process.takeError();
    library->addGenerator(std::move(*process));
    if (llvm::Error error = library->define(absoluteSymbols(
            {{jit->mangleAndIntern("ampc_rt_parallel"),
              ExecutorSymbolDef(ExecutorAddr::fromPtr(&runWhole),
                                llvm::JITSymbolFlags::Exported)}})))
      return std::move(error);
    if (llvm::Error error = jit->addObjectFile(
            *library, llvm::MemoryBuffer::getMemBufferCopy(
                          StringRef(object.data(), object.size()))))
      return std::move(error);
    llvm::Expected<ExecutorAddr> entry = jit->lookup(*library, "ampc_main");
    if (!entry)
      return entry.takeError();
    return entry->toPtr<KernelCode>();
  };
  if (object.empty())
    return nullptr;
  llvm::Expected<KernelCode> code = load();
  if (code)
    return *code;
  consumeError(code.takeError());
  return nullptr;
}

std::vector<KernelCode>
KernelCompiler::compile(StringRef kernel, ArrayRef<std::string> schedules) {
  std::vector<Object> objects(schedules.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < schedules.size();)
      objects[i] = compileOne(kernel, schedules[i]);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  std::vector<KernelCode> codes;
  for (const Object &object : objects)
    codes.push_back(load(object));
  return codes;
}
