//===- WideCheck.h - The reference is checked itself ------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_WIDECHECK_H
#define AMPC_AUTOTUNE_WIDECHECK_H

#include "autotune/Trial.h"

namespace ampc::tune {

/// The kernel's text with f64 for f32; empty where it has other floats, or
/// numbers of one format that the other has not.
std::string widened(llvm::StringRef kernel);

/// Whether `narrow`, code in f32, gives what `wide`, the same in f64, gives,
/// but for rounding: that is far less than any term of a sum. Both run in child
/// processes, on inputs of the same values.
bool agree(Operands &narrow, KernelCode narrowCode, Operands &wide,
           KernelCode wideCode, double patience);

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_WIDECHECK_H
