//===- Classes.h - Ops that must have the same label ------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_ASSIGN_CLASSES_H
#define AMPC_AUTOTUNE_ASSIGN_CLASSES_H

#include "autotune/assign/Problem.h"

#include <bitset>
#include <optional>

namespace ampc::assign {

using LabelSet = std::bitset<256>;

/// Ops by what they have to agree on.
struct Classes {
  std::vector<int> classOf;     ///< By op; in order of each class's first.
  std::vector<LabelSet> labels; ///< By class: what all its ops allow.

  /// Says which ops conflict where a class is left without a label.
  static std::optional<Classes> find(const Problem &problem, Failure &failure);
};

} // namespace ampc::assign

#endif // AMPC_AUTOTUNE_ASSIGN_CLASSES_H
