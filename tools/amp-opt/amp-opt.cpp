//===- amp-opt.cpp - Runs passes on IR ------------------------------------===//

#include "compiler/driver/Registration.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ampc::registerDialects(registry);
  ampc::registerPasses();
  mlir::registerTransformsPasses();
  mlir::memref::registerMemRefPasses();
  // Only those of upstream's conversions that our pipelines use: the header
  // that registers all of them takes a minute to compile.
  mlir::registerPass(mlir::createConvertSCFToCFPass);
  mlir::registerPass(mlir::createReconcileUnrealizedCastsPass);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "ampc's optimizer driver\n", registry));
}
