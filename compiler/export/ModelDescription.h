//===- ModelDescription.h - The constants a model is known by ---*- C++ -*-===//

#ifndef AMPC_EXPORT_MODELDESCRIPTION_H
#define AMPC_EXPORT_MODELDESCRIPTION_H

#include "compiler/export/Signature.h"

#include "llvm/IR/Module.h"

namespace ampc {

/// What `ampc_model_desc` of runtime/abi.h says.
struct ModelDescription {
  Signature signature;
  std::string infoJson, cpuFeatures;
  uint32_t numArenas = 0;
  uint64_t weightsSize = 0;
  std::string weightsFile; ///< Empty: the weights are the symbol below.
  uint64_t weightsHash = 0;
  /// As amp-cpu-lower-abi writes it; null without a profile.
  mlir::ArrayAttr launches;
};

/// The object symbol that embedded weights are.
inline constexpr llvm::StringLiteral weightsSymbol = "ampc_weights";
/// The section that holds infoJson, so that it can be read without loading.
inline constexpr llvm::StringLiteral infoSection = ".ampc.info";

/// Adds `ampc_model_description` to a module that holds `ampc_main`, and
/// `ampc_profile_v1` if there is a profile.
void addModelDescription(llvm::Module &module,
                         const ModelDescription &description);

} // namespace ampc

#endif // AMPC_EXPORT_MODELDESCRIPTION_H
