//===- Passes.h - Passes of the autotuner -----------------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_PASSES_H
#define AMPC_AUTOTUNE_PASSES_H

#include "autotune/Schedules.h"

#include "mlir/Pass/Pass.h"

namespace ampc::tune {

std::unique_ptr<mlir::Pass> createCpuApplySchedulesPass();
std::unique_ptr<mlir::Pass>
createCpuApplySchedulesPass(const ScheduleSources &sources,
                            const cpu::CpuTarget &target);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "autotune/Passes.h.inc"

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_PASSES_H
