//===- amp-opt.cpp - Runs passes on IR ------------------------------------===//

#include "compiler/driver/Registration.h"

#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ampc::registerDialects(registry);
  ampc::registerPasses();
  mlir::registerTransformsPasses();
  mlir::memref::registerMemRefPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "ampc's optimizer driver\n", registry));
}
