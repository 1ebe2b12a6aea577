//===- CodeGenerator.h - LLVM dialect to machine code -----------*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_CODEGENERATOR_H
#define AMPC_TARGET_CPU_CODEGENERATOR_H

#include "compiler/target/cpu/Processor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc::cpu {

/// LLVM IR of a module in the LLVM dialect, with the data layout and function
/// attributes of `processor`. Null after an error that the context reported.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module,
                                              llvm::LLVMContext &context,
                                              const Processor &processor);

/// Writes `module` as a relocatable object. LLVM's mid-end does not run:
/// kernels are emitted as they shall be, and their code is as fast without it.
llvm::Error writeObject(llvm::Module &module, const Processor &processor,
                        llvm::raw_pwrite_stream &stream);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_CODEGENERATOR_H
