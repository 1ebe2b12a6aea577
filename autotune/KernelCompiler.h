//===- KernelCompiler.h - Kernels as code in this process -------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_KERNELCOMPILER_H
#define AMPC_AUTOTUNE_KERNELCOMPILER_H

#include "autotune/Trial.h"
#include "compiler/target/cpu/Processor.h"

#include "mlir/IR/DialectRegistry.h"

namespace llvm::orc {
class LLJIT;
}

namespace ampc::tune {

/// Compiles one kernel with several schedules, by the passes and the code
/// generator that models are compiled by. The code lives as long as this.
class KernelCompiler {
public:
  KernelCompiler(const mlir::DialectRegistry &registry,
                 const cpu::Processor &processor);
  ~KernelCompiler();

  /// Code for each of `schedules`, on all processors; null where there is none.
  /// `kernel` is a TunableKernel's text.
  std::vector<KernelCode> compile(llvm::StringRef kernel,
                                  llvm::ArrayRef<std::string> schedules);

private:
  using Object = llvm::SmallVector<char, 0>;
  Object compileOne(llvm::StringRef kernel, llvm::StringRef schedule) const;
  KernelCode load(const Object &object);

  const mlir::DialectRegistry &registry;
  const cpu::Processor &processor;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  unsigned loaded = 0;
};

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_KERNELCOMPILER_H
