//===- Passes.h - Target-independent passes ---------------------*- C++ -*-===//

#ifndef AMPC_PASSES_PASSES_H
#define AMPC_PASSES_PASSES_H

#include "compiler/ir/Amp.h"

#include "mlir/Pass/Pass.h"

namespace amp {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace amp

#endif // AMPC_PASSES_PASSES_H
