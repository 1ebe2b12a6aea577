//===- CodeGenerator.cpp - LLVM dialect to machine code -------------------===//

#include "compiler/target/cpu/CodeGenerator.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"

using namespace ampc::cpu;

std::unique_ptr<llvm::Module>
ampc::cpu::translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                           const Processor &processor) {
  std::unique_ptr<llvm::Module> result =
      mlir::translateModuleToLLVMIR(module, context, "model");
  if (!result)
    return nullptr;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(processor);
  result->setTargetTriple(processor.triple);
  result->setDataLayout(machine->createDataLayout());
  result->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("tune-cpu", processor.name);
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return result;
}

llvm::Error ampc::cpu::writeObject(llvm::Module &module,
                                   const Processor &processor,
                                   llvm::raw_pwrite_stream &stream) {
  std::string problem;
  llvm::raw_string_ostream message(problem);
  if (llvm::verifyModule(module, &message))
    return llvm::createStringError("generated LLVM IR is invalid: %s",
                                   message.str().c_str());
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(processor);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM cannot write object files for %s",
                                   processor.triple.c_str());
  passes.run(module);
  return llvm::Error::success();
}
