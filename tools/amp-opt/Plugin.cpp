//===- Plugin.cpp - amp for the mlir-opt of the distribution --------------===//
//
// mlir-opt-19 --load-dialect-plugin=AmpPlugin.so
// --load-pass-plugin=AmpPlugin.so
//   --pass-pipeline='builtin.module(amp-cse)'
//
// Links nothing of MLIR: what is undefined here is mlir-opt's own.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Registration.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "amp", AMPC_VERSION,
          [](mlir::DialectRegistry *registry) {
            ampc::registerDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "amp", AMPC_VERSION,
          [] { ampc::registerPasses(); }};
}
