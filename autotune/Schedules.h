//===- Schedules.h - Where schedules come from ------------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_SCHEDULES_H
#define AMPC_AUTOTUNE_SCHEDULES_H

#include "autotune/TuningDatabase.h"
#include "compiler/target/cpu/Processor.h"

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace ampc::tune {

struct TunableKernel;

/// The table of schedules that come with ampc, or one like it. A line an entry:
///
///   avx512 <hash of the kernel> <schedule>
///
/// behind a line `emitter N`; `#` starts a comment. A table of another emitter
/// version is empty.
class ScheduleTable {
public:
  /// Errors name a line.
  static llvm::Expected<ScheduleTable> parse(llvm::StringRef text);
  /// ampc's own (defaults.txt).
  static const ScheduleTable &defaults();

  /// The schedule for a kernel, by its hash; empty: none. Kernels are shaped by
  /// the class of the processor, "avx2" or "avx512".
  llvm::StringRef find(llvm::StringRef processorClass,
                       llvm::StringRef hash) const;

private:
  llvm::StringMap<std::string> entries;
};

llvm::StringRef classOf(const cpu::CpuTarget &target);

/// What schedules are known of: a database, if any, then a table.
struct ScheduleSources {
  std::shared_ptr<TuningDatabase> database;
  MachineKey machine;
  const ScheduleTable *table = &ScheduleTable::defaults();

  /// The schedule for `kernel`, one of its own; empty: that without any.
  llvm::Expected<std::string> find(const TunableKernel &kernel,
                                   const cpu::CpuTarget &target) const;
};

/// This machine as databases know it, for code made for `processor`. `isNative`
/// tells whether that was found by looking at the machine, which then has a
/// model; else it stands for all machines of its name.
MachineKey machineOf(const cpu::Processor &processor, bool isNative);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_SCHEDULES_H
