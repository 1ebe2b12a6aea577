//===- Tuning.h - What --tune asks for --------------------------*- C++ -*-===//

#ifndef AMPC_DRIVER_TUNING_H
#define AMPC_DRIVER_TUNING_H

#include "autotune/KernelTuner.h"
#include "autotune/Schedules.h"
#include "compiler/driver/Options.h"

namespace ampc {

/// How much is to be measured; none: nothing. Errors if `options.tune` is no
/// known value, or if this machine cannot run code for `processor`.
llvm::Expected<std::optional<tune::Effort>>
effortFor(const Options &options, const cpu::Processor &processor);

/// The database to tune with: what `options` names, or the user's own.
std::string tuningDatabasePath(const Options &options);

/// Where kernels get their schedules from. Without tuning only a database that
/// `options` names is read, so that the same call gives the same model.
llvm::Expected<tune::ScheduleSources>
openSchedules(const Options &options, const cpu::Processor &processor);

} // namespace ampc

#endif // AMPC_DRIVER_TUNING_H
