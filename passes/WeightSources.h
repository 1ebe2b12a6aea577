//===- WeightSources.h - What is computed from weights alone ----*- C++ -*-===//

#ifndef AMP_PASSES_WEIGHTSOURCES_H
#define AMP_PASSES_WEIGHTSOURCES_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace amp {

/// Bytes of the weights and constants that `value` is computed from by pure ops
/// without regions, each counted once; nothing if anything else, such as an
/// input, has a part in it. The driver computes such values at compile time.
std::optional<uint64_t> weightSourceBytes(mlir::Value value);

} // namespace amp

#endif // AMP_PASSES_WEIGHTSOURCES_H
