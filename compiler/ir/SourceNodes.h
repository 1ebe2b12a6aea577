//===- SourceNodes.h - Locations name nodes of the source -------*- C++ -*-===//
//
// An importer puts loc("conv1"("Conv")) on the ops that it makes of node conv1
// of type Conv. Passes fuse locations as they fuse ops.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_IR_SOURCENODES_H
#define AMPC_IR_SOURCENODES_H

#include "mlir/IR/Location.h"

namespace amp {

struct SourceNode {
  llvm::StringRef name;
  llvm::StringRef op; ///< Empty if the location does not say.

  bool operator==(const SourceNode &other) const {
    return name == other.name && op == other.op;
  }
};

/// The location of ops that compute `node`.
mlir::Location sourceLocation(mlir::MLIRContext *context,
                              const SourceNode &node);

/// The nodes that a location names, in order, each once.
llvm::SmallVector<SourceNode> sourceNodes(mlir::Location location);

/// The location of ops that the compiler adds: `work` in place of what the
/// nodes of `location` do themselves.
mlir::Location sourceLocation(mlir::Location location, llvm::StringRef work);

} // namespace amp

#endif // AMPC_IR_SOURCENODES_H
