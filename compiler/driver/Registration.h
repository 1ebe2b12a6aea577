//===- Registration.h - Dialects and passes that ampc uses ------*- C++ -*-===//

#ifndef AMPC_DRIVER_REGISTRATION_H
#define AMPC_DRIVER_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace ampc {

/// amp, the upstream dialects that a model passes through, and the interfaces
/// that passes need of them.
void registerDialects(mlir::DialectRegistry &registry);

/// amp's passes and pipelines, by name.
void registerPasses();

} // namespace ampc

#endif // AMPC_DRIVER_REGISTRATION_H
