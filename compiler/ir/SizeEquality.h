//===- SizeEquality.h - Sizes that are computed alike -----------*- C++ -*-===//

#ifndef AMPC_IR_SIZEEQUALITY_H
#define AMPC_IR_SIZEEQUALITY_H

#include "mlir/IR/OpDefinition.h"

namespace amp {

/// Whether two sizes are the same constant or value, or come from such by equal
/// arithmetic. False means that they may differ.
bool areEqualSizes(mlir::OpFoldResult a, mlir::OpFoldResult b);

} // namespace amp

#endif // AMPC_IR_SIZEEQUALITY_H
