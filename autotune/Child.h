//===- Child.h - Code that may crash or never end ---------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_CHILD_H
#define AMPC_AUTOTUNE_CHILD_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ampc::tune {

enum class ChildEnd { Done, Crashed, Hung };

/// Runs `work` in a copy of this process, which ends with it: by a signal or an
/// exception (Crashed), or after `seconds` of a processor's time (Hung),
/// whatever else the machine does, or many times as long without. What it
/// writes to shared memory stays; it prints nothing. `work` must not need what
/// other threads of this process may hold, as memory of the heap.
ChildEnd runInChild(llvm::function_ref<void()> work, double seconds);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_CHILD_H
