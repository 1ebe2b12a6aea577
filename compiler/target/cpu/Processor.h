//===- Processor.h - The machine that code is generated for -----*- C++ -*-===//

#ifndef AMPC_TARGET_CPU_PROCESSOR_H
#define AMPC_TARGET_CPU_PROCESSOR_H

#include "compiler/target/cpu/CpuTarget.h"

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace ampc::cpu {

/// A processor by its LLVM name and the instruction sets that generated code
/// may use. Only those that the runtime can test for are ever used, so that
/// a model never dies of an illegal instruction.
struct Processor {
  std::string triple;
  std::string name; ///< What code is scheduled for.
  /// Instruction sets, sorted, LLVM's names. A machine needs all of them.
  std::vector<std::string> features;

  /// As the model's descriptor names them: "avx,avx2,fma".
  std::string featureList() const;
  bool has(llvm::StringRef feature) const;
  /// Leaves out AMX: what has no use for it should not ask machines for it.
  void dropTiles();
  CpuTarget kernelTarget() const;
};

/// The processor named `name`: "native" or one of LLVM's names. The error lists
/// the names, or says what the processor lacks for code to be generated.
llvm::Expected<Processor> findProcessor(llvm::StringRef name);

/// All names that findProcessor knows and that have what ampc needs.
std::vector<std::string> knownProcessors();

/// LLVM's code generator for `processor`, position independent.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const Processor &processor);

} // namespace ampc::cpu

#endif // AMPC_TARGET_CPU_PROCESSOR_H
